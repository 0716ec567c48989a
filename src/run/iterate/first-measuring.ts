import { downstreamOf } from '../../graph/reach.js';
import type { Plan, TaskId } from '../../model/plan.js';

/** Tasks of the measuring that come behind the change, and need no other of them: what they are given is what is measured. */
export function firstMeasuring({ iterate, tasks }: Plan): ReadonlySet<TaskId> {
  const { again, baseline, files } = iterate ?? { again: [] };
  if (!baseline || !files) return new Set();
  const changing = again.filter((id) => !baseline.includes(id));
  // Nothing changes anything in the run of the baseline itself: what an iteration does again of it is what is measured.
  const isBaseline = tasks.every(({ id }) => baseline.includes(id));
  const behind = isBaseline ? new Set(again) : downstreamOf(changing, tasks);
  const measuring = new Set(baseline.filter((id) => behind.has(id)));
  const isFirst = (id: TaskId): boolean => [...measuring].every((other) => !downstreamOf([other], tasks).has(id));
  return new Set([...measuring].filter(isFirst));
}
