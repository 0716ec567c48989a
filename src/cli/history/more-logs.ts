import type { TaskState } from '../../model/state/run-state.js';
import { shellQuote } from '../../source/shell-quote.js';
import { again } from '../again.js';
import type { CliContext } from '../context.js';
import { fixFolders, type MadeAttempts } from './attempt-folders.js';

const mostFixes = 20;

/**
 * What else there is of a task, and what to type for it: earlier attempts, and what mended between them. On the error
 * output, because whoever pipes a log wants the log alone.
 */
export function tellMore(
  context: CliContext,
  task: TaskState,
  { made, attempt }: { readonly made: MadeAttempts | undefined; readonly attempt?: number },
): void {
  if (!made || context.quiet) return;
  const run = context.value('run');
  const same = `${run === undefined ? '' : ` --run ${shellQuote(run)}`}${again(context)}`;
  const command = (options: string): string => `autoresearch logs ${shellQuote(task.id)} ${options}${same}`;
  const fixes = fixFolders(task.id, made).filter((fix) => attempt === undefined || fix.attempt === attempt);
  const earlier =
    attempt === undefined && made.attempts > 1
      ? [`This is attempt ${made.attempts}. The one before: ${command(`--attempt ${made.attempts - 1}`)}`]
      : [];
  const more = fixes.length - mostFixes;
  const lines = [
    ...earlier,
    ...(fixes.length === 0 ? [] : ['Calls of agents, and what mended:']),
    ...(more > 0 ? [`  (${more} earlier)`] : []),
    ...fixes.slice(-mostFixes).map(({ attempt: of, name }) => `  ${command(`--attempt ${of} --fix ${name}`)}`),
  ];
  if (lines.length > 0) context.stderr.write(`\n${lines.join('\n')}\n`);
}
