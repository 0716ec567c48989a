import type { GraphTask } from './links.js';

/**
 * Follows the first unfinished need of each unfinished task until a task comes up again. There always is one, because a
 * task that sorting could not finish has a need that it could not finish either.
 */
export function findCycle(tasks: readonly GraphTask[], isUnfinished: (index: number) => boolean): readonly string[] {
  const indexOf = new Map(tasks.map(({ id }, index) => [id, index]));
  // Lists of needs are shared, so what was found in one is remembered.
  const firstUnfinished = new Map<readonly string[], number>();
  const next = (index: number): number => {
    const { needs } = tasks[index]!;
    let found = firstUnfinished.get(needs);
    if (found === undefined) {
      found = indexOf.get(needs.find((need) => isUnfinished(indexOf.get(need)!))!)!;
      firstUnfinished.set(needs, found);
    }
    return found;
  };

  const stepOf = new Map<number, number>();
  const path: number[] = [];
  let current = tasks.findIndex((_, index) => isUnfinished(index));
  while (!stepOf.has(current)) {
    stepOf.set(current, path.length);
    path.push(current);
    current = next(current);
  }
  return closed(path.slice(stepOf.get(current)!)).map((index) => tasks[index]!.id);
}

/** The same circle whatever task it was entered at: it begins and ends with the task that comes first in the plan. */
function closed(circle: readonly number[]): readonly number[] {
  let start = 0;
  circle.forEach((index, step) => {
    if (index < circle[start]!) start = step;
  });
  return [...circle.slice(start), ...circle.slice(0, start), circle[start]!];
}
