import type { Reason, Task, TaskId } from '../../model/plan.js';

/** A task is left out when everything that one of its needed stages stands for is; some of a matrix may be missing. */
export function spreadSkips(tasks: readonly Task[], waves: readonly (readonly TaskId[])[]): readonly Task[] {
  if (tasks.every((task) => task.skip === undefined)) return tasks;
  const byId = new Map(tasks.map((task) => [task.id, task]));
  const skips = new Map<TaskId, Reason>();
  const memo = new Map<readonly TaskId[], string | undefined>();
  for (const id of waves.flat()) {
    const task = byId.get(id)!;
    if (!memo.has(task.needs)) memo.set(task.needs, missingNeed(task.needs, byId, skips));
    const missing = memo.get(task.needs);
    const reason =
      task.skip ??
      (missing === undefined ? undefined : ({ code: 'upstream-skipped', detail: `${missing} is left out` } as const));
    if (reason) skips.set(id, reason);
  }
  return tasks.map((task) => {
    const skip = skips.get(task.id);
    return skip ? { ...task, skip } : task;
  });
}

/** What is left out although it is needed, in words: one task, or all that is needed of a stage. */
function missingNeed(
  needs: readonly TaskId[],
  byId: ReadonlyMap<TaskId, Task>,
  skips: ReadonlyMap<TaskId, Reason>,
): string | undefined {
  const stages = new Map<string, TaskId[]>();
  for (const need of needs) {
    const { stage } = byId.get(need)!;
    const known = stages.get(stage);
    if (known) known.push(need);
    else stages.set(stage, [need]);
  }
  for (const [stage, tasks] of stages) {
    if (tasks.every((task) => skips.has(task)))
      return tasks.length === 1 ? tasks[0] : `everything it needs of ${stage}`;
  }
  return undefined;
}
