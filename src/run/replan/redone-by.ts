import { downstreamOf } from '../../graph/reach.js';
import { isOwnList } from '../../model/agents/task-item.js';
import type { Plan, Task, TaskId } from '../../model/plan.js';
import type { Files } from '../../model/ports.js';

export interface RedoneTools {
  readonly plan: Plan;
  readonly files: Pick<Files, 'expand'>;
  isFixed(id: TaskId): boolean;
}

/**
 * Everything that has to be looked at or done again when task files have changed: the file is read anew, gates that it was shown at
 * are asked anew, and who had read it reads it again. What a file says of a task that is done has not changed.
 */
export function redoneBy(
  { stage, id }: Task,
  { paths, makers }: { readonly paths: readonly string[]; readonly makers: readonly TaskId[] },
  { plan, files, isFixed }: RedoneTools,
): readonly TaskId[] {
  const reads = ({ inputs, description, part }: Task): boolean => {
    const own = part?.kind === 'item' ? part.item.file : undefined;
    const read = [...inputs, ...(description.reads ?? [])];
    return read.length > 0 && files.expand(read).some((path) => path !== own && paths.includes(path));
  };
  const seeds = plan.tasks.flatMap((task) => {
    if (task.id === id || task.id === `${stage}:tasks`) return [task.id];
    if (makers.includes(task.id)) return task.gate ? [task.id] : [];
    return reads(task) ? [task.id] : [];
  });
  const tasks = plan.tasks.map((task) =>
    task.id !== id && task.part?.kind === 'item' && isFixed(task.id)
      ? { ...task, needs: task.needs.filter((need) => !isOwnList(task, need)) }
      : task,
  );
  return [...seeds, ...downstreamOf(seeds, tasks)];
}
