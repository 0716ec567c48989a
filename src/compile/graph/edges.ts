import type { InferredEdge, TaskId } from '../../model/plan.js';
import type { Draft } from '../task/draft.js';
import type { Writers } from './writers.js';

/**
 * Puts into each task what it comes after: the tasks of the stages it `needs`, and whoever writes what it reads. Tasks
 * without an inferred edge share one list with their siblings, which is what keeps a wide graph linear.
 */
export function addEdges(drafts: readonly Draft[], writers: Writers): void {
  const tasksOf = new Map<string, TaskId[]>();
  for (const { task, isInner } of drafts) {
    if (isInner) continue;
    const known = tasksOf.get(task.stage);
    if (known) known.push(task.id);
    else tasksOf.set(task.stage, [task.id]);
  }
  const written = new Map<string, readonly TaskId[]>();
  for (const draft of drafts) {
    const { task } = draft;
    let words = draft.after ?? written.get(task.stage);
    if (!words) {
      const lists = (draft.config.needs ?? []).map((need) => tasksOf.get(need) ?? []);
      words = lists.length === 1 ? lists[0]! : [...new Set(lists.flat())];
      written.set(task.stage, words);
    }
    task.inferred = inferredEdges(draft, writers, words);
    task.needs = task.inferred.length > 0 ? [...words, ...task.inferred.map((edge) => edge.task)] : words;
  }
}

const none: readonly InferredEdge[] = [];

function inferredEdges({ task, reads }: Draft, writers: Writers, words: readonly TaskId[]): readonly InferredEdge[] {
  if (reads.length === 0) return none;
  const known = new Set<TaskId>([task.id]);
  const found: InferredEdge[] = [];
  for (const via of reads) {
    for (const { draft: writer } of writers.of(via)) {
      if (known.has(writer.task.id)) continue;
      known.add(writer.task.id);
      found.push({ task: writer.task.id, via });
    }
  }
  if (found.length === 0) return none;
  const said = new Set(words);
  return found.filter((edge) => !said.has(edge.task));
}
