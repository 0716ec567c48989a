import type { Task } from './task-list.js';

/** Whether one of two tasks waits for the other, however far. A bit for each pair: two thousand tasks take half a megabyte. */
export function orderOf(tasks: readonly Task[]): (a: number, b: number) => boolean {
  const indexOf = new Map(tasks.map(({ id }, index) => [id, index]));
  const width = (tasks.length + 31) >> 5;
  const before: (Uint32Array | undefined)[] = tasks.map(() => undefined);
  // Tasks that wait for a whole wave share one list.
  const ofList = new Map<readonly string[], Uint32Array>();
  const needsOf = (index: number) => tasks[index]!.dependsOn.flatMap((id) => indexOf.get(id) ?? []);
  const stack = tasks.map((_, index) => index);
  while (stack.length > 0) {
    const top = stack.at(-1)!;
    const { dependsOn } = tasks[top]!;
    const open = before[top] || ofList.has(dependsOn) ? [] : needsOf(top).filter((need) => !before[need]);
    for (const need of open) stack.push(need);
    if (open.length > 0) continue;
    stack.pop();
    before[top] ??= ofList.get(dependsOn) ?? union(needsOf(top), before, width);
    ofList.set(dependsOn, before[top]);
  }
  const waits = (a: number, b: number) => (before[a]![b >> 5]! & (1 << (b & 31))) !== 0;
  return (a, b) => waits(a, b) || waits(b, a);
}

function union(needs: readonly number[], before: readonly (Uint32Array | undefined)[], width: number): Uint32Array {
  const all = new Uint32Array(width);
  for (const need of needs) {
    all[need >> 5]! |= 1 << (need & 31);
    before[need]!.forEach((word, at) => {
      all[at]! |= word;
    });
  }
  return all;
}
