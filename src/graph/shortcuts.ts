export interface Arrow {
  readonly from: string;
  readonly to: string;
}

/**
 * Arrows without those that say nothing new, because a way over others leads to the same place. Where boxes stand in a circle
 * (folded ones may), the arrows of the circle stay: each of them may be what the others follow from.
 */
export function withoutShortcuts<A extends Arrow>(arrows: readonly A[]): A[] {
  const next = new Map<string, string[]>();
  for (const { from, to } of arrows) next.set(from, [...(next.get(from) ?? []), to]);
  const reach = new Map([...next.keys()].map((from) => [from, reachedFrom(from, next)] as const));
  const leads = (from: string, to: string): boolean => reach.get(from)?.has(to) ?? false;
  return arrows.filter(
    ({ from, to }) => leads(to, from) || !next.get(from)!.some((other) => other !== to && leads(other, to)),
  );
}

function reachedFrom(start: string, next: ReadonlyMap<string, readonly string[]>): ReadonlySet<string> {
  const found = new Set<string>();
  const open = [start];
  for (let one = open.pop(); one !== undefined; one = open.pop()) {
    for (const other of next.get(one) ?? []) {
      if (found.has(other)) continue;
      found.add(other);
      open.push(other);
    }
  }
  return found;
}
