import { formatDuration } from '../../model/duration.js';
import type { Plan, TaskId } from '../../model/plan.js';
import type { RunState, TaskState } from '../../model/state/run-state.js';
import { ceilingText, spentOnLines } from '../failures/ceiling-text.js';
import { openQuestions, waitingLines } from '../gates/gate-lines.js';
import { tellsNothing } from '../live/failed-task-text.js';
import { foundWords } from '../live/found-text.js';
import { overspentText } from '../live/overspent-text.js';
import { type Paint, paint } from '../words/paint.js';
import { plural, shellWord } from '../words/phrase.js';
import { plainLine } from '../words/plain-line.js';
import { type Symbols, symbols } from '../words/symbols.js';
import { failedLines } from './failed-lines.js';
import { outcomeSign, outcomeWords } from './outcome-text.js';
import { resultLines, resultsOf } from './result-lines.js';
import { runCounts, standingsOf } from './run-counts.js';
import { skippedLines } from './skipped-text.js';

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
    ...(state.outcome === 'passed' ? resultLines(resultsOf(input), input, style) : []),
    ...warningLines(state, style),
    ...foundLines(state, style),
    ...failedLines(failed, input, style),
    ...skippedLines(state, plan, style),
    ...waitingLines(state, { ...style, ...(input.again === undefined ? {} : { again: input.again }) }),
    ...budgetLines(state, style),
    ...nextLines(input, failed, style),
  ];
  return `${lines.join('\n')}\n`;
}

interface Style {
  readonly p: Paint;
  readonly s: Symbols;
}

function headLine({ plan, state, durationMs }: SummaryInput, { p, s }: Style): string {
  const time = durationMs ?? (state.finishedAt === undefined ? undefined : state.workedMs);
  const words = `${plan.name} ${outcomeWords(state.outcome, state.signal)}`;
  const isDone = state.outcome === 'passed' || state.outcome === 'failed';
  const took = time === undefined ? '' : ` ${isDone ? 'in' : 'after'} ${formatDuration(time)}`;
  return `${outcomeSign(state.outcome, { p, s })} ${p.bold(words)}${took}: ${runCounts(state, plan).text}`;
}

/** What tasks passed with, and somebody has to know. */
function warningLines({ tasks, overspent = [] }: RunState, { p, s }: Style): string[] {
  const told = [
    ...overspent.map((call) => `${call.task}  ${plainLine(overspentText(call))}`),
    ...[...tasks.values()].flatMap(({ id, warnings = [] }) => warnings.map((one) => `${id}  ${plainLine(one)}`)),
  ];
  const more = told.length - mostWarnings;
  return [
    ...told.slice(0, mostWarnings).map((line) => `  ${p.yellow(`${s.warning} ${line}`)}`),
    ...(more > 0 ? [`  ${s.more} and ${plural(more, 'more warning')} (all are in logs/errors.log)`] : []),
  ];
}

const mostWarnings = 10;

/** What no task has failed of, and the run cannot pass with. */
const foundLines = ({ found = [] }: RunState, { p, s }: Style): string[] =>
  found.flatMap((one) => {
    const { what, next } = foundWords(one);
    return ['', `${p.red(s.failed)} ${what}`, `  ${p.dim(s.next)} ${next}`];
  });

function budgetLines({ budgetSpent, outcome, spentOn }: RunState, { p }: Style): string[] {
  if (!budgetSpent || outcome !== 'over-budget') return [];
  return ['', `  ${p.red(ceilingText(budgetSpent))}`, ...spentOnLines([...spentOn.values()])];
}

const redoing = ({ id, gate }: TaskState, stage: string, again: string): [command: string, words: string][] => [
  ...(gate?.opened?.noRevise === undefined
    ? [
        [`autoresearch revise ${shellWord(id)} --feedback 'TEXT'${again}`, 'send it back with words'] as [
          string,
          string,
        ],
      ]
    : []),
  [`autoresearch exec --force ${shellWord(stage)}${again}`, 'redo it'],
];

function nextLines({ state, plan, again = '' }: SummaryInput, failed: readonly TaskState[], { p }: Style): string[] {
  const commands: [command: string, words: string][] = [];
  const told = failed.find((task) => !tellsNothing(task));
  if (told) commands.push([`autoresearch logs ${shellWord(told.id)}${again}`, 'its whole output']);
  const rejected = failed.filter(({ failure }) => failure?.code === 'gate-rejected' && !failure.failed);
  // The same question has the same answer: only another result helps.
  if (rejected[0] && rejected.length === failed.length) {
    const [task] = rejected as [TaskState];
    commands.push(...redoing(task, plan.tasks.find(({ id }) => id === task.id)?.stage ?? task.id, again));
  } else if (state.outcome === 'failed') commands.push([`autoresearch exec${again}`, 'try again; what passed is kept']);
  if (state.outcome === 'waiting') {
    const isAsked = openQuestions(state).length > 0;
    const words = isAsked ? 'go on, once you have answered' : 'when you have mended the cause; what passed is kept';
    commands.push([`autoresearch exec${again}`, words]);
  }
  if (state.outcome === 'over-budget') {
    const nextDay = state.budgetSpent?.ceiling === 'budget.usdPerDay' ? ', or after 00:00 UTC' : '';
    commands.push([`autoresearch cost${again}`, 'what was spent on what']);
    commands.push([`autoresearch exec${again}`, `go on, once the ceiling is raised${nextDay}; what passed is kept`]);
  }
  if (state.outcome === 'cancelled') commands.push([`autoresearch exec${again}`, 'go on; what passed is kept']);
  if (commands.length === 0) return [];
  const width = Math.max(...commands.map(([command]) => command.length));
  return [
    '',
    p.bold('Next:'),
    ...commands.map(([command, words]) => `  ${p.cyan(command.padEnd(width))}  ${p.dim(words)}`),
  ];
}
