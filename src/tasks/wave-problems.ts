import type { Problem, Task } from './task-list.js';

/** Waves that say something else than `depends_on`. The order follows `depends_on`; a wave that contradicts it is a slip. */
export function waveProblems(tasks: readonly Task[]): readonly Problem[] {
  const byId = new Map(tasks.map((task) => [task.id, task]));
  const latest = new Map<string, Task | undefined>();
  const first = tasks.reduce((least, { wave }) => Math.min(least, wave ?? least), Number.POSITIVE_INFINITY);
  return tasks.flatMap((task): Problem[] => {
    const { wave } = task;
    if (wave === undefined) return [];
    const { id, file, written } = task;
    if (wave > first && written.dependsOn?.length === 0) {
      const message = `"${id}" is of wave ${wave} but depends on nothing, so it starts at once`;
      const hint = 'Leave "depends_on" out to wait for the wave before';
      return [{ severity: 'warning', file, message, ...written.wave, hint }];
    }
    const before = latestBefore(task, { byId, latest });
    if (before?.wave === undefined || before.wave < wave) return [];
    const message = `"${id}" is of wave ${wave}, but it waits for "${before.id}" of wave ${before.wave}`;
    const hint = `Put "${id}" into a later wave than ${before.wave}`;
    return [{ severity: 'error', file, message, ...written.wave, hint }];
  });
}

interface Known {
  readonly byId: ReadonlyMap<string, Task>;
  readonly latest: Map<string, Task | undefined>;
}

/** The task of the latest wave among those waited for, seen through tasks that name no wave. Without recursion: chains are long. */
function latestBefore(task: Task, { byId, latest }: Known): Task | undefined {
  const stack = [task];
  while (stack.length > 0) {
    const top = stack.at(-1)!;
    const needs = top.dependsOn.map((id) => byId.get(id)!);
    const open = needs.filter((need) => need.wave === undefined && !latest.has(need.id));
    if (open.length > 0) {
      for (const need of open) stack.push(need);
      continue;
    }
    let found: Task | undefined;
    for (const need of needs) {
      const one = need.wave === undefined ? latest.get(need.id) : need;
      if (one && (found === undefined || one.wave! > found.wave!)) found = one;
    }
    latest.set(top.id, found);
    stack.pop();
  }
  return latest.get(task.id);
}
