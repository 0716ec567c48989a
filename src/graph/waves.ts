import { findCycle } from './find-cycle.js';
import { type GraphTask, link } from './links.js';

export type Waves =
  | { readonly waves: readonly (readonly string[])[] }
  /** A path that comes back to where it began: each task needs the one after it. */
  | { readonly cycle: readonly string[] };

/** Groups tasks so that each stands in the first wave after all of its needs; inside a wave they keep plan order. */
export function waves(tasks: readonly GraphTask[]): Waves {
  const { incoming, outgoing, tasks: count } = link(tasks);
  const waiting = incoming.slice();
  // The wave of a task; for a barrier, the wave of the tasks behind it.
  const level = new Int32Array(waiting.length);
  const queue: number[] = [];
  waiting.forEach((links, node) => {
    if (links === 0) queue.push(node);
  });
  for (let at = 0; at < queue.length; at += 1) {
    const node = queue[at]!;
    const next = node < count ? level[node]! + 1 : level[node]!;
    for (const dependant of outgoing[node]!) {
      if (level[dependant]! < next) level[dependant] = next;
      waiting[dependant]! -= 1;
      if (waiting[dependant] === 0) queue.push(dependant);
    }
  }
  if (queue.length < waiting.length) return { cycle: findCycle(tasks, (index) => waiting[index]! > 0) };

  const grouped: string[][] = [];
  tasks.forEach(({ id }, index) => {
    const wave = level[index]!;
    while (grouped.length <= wave) grouped.push([]);
    grouped[wave]!.push(id);
  });
  return { waves: grouped };
}
