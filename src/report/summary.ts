import { formatDuration } from '../model/duration.js';
import type { Plan, TaskId } from '../model/plan.js';
import type { RunState, TaskState } from '../model/run-state.js';
import { failedTaskLines, triesText } from './failed-task-text.js';
import { failureWords } from './failure-text.js';
import { outcomeSign, outcomeWords } from './outcome-text.js';
import { type Paint, paint } from './paint.js';
import { plural, shellWord, shownPath } from './phrase.js';
import { runCounts, standingsOf } from './run-counts.js';
import { skippedLines } from './skipped-text.js';
import { type Symbols, symbols } from './symbols.js';

export interface SummaryInput {
  readonly plan: Plan;
  readonly state: RunState;
  /** Absolute. */
  readonly runDir: string;
  readonly cwd: string;
  readonly color: boolean;
  readonly unicode?: boolean;
  /** How long it took this time; from the run's first start unless stated. */
  readonly durationMs?: number;
  /** Options that the next command needs too, with a space before them. */
  readonly again?: string;
  /** The last lines of a task's logs. */
  tail(task: TaskId): readonly string[];
}

/** The end of a run: how it went, what failed and why, where the results are, and what to type next. */
export function summaryText(input: SummaryInput): string {
  const style = { p: paint(input.color), s: symbols(input.unicode ?? true) };
  const { plan, state } = input;
  const failed = standingsOf(state, plan).flatMap(({ standing, task }) =>
    standing === 'failed' && task ? [task] : [],
  );
  const lines = [
    headLine(input, style),
    ...(state.outcome === 'passed' ? resultLines(input, style) : []),
    ...failedLines(failed, input, style),
    ...skippedLines(state, plan, style),
    ...nextLines(input, failed, style),
  ];
  return `${lines.join('\n')}\n`;
}

interface Style {
  readonly p: Paint;
  readonly s: Symbols;
}

function headLine({ plan, state, durationMs }: SummaryInput, { p, s }: Style): string {
  const time = durationMs ?? (state.finishedAt === undefined ? undefined : state.finishedAt - state.startedAt);
  const words = `${plan.name} ${outcomeWords(state.outcome, state.signal)}`;
  const took = time === undefined ? '' : ` ${state.outcome === 'cancelled' ? 'after' : 'in'} ${formatDuration(time)}`;
  return `${outcomeSign(state.outcome, { p, s })} ${p.bold(words)}${took}: ${runCounts(state, plan).text}`;
}

/** Logs of the first few, a line each for more, a number for the rest: a hundred failures have rarely a hundred causes. */
const mostTails = 5;
const mostFailed = 25;

function failedLines(failed: readonly TaskState[], { runDir, cwd, tail }: SummaryInput, { p, s }: Style): string[] {
  const detailed = failed
    .slice(0, mostTails)
    .flatMap((task) => ['', ...failedTaskLines(task, { p, s, runDir, cwd, tail: tail(task.id) })]);
  const brief = failed.slice(mostTails, mostFailed).map((task) => {
    const what = task.failure ? failureWords(task.failure).what : 'failed';
    return `${p.red(`${s.failed} ${task.id}`)}  ${what}${triesText(task, p)}`;
  });
  const rest = failed.length - mostFailed;
  const more = rest > 0 ? [`${s.more} and ${plural(rest, 'more failed task')} (autoresearch status shows all)`] : [];
  return [...detailed, ...(brief.length > 0 ? ['', ...brief] : []), ...more];
}

/** What the tasks at the end of the plan produced, because that is what the study was run for. */
function resultLines({ plan, state, runDir, cwd }: SummaryInput, { p }: Style): string[] {
  const needed = new Set(plan.tasks.flatMap(({ needs }) => needs));
  const results = plan.tasks
    .filter(({ id }) => !needed.has(id) && hasResult(state.tasks.get(id)))
    .flatMap(({ id, outputs }) => {
      const written = state.tasks.get(id)?.outputs?.map(({ path }) => path) ?? [];
      return written.length > 0 ? written : outputs;
    });
  const shown = results.slice(0, mostResults);
  const more = results.length - shown.length;
  const lines = [...shown, ...(more > 0 ? [`and ${more} more`] : [])];
  return [
    ...lines.map((line, index) => `  ${p.dim(index === 0 ? 'results' : '       ')}  ${line}`),
    `  ${p.dim('run    ')}  ${shownPath(runDir, cwd)}`,
  ];
}

const mostResults = 8;

const hasResult = (task: TaskState | undefined): boolean => task?.status === 'passed' || task?.status === 'cached';

function nextLines({ state, again = '' }: SummaryInput, failed: readonly TaskState[], { p }: Style): string[] {
  const commands: [command: string, words: string][] = [];
  if (failed[0]) commands.push([`autoresearch logs ${shellWord(failed[0].id)}${again}`, 'its whole output']);
  if (state.outcome === 'failed') commands.push([`autoresearch exec${again}`, 'try again; what passed is kept']);
  if (state.outcome === 'cancelled') commands.push([`autoresearch exec${again}`, 'go on; what passed is kept']);
  if (commands.length === 0) return [];
  const width = Math.max(...commands.map(([command]) => command.length));
  return [
    '',
    p.bold('Next:'),
    ...commands.map(([command, words]) => `  ${p.cyan(command.padEnd(width))}  ${p.dim(words)}`),
  ];
}
