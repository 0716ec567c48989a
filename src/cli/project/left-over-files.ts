import type { Diagnostic } from '../../model/diagnostic.js';
import { isGlob } from '../../model/glob.js';
import type { Plan, Task, TaskId } from '../../model/plan.js';
import { pointerOf } from '../../model/pointer.js';
import type { Files } from '../../model/ports.js';
import { loadGlobMatch } from '../../source/glob.js';

/**
 * Files that a glob would collect as results although no task of this plan makes them: a seed that was dropped, an arm
 * that was renamed. A comparison that counts them in is wrong, and nothing would say so.
 */
export async function leftOverFiles(plan: Plan, files: Files): Promise<readonly Diagnostic[]> {
  const collectors = plan.tasks.filter(
    ({ skip, inputs, inferred }) => !skip && inferred.length > 0 && inputs.some(isGlob),
  );
  if (collectors.length === 0) return [];
  const byId = new Map(plan.tasks.map((task) => [task.id, task]));
  const wanted = collectors.flatMap((task) => collected(task, byId));
  if (wanted.length === 0) return [];
  const made = new Set(plan.tasks.flatMap(({ skip, outputs }) => (skip ? [] : outputs)));
  const match = await loadGlobMatch();
  return wanted.flatMap(({ task, index, via, patterns }) => {
    const strays = files
      .expand([via])
      .filter((file) => !made.has(file) && patterns.some((pattern) => match(pattern, file)));
    return strays.length === 0 ? [] : [leftOver(task, index, strays)];
  });
}

interface Collected {
  readonly task: Task;
  readonly index: number;
  readonly via: string;
  readonly patterns: readonly string[];
}

function collected(task: Task, byId: ReadonlyMap<TaskId, Task>): Collected[] {
  return task.inputs.flatMap((via, index) => {
    if (!isGlob(via)) return [];
    const writers = task.inferred.filter((edge) => edge.via === via).map((edge) => byId.get(edge.task));
    const patterns = [...new Set(writers.flatMap((writer) => writer?.outputPatterns ?? []))].filter(isGlob);
    return patterns.length === 0 ? [] : [{ task, index, via, patterns }];
  });
}

const leftOver = (task: Task, index: number, strays: readonly string[]): Diagnostic => ({
  code: 'AR508',
  message: `${task.inputs[index]} would also collect ${strays.slice(0, 3).join(', ')}${strays.length > 3 ? ` and ${strays.length - 3} more` : ''}, which no task of this plan makes`,
  at: { kind: 'config', pointer: pointerOf('stages', task.stage, 'inputs', index) },
  hint: 'Move it away, or take its value back into the matrix',
});
