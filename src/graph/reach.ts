import type { GraphTask } from './links.js';

/** Everything that a task needs, directly or through others; without the task itself. */
export function upstreamOf(id: string, tasks: readonly GraphTask[]): ReadonlySet<string> {
  const byId = new Map(tasks.map((task) => [task.id, task]));
  return reached([id], (one) => byId.get(one)?.needs ?? []);
}

/** Everything that needs one of these, directly or through others; without those it began with. */
export function downstreamOf(ids: readonly string[], tasks: readonly GraphTask[]): ReadonlySet<string> {
  const dependants = new Map<string, string[]>();
  for (const { id, needs } of tasks) {
    for (const need of needs) {
      const known = dependants.get(need);
      if (known) known.push(id);
      else dependants.set(need, [id]);
    }
  }
  return reached(ids, (one) => dependants.get(one) ?? []);
}

function reached(from: readonly string[], next: (id: string) => readonly string[]): ReadonlySet<string> {
  const found = new Set<string>();
  const open = [...from];
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    for (const other of next(id)) {
      if (found.has(other)) continue;
      found.add(other);
      open.push(other);
    }
  }
  for (const id of from) found.delete(id);
  return found;
}
