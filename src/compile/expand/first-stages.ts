import type { TaskId } from '../../model/plan.js';
import type { Draft } from '../task/draft.js';

/**
 * Makes everything wait for the tasks of these stages, apart from what they wait for themselves. The edge goes to those
 * tasks alone that wait for nothing else outside of that; the others wait for one of them.
 */
export function putFirst(drafts: readonly Draft[], stages: ReadonlySet<string>): void {
  const byId = new Map(drafts.map((draft) => [draft.task.id, draft]));
  for (const stage of stages) {
    for (const { task: first } of drafts.filter(({ task }) => task.stage === stage)) {
      const before = ancestors(first.id, byId);
      const free = drafts.filter(
        ({ task }) => !before.has(task.id) && !stages.has(task.stage) && task.needs.every((need) => before.has(need)),
      );
      for (const { task } of free) {
        task.needs = [...task.needs, first.id];
        task.inferred = [...task.inferred, { task: first.id, via: `parity.${String(first.options.check)}` }];
      }
    }
  }
}

/** The task itself and all that it waits for. */
function ancestors(id: TaskId, byId: ReadonlyMap<TaskId, Draft>): Set<TaskId> {
  const found = new Set<TaskId>([id]);
  for (const each of found) for (const need of byId.get(each)?.task.needs ?? []) found.add(need);
  return found;
}
