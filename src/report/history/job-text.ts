import type { JobState } from '../../model/state/job-state.js';

/** What became of the jobs that somebody wanted to end. */
export function cancelledJobsText(
  ended: readonly JobState[],
  left: readonly { readonly job: JobState; readonly detail: string }[],
): string {
  const lines = ended.length === 0 ? [] : [`Ended ${counted(ended.length)}: ${ended.map(jobName).join(', ')}.`];
  for (const { job, detail } of left) lines.push(`Could not end ${jobName(job)}: ${detail}.`);
  if (left.length > 0) lines.push('Try again with autoresearch cancel, or end them at the scheduler.');
  return lines.map((line) => `${line}\n`).join('');
}

export const keptJobsText = (jobs: readonly JobState[]): string =>
  `${counted(jobs.length)} ${jobs.length === 1 ? 'goes' : 'go'} on: ${jobs.map(jobName).join(', ')}. ` +
  `autoresearch exec takes ${jobs.length === 1 ? 'it' : 'them'} up again; autoresearch cancel ends ${jobs.length === 1 ? 'it' : 'them'}.\n`;

const counted = (count: number): string => (count === 1 ? 'one job' : `${count} jobs`);

const jobName = ({ id, tag, cluster, task }: JobState): string => `${id ?? tag} on ${cluster} (${task})`;
