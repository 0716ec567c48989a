import type { JobState } from '../../model/state/job-state.js';
import { grouped } from '../words/grouped.js';
import { plainLine } from '../words/plain-line.js';

/** What became of the jobs that somebody wanted to end. */
export function cancelledJobsText(
  ended: readonly JobState[],
  left: readonly { readonly job: JobState; readonly detail: string }[],
): string {
  const gone = ended.filter((job) => isSubmitted(job) !== 'no');
  const never = ended.filter((job) => isSubmitted(job) === 'no');
  const lines = gone.length === 0 ? [] : [`Ended ${counted(gone.length)}: ${gone.map(jobName).join(', ')}.`];
  if (never.length > 0)
    lines.push(`Took back ${counted(never.length)} that no scheduler had taken: ${never.map(taskName).join(', ')}.`);
  for (const { job, detail } of left) lines.push(`Could not end ${jobName(job)}: ${detail}.`);
  if (left.length > 0) lines.push('Try again with autoresearch cancel, or end them at the scheduler.');
  return lines.map((line) => `${line}\n`).join('');
}

export interface KeptJobsOptions {
  /** Options of the commands that go on with the run, with a space before them. */
  readonly again?: string;
  /** Those that only say which study it is. */
  readonly place?: string;
}

/** Jobs of a run without a runner: those that go on, those that perhaps do, and those that no scheduler has taken. */
export function keptJobsLines(
  jobs: Iterable<JobState>,
  { again = '', place = '' }: KeptJobsOptions = {},
): readonly string[] {
  const [exec, cancel] = [`autoresearch exec${again}`, `autoresearch cancel${place}`];
  const open = [...jobs].filter(({ end }) => end === undefined);
  const [yes, unknown, no] = (['yes', 'unknown', 'no'] as const).map((one) =>
    open.filter((job) => isSubmitted(job) === one),
  ) as [JobState[], JobState[], JobState[]];
  const names = (some: readonly JobState[]): string => some.map(jobName).join(', ');
  return [
    ...(yes.length === 0
      ? []
      : [
          `${counted(yes.length)} ${one(yes, 'goes', 'go')} on: ${names(yes)}. ${exec} takes ${them(yes)} up again; ${cancel} ends ${them(yes)}.`,
        ]),
    ...byReason(unknown).map(
      ([why, some]) =>
        `${counted(some.length)} may go on, which nobody knows${why === '' ? '' : `, because ${why}`}: ${names(some)}. ${exec} looks for ${them(some)} first; ${cancel} ends ${them(some)}.`,
    ),
    ...byReason(no).map(
      ([why, some]) =>
        `${counted(some.length)} ${one(some, 'is', 'are')} not submitted yet, because ${why}: ${some.map(taskName).join(', ')}. ${exec} tries again.`,
    ),
  ];
}

export const keptJobsText = (jobs: Iterable<JobState>, options?: KeptJobsOptions): string =>
  keptJobsLines(jobs, options)
    .map((line) => `${line}\n`)
    .join('');

/** Whether the scheduler has it. */
export const isSubmitted = ({ id, heldUp }: JobState): 'yes' | 'no' | 'unknown' =>
  id === undefined ? (heldUp?.submitted ?? 'unknown') : 'yes';

const byReason = (jobs: readonly JobState[]): (readonly [why: string, jobs: readonly JobState[]])[] => [
  ...grouped(jobs, ({ heldUp }) => plainLine(heldUp?.detail ?? '')),
];

const one = (jobs: readonly JobState[], singular: string, plural: string): string =>
  jobs.length === 1 ? singular : plural;

const them = (jobs: readonly JobState[]): string => one(jobs, 'it', 'them');

const taskName = ({ task, cluster }: JobState): string => `${task} on ${cluster}`;

const counted = (count: number): string => (count === 1 ? 'one job' : `${count} jobs`);

const jobName = ({ id, tag, cluster, task }: JobState): string => `${id ?? tag} on ${cluster} (${task})`;
