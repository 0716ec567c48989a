import type { JobSubmitting } from '../../model/events/job-event.js';
import type { Failure } from '../../model/failure.js';
import type { Budget } from '../../model/generated/config.js';
import type { JobState } from '../../model/state/job-state.js';
import type { JobPorts } from './job-errand.js';

const hourMs = 3_600_000;

/** What a job has used by its end. Whoever does not know when it began counts from when it was submitted. */
export function usedBy(
  job: JobState,
  ports: JobPorts,
  nowMs: number,
): { readonly requeues: number; readonly runMs: number; readonly gpuHours: number } {
  const starts = ports.startsOf(job.tag);
  const began = starts[0] ?? job.runningSince ?? job.submittingAt;
  const ended = ports.exitedAt(job.tag) ?? nowMs;
  // Clocks of a cluster differ from ours; a job that ran has run for some time.
  const runMs = Math.round(Math.max(0, ended - began));
  return { requeues: Math.max(0, starts.length - 1), runMs, gpuHours: (job.gpus * runMs) / hourMs };
}

/** A job that has not ended counts as all that it may use. */
export function gpuHoursOf(jobs: Iterable<JobState>): number {
  let sum = 0;
  for (const { end, gpus, limitMs = 0 } of jobs) sum += end ? end.gpuHours : (gpus * limitMs) / hourMs;
  return sum;
}

export function gpuCeiling(
  budget: Budget | undefined,
  jobs: Iterable<JobState>,
  { tag, gpus = 0, limitMs = 0 }: JobSubmitting,
): Failure | undefined {
  const limit = budget?.gpuHours;
  if (limit === undefined || gpus === 0) return undefined;
  const wanted = (gpus * limitMs) / hourMs;
  const spent = gpuHoursOf([...jobs].filter((job) => job.tag !== tag));
  if (spent + wanted <= limit) return undefined;
  return { code: 'budget-spent', spent: { ceiling: 'budget.gpuHours', limit, spent, wanted } };
}
