import type { InferredEdge, TaskId } from '../model/plan.js';
import type { Draft } from './draft.js';
import type { Writers } from './writers.js';

export interface Edges {
  readonly needs: readonly TaskId[];
  readonly inferred: readonly InferredEdge[];
}

/**
 * What each task comes after: the tasks of the stages it `needs`, and whoever writes what it reads. Tasks without an
 * inferred edge share one list with their siblings, which is what keeps a wide graph linear.
 */
export function edgesOf(drafts: readonly Draft[], writers: Writers): ReadonlyMap<TaskId, Edges> {
  const tasksOf = new Map<string, TaskId[]>();
  for (const { stage, id } of drafts) {
    const known = tasksOf.get(stage);
    if (known) known.push(id);
    else tasksOf.set(stage, [id]);
  }
  const written = new Map<string, readonly TaskId[]>();
  const edges = new Map<TaskId, Edges>();
  for (const draft of drafts) {
    let words = written.get(draft.stage);
    if (!words) {
      const lists = (draft.config.needs ?? []).map((need) => tasksOf.get(need) ?? []);
      words = lists.length === 1 ? lists[0]! : [...new Set(lists.flat())];
      written.set(draft.stage, words);
    }
    const inferred = inferredEdges(draft, writers, words);
    edges.set(draft.id, { needs: inferred.length > 0 ? [...words, ...inferred.map(({ task }) => task)] : words, inferred });
  }
  return edges;
}

function inferredEdges(draft: Draft, writers: Writers, words: readonly TaskId[]): InferredEdge[] {
  const known = new Set<TaskId>([draft.id]);
  const found: InferredEdge[] = [];
  for (const via of draft.reads) {
    for (const { draft: writer } of writers.of(via)) {
      if (known.has(writer.id)) continue;
      known.add(writer.id);
      found.push({ task: writer.id, via });
    }
  }
  if (found.length === 0) return found;
  const said = new Set(words);
  return found.filter(({ task }) => !said.has(task));
}
