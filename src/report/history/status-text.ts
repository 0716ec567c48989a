import { formatDuration } from '../../model/duration.js';
import type { WorkspaceRecorded } from '../../model/events/event.js';
import { heldUpWords } from '../../model/held-up.js';
import type { Plan, Reason, StaleTask } from '../../model/plan.js';
import type { JobState } from '../../model/state/job-state.js';
import type { RunState } from '../../model/state/run-state.js';
import { failureWords } from '../failures/failure-text.js';
import { isAnswered, waitingLines } from '../gates/gate-lines.js';
import { iterationWords } from '../iterations/iteration-words.js';
import { toldOutcome } from '../iterations/loop-outcome.js';
import { type LoopStanding, type LoopUnknown, loopStandingLines } from '../iterations/loop-standing.js';
import { replanText } from '../live/fix-text.js';
import { nextTryText } from '../live/next-try-text.js';
import { overspentText } from '../live/overspent-text.js';
import { publishedLines } from '../live/published-text.js';
import { replacedText } from '../live/session-text.js';
import { type Paint, paint } from '../words/paint.js';
import { plural, shownPath } from '../words/phrase.js';
import { plainLine } from '../words/plain-line.js';
import { reasonText } from '../words/reason-text.js';
import { setOptions } from '../words/set-options.js';
import { type Symbols, symbols } from '../words/symbols.js';
import { displayWidth, padEnd } from '../words/text-width.js';
import { timeAgo } from '../words/time-ago.js';
import { keptJobsLines } from './job-text.js';
import { nextCommands } from './next-commands.js';
import { outcomeSign, outcomeWords } from './outcome-text.js';
import { runCounts, type Standing, standingsOf, standingWords, type TaskStanding } from './run-counts.js';
import { skippedLines } from './skipped-text.js';

export interface StatusInput {
  readonly state: RunState;
  readonly plan?: Plan;
  readonly runDir: string;
  readonly cwd: string;
  readonly now: number;
  readonly color: boolean;
  readonly unicode?: boolean;
  /** Options that the next command needs too, with a space before them. */
  readonly again?: string;
  /** Those of them that only say which study it is. */
  readonly place?: string;
  /** Terminal programs that agents keep open. */
  readonly sessions?: readonly { readonly name: string; readonly attach: string; readonly ended: boolean }[];
  /** Finished tasks that `exec` would do again now; absent when that is not known. */
  readonly stale?: readonly StaleTask[];
  /** Of a run that is an iteration. */
  readonly loop?: LoopStanding | LoopUnknown;
  /** Every task, with why it ran. */
  readonly verbose?: boolean;
}

/** How a run stands: counts, then what failed, runs and waits. Kinds with many tasks are cut, with their number. */
export function statusText(input: StatusInput): string {
  const { state, plan, now } = input;
  const outcome = toldOutcome(state, input.loop);
  const style = { p: paint(input.color), s: symbols(input.unicode ?? true) };
  const { p, s } = style;
  const counts = runCounts(state, plan);
  const since = `started ${timeAgo(state.startedAt, now)}`;
  const took = state.finishedAt === undefined ? since : `${since}, took ${formatDuration(state.workedMs)}`;
  // At work, as the time is told when it has ended; the pauses between its goes are not.
  const workedMs = state.workedMs + Math.max(0, now - state.latestAt);
  const time = state.outcome === 'running' ? `for ${formatDuration(workedMs)}` : took;
  const words = `${state.name} ${isAnswered(state) ? 'was answered, and can go on' : outcomeWords(outcome, state.signal)}`;
  const which = state.iteration ? `${iterationWords(state.iteration)}, ` : '';
  const lines = [
    `${outcomeSign(outcome, style)} ${p.bold(words)} ${s.dot} ${which}run ${state.run}, ${time}`,
    `  ${plural(counts.total, 'task')}: ${counts.text === '' ? 'none' : counts.text}`,
    ...(input.loop ? loopStandingLines(input.loop) : []).map((line) => `  ${plainLine(line)}`),
    `  ${p.dim(shownPath(input.runDir, input.cwd))}`,
    ...(state.workspace ? [`  ${p.dim(workspaceText(state.workspace))}`] : []),
    ...(state.set ? [`  ${p.dim(`with${setOptions(state.set)}`)}`] : []),
    ...keptLines(input),
    ...(input.verbose ? everyTask(input, style) : shownStandings.flatMap((one) => standingLines(one, input, style))),
    ...(state.planChanges ?? []).map((change) => `  ${p.yellow(s.retrying)} ${replanText(change)}`),
    ...staleLines(input, style),
    ...skippedLines(state, plan, style),
    ...publishedLines(state),
    ...(state.overspent ?? []).map(
      (call) => `  ${p.yellow(s.warning)} ${call.task}  ${plainLine(overspentText(call))}`,
    ),
    ...waitingLines(state, { p, s, ...(input.again === undefined ? {} : { again: input.again }) }),
    ...sessionLines(input, p),
    ...replacedLines(state, p),
    ...nextLines(input, p),
  ];
  return `${lines.join('\n')}\n`;
}

/** What goes on although the run does not. */
const keptLines = ({ state, again, place }: StatusInput): string[] =>
  state.outcome === 'running'
    ? []
    : keptJobsLines(state.jobs.values(), {
        ...(again === undefined ? {} : { again }),
        ...(place === undefined ? {} : { place }),
      }).map((line) => `  ${line}`);

/** What keeps the job of a task that is at work from its scheduler. */
function heldUpOf(id: string, state: RunState): string {
  const { heldUp } = openJobOf(id, state) ?? {};
  return heldUp ? plainLine(heldUpWords(heldUp)) : '';
}

/** A stop ends the runner and not the job. */
function goesOnOf(id: string, state: RunState): string {
  const job = openJobOf(id, state);
  return job?.id === undefined ? '' : `its job ${job.id} on ${job.cluster} goes on`;
}

const openJobOf = (id: string, { jobs }: RunState): JobState | undefined =>
  [...jobs.values()].findLast(({ task, end }) => task === id && end === undefined);

function sessionLines({ sessions = [] }: StatusInput, p: Paint): string[] {
  if (sessions.length === 0) return [];
  return [
    p.bold('Open sessions'),
    ...sessions.map(({ name, attach, ended }) => `  ${name}${ended ? ' (has ended)' : ''}  ${p.cyan(attach)}`),
  ];
}

function replacedLines({ memory }: RunState, p: Paint): string[] {
  if (!memory || memory.replaced.length === 0) return [];
  return [p.bold('Sessions begun anew'), ...memory.replaced.map((one) => `  ${one.task}: ${replacedText(one)}`)];
}

/** What the results were made from: `from commit 1a2b3c4d5e on main and 2 changed files`. */
function workspaceText({ commit, branch, changedFiles = 0, problem }: WorkspaceRecorded): string {
  if (problem !== undefined) return `commit not known: ${problem}`;
  const where = branch === undefined ? '' : ` on ${branch}`;
  const changed = changedFiles === 0 ? '' : ` and ${plural(changedFiles, 'changed file')}`;
  return commit === undefined
    ? `from files without a commit${where}`
    : `from commit ${commit.slice(0, 10)}${where}${changed}`;
}

interface Style {
  readonly p: Paint;
  readonly s: Symbols;
}

interface DetailInput {
  readonly state: RunState;
  readonly plan: Plan | undefined;
  readonly now: number;
}

/** What a person wants to see one by one; the others are numbers above. */
const shownStandings: readonly Standing[] = ['failed', 'running', 'retrying', 'cancelled'];
const mostTasks = 20;

function standingLines(standing: Standing, { state, plan, now }: StatusInput, { p, s }: Style): string[] {
  const tasks = standingsOf(state, plan).filter((task) => task.standing === standing);
  const shown = tasks.slice(0, mostTasks);
  const width = Math.max(0, ...shown.map(({ id }) => displayWidth(id)));
  const more = tasks.length - shown.length;
  const lines = shown.map((task) =>
    `  ${signOf(standing, { p, s })} ${padEnd(task.id, width)}  ${p.dim(detailOf(task, { state, plan, now }))}`.trimEnd(),
  );
  return lines.length === 0
    ? []
    : ['', ...lines, ...(more > 0 ? [`  ${s.more} ${more} more ${standingWords[standing]}`] : [])];
}

function everyTask({ state, plan, now }: StatusInput, style: Style): string[] {
  const { p } = style;
  const lines = standingsOf(state, plan).flatMap((one) => {
    const detail = detailOf(one, { state, plan, now });
    const words = `${standingWords[one.standing]}${detail === '' ? '' : `, ${detail}`}`;
    return [`  ${signOf(one.standing, style)} ${one.id}  ${p.dim(words)}`, ...reasonLines(one.task?.reasons ?? [], p)];
  });
  return lines.length === 0 ? [] : ['', ...lines];
}

const reasonLines = (reasons: readonly Reason[], p: Paint): string[] =>
  reasons.map((reason) => p.dim(`      ${reasonText(reason)}`));

/** What has changed since: a result that no longer holds is not to be taken for one that does. */
function staleLines({ stale = [], verbose }: StatusInput, { p, s }: Style): string[] {
  if (stale.length === 0) return [];
  const shown = verbose ? stale : stale.slice(0, mostTasks);
  const more = stale.length - shown.length;
  return [
    '',
    `${p.yellow(s.run)} ${p.bold(`${plural(stale.length, 'result')} no longer ${stale.length === 1 ? 'holds' : 'hold'}:`)}`,
    ...shown.flatMap(({ id, reasons }) => [`  ${id}`, ...reasonLines(reasons, p)]),
    ...(more > 0 ? [`  ${s.more} ${more} more`] : []),
  ];
}

function detailOf({ standing, id, task }: TaskStanding, { state, plan, now }: DetailInput): string {
  const failure = task?.failure ? failureWords(task.failure).what : '';
  if (task && standing === 'retrying') return [failure, nextTryText(task, plan, now)].join(', ');
  const attempt = task && task.attempts > 1 ? `attempt ${task.attempts}` : '';
  const time =
    standing === 'running' && task?.startedAt !== undefined ? formatDuration(Math.max(0, now - task.startedAt)) : '';
  const job = standing === 'running' ? heldUpOf(id, state) : standing === 'cancelled' ? goesOnOf(id, state) : '';
  return [failure, time, attempt, job].filter((part) => part !== '').join(', ');
}

function signOf(standing: Standing, { p, s }: Style): string {
  if (standing === 'failed') return p.red(s.failed);
  if (standing === 'running') return p.cyan(s.run);
  if (standing === 'passed') return p.green(s.passed);
  if (standing === 'cached') return p.green(s.cached);
  return standing === 'retrying' ? p.yellow(s.retrying) : p.yellow(s.skipped);
}

function nextLines(input: StatusInput, p: Paint): string[] {
  const commands = nextCommands(input);
  return commands.length === 0
    ? []
    : ['', `${p.bold('Next:')} ${commands.map((command) => p.cyan(command)).join('   or   ')}`];
}
