import { type Failure, type Finding, gap, holds, type PrintedEnd, type StageContext } from 'autoresearch';
import type { CommandWish, CommitWish } from './options.js';

/** A finding, or the failure that ended the attempt: then nothing is known. */
export type Found = Finding | { readonly ended: Failure };

/** A command answers with the exit code that is expected, and prints what is expected. */
export async function checkCommand(
  wish: CommandWish & { readonly truth?: string },
  context: StageContext,
): Promise<Found> {
  const { run, exit = 0, prints, truth } = wish;
  const [kind, what] = truth === undefined ? (['command', run] as const) : (['truth', truth] as const);
  const end = await context.command(run, { capture: true });
  const ended = endOf(end);
  if (ended) return { ended };
  if (end.exitCode === undefined) return gap(kind, what, `\`${run}\` did not end by itself`);
  if (end.exitCode !== exit) return gap(kind, what, `\`${run}\` exited with ${end.exitCode}, not ${exit}`);
  if (prints === undefined) return holds(kind, what, `\`${run}\` exited with ${exit}`);
  const found = context.finds(prints, `${end.stdout}\n${end.stderr}`);
  if (!found.ok) return gap(kind, what, found.why);
  if (found.value) return holds(kind, what, `\`${run}\` printed /${prints}/`);
  return gap(
    kind,
    what,
    `\`${run}\` did not print /${prints}/${end.isCut ? ' (only the last megabyte was looked at)' : ''}`,
  );
}

export const commitCommand = ({ since }: CommitWish): readonly string[] => [
  'git',
  'log',
  '--no-merges',
  '--format=%H %s',
  since === undefined ? 'HEAD' : `${since}..HEAD`,
  '--',
];

/** Commits are in the history of the project, whatever anyone says about them. */
export async function checkCommit(wish: CommitWish, context: StageContext): Promise<Found> {
  const { subject, since, at_least = 1 } = wish;
  const what = `${at_least === 1 ? 'a commit' : `${at_least} commits`} with ${JSON.stringify(subject)}${since === undefined ? '' : ` after ${since}`}`;
  const end = await context.command(commitCommand(wish), { capture: true });
  const ended = endOf(end);
  if (ended) return { ended };
  if (end.exitCode !== 0)
    return gap('commit', what, `the history cannot be read: ${end.stderr.trim().split('\n')[0] ?? ''}`);
  const found = end.stdout
    .split('\n')
    .filter((line) => line.slice(line.indexOf(' ') + 1).includes(subject) && line !== '');
  if (found.length < at_least) return gap('commit', what, `${found.length} found`);
  return holds(
    'commit',
    what,
    found
      .slice(0, 3)
      .map((line) => line.slice(0, 10))
      .join(', '),
  );
}

/** How the command ended says something about the command, unless the attempt itself was ended. */
const endOf = (end: PrintedEnd): Failure | undefined =>
  end.ok || judged.has(end.failure.code) ? undefined : end.failure;

const judged: ReadonlySet<string> = new Set(['command-failed', 'command-killed', 'command-not-found']);
