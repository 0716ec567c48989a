import type { Reason, Task, TaskId } from '../model/plan.js';

/** A task is left out when everything that one of its needed stages stands for is; some of a matrix may be missing. */
export function spreadSkips(tasks: readonly Task[], waves: readonly (readonly TaskId[])[]): readonly Task[] {
  if (tasks.every((task) => task.skip === undefined)) return tasks;
  const byId = new Map(tasks.map((task) => [task.id, task]));
  const skips = new Map<TaskId, Reason>();
  const memo = new Map<readonly TaskId[], string | undefined>();
  for (const id of waves.flat()) {
    const task = byId.get(id)!;
    if (!memo.has(task.needs)) memo.set(task.needs, emptyStage(task.needs, byId, skips));
    const stage = memo.get(task.needs);
    const reason = task.skip ?? (stage === undefined ? undefined : ({ code: 'upstream-skipped', detail: `all of ${stage} is left out` } as const));
    if (reason) skips.set(id, reason);
  }
  return tasks.map((task) => {
    const skip = skips.get(task.id);
    return skip ? { ...task, skip } : task;
  });
}

function emptyStage(needs: readonly TaskId[], byId: ReadonlyMap<TaskId, Task>, skips: ReadonlyMap<TaskId, Reason>): string | undefined {
  const stages = new Map<string, boolean>();
  for (const need of needs) {
    const { stage } = byId.get(need)!;
    stages.set(stage, (stages.get(stage) ?? true) && skips.has(need));
  }
  for (const [stage, isEmpty] of stages) if (isEmpty) return stage;
  return undefined;
}
