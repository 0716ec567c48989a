/** Anything with a name that has to come after other things. */
export interface GraphTask {
  readonly id: string;
  readonly needs: readonly string[];
}

/**
 * Tasks as numbers. The first `tasks` nodes are the tasks in plan order; the rest are barriers. A barrier stands for a
 * list of needs that several tasks share as one object: a thousand tasks that each need the same thousand cost two
 * thousand links instead of a million.
 */
export interface Links {
  readonly tasks: number;
  readonly indexOf: ReadonlyMap<string, number>;
  /** How many links come into each node. */
  readonly incoming: Int32Array;
  /** The nodes that wait for each node. */
  readonly outgoing: readonly (readonly number[])[];
}

export function link(tasks: readonly GraphTask[]): Links {
  const indexOf = new Map<string, number>();
  tasks.forEach(({ id }, index) => {
    if (indexOf.has(id)) throw new Error(`two tasks are called ${id}`);
    indexOf.set(id, index);
  });

  const sharing = new Map<readonly string[], number>();
  for (const { needs } of tasks) if (needs.length > 1) sharing.set(needs, (sharing.get(needs) ?? 0) + 1);

  const outgoing: number[][] = tasks.map(() => []);
  const incoming: number[] = tasks.map(() => 0);
  const connect = (from: number, to: number) => {
    outgoing[from]!.push(to);
    incoming[to]! += 1;
  };
  const connectNeeds = (needs: readonly string[], to: number) => {
    for (const need of needs) {
      const from = indexOf.get(need);
      if (from === undefined) throw new Error(`${tasks[to]?.id ?? 'a task'} needs ${need}, which is not a task`);
      connect(from, to);
    }
  };

  const barriers = new Map<readonly string[], number>();
  tasks.forEach(({ needs }, index) => {
    if ((sharing.get(needs) ?? 0) < 2) {
      connectNeeds(needs, index);
      return;
    }
    let barrier = barriers.get(needs);
    if (barrier === undefined) {
      barrier = outgoing.length;
      barriers.set(needs, barrier);
      outgoing.push([]);
      incoming.push(0);
      connectNeeds(needs, barrier);
    }
    connect(barrier, index);
  });
  return { tasks: tasks.length, indexOf, incoming: Int32Array.from(incoming), outgoing };
}
