import { formatDuration } from '../model/duration.js';
import type { WorkspaceRecorded } from '../model/event.js';
import type { Plan } from '../model/plan.js';
import type { RunState } from '../model/run-state.js';
import { failureWords } from './failure-text.js';
import { outcomeSign, outcomeWords } from './outcome-text.js';
import { type Paint, paint } from './paint.js';
import { plural, shellWord, shownPath } from './phrase.js';
import { runCounts, type Standing, standingsOf, standingWords, type TaskStanding } from './run-counts.js';
import { skippedLines } from './skipped-text.js';
import { type Symbols, symbols } from './symbols.js';
import { displayWidth, padEnd } from './text-width.js';
import { timeAgo } from './time-ago.js';

export interface StatusInput {
  readonly state: RunState;
  readonly plan?: Plan;
  readonly runDir: string;
  readonly cwd: string;
  readonly now: number;
  readonly color: boolean;
  readonly unicode?: boolean;
}

/** How a run stands: counts, then what failed, runs and waits. Kinds with many tasks are cut, with their number. */
export function statusText(input: StatusInput): string {
  const { state, plan, now } = input;
  const style = { p: paint(input.color), s: symbols(input.unicode ?? true) };
  const { p, s } = style;
  const counts = runCounts(state, plan);
  const since = `started ${timeAgo(state.startedAt, now)}`;
  const took =
    state.finishedAt === undefined ? since : `${since}, took ${formatDuration(state.finishedAt - state.startedAt)}`;
  const time = state.outcome === 'running' ? `for ${formatDuration(Math.max(0, now - state.startedAt))}` : took;
  const words = `${state.name} ${outcomeWords(state.outcome, state.signal)}`;
  const lines = [
    `${outcomeSign(state.outcome, style)} ${p.bold(words)} ${s.dot} run ${state.run}, ${time}`,
    `  ${plural(counts.total, 'task')}: ${counts.text === '' ? 'none' : counts.text}`,
    `  ${p.dim(shownPath(input.runDir, input.cwd))}`,
    ...(state.workspace ? [`  ${p.dim(workspaceText(state.workspace))}`] : []),
    ...shownStandings.flatMap((standing) => standingLines(standing, input, style)),
    ...skippedLines(state, plan, style),
    ...nextLines(input, p),
  ];
  return `${lines.join('\n')}\n`;
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

/** What a person wants to see one by one; the others are numbers above. */
const shownStandings: readonly Standing[] = ['failed', 'running', 'retrying', 'cancelled'];
const mostTasks = 20;

function standingLines(standing: Standing, { state, plan, now }: StatusInput, { p, s }: Style): string[] {
  const tasks = standingsOf(state, plan).filter((task) => task.standing === standing);
  const shown = tasks.slice(0, mostTasks);
  const width = Math.max(0, ...shown.map(({ id }) => displayWidth(id)));
  const more = tasks.length - shown.length;
  const lines = shown.map((task) =>
    `  ${signOf(standing, { p, s })} ${padEnd(task.id, width)}  ${p.dim(detailOf(task, now))}`.trimEnd(),
  );
  return lines.length === 0
    ? []
    : ['', ...lines, ...(more > 0 ? [`  ${s.more} ${more} more ${standingWords[standing]}`] : [])];
}

function detailOf({ standing, task }: TaskStanding, now: number): string {
  const failure = task?.failure ? failureWords(task.failure).what : '';
  const attempt = task && task.attempts > 1 ? `attempt ${task.attempts}` : '';
  const time =
    standing === 'running' && task?.startedAt !== undefined ? formatDuration(Math.max(0, now - task.startedAt)) : '';
  return [failure, time, attempt].filter((part) => part !== '').join(', ');
}

function signOf(standing: Standing, { p, s }: Style): string {
  if (standing === 'failed') return p.red(s.failed);
  if (standing === 'running') return p.cyan(s.run);
  return standing === 'retrying' ? p.yellow(s.retrying) : p.yellow(s.skipped);
}

function nextLines({ state, plan }: StatusInput, p: Paint): string[] {
  const failed = standingsOf(state, plan).find(({ standing }) => standing === 'failed');
  const commands = [
    ...(failed ? [`autoresearch logs ${shellWord(failed.id)}`] : []),
    ...(state.outcome === 'failed' || state.outcome === 'cancelled' ? ['autoresearch exec'] : []),
    ...(state.outcome === 'running' ? ['autoresearch logs --follow'] : []),
  ];
  return commands.length === 0
    ? []
    : ['', `${p.bold('Next:')} ${commands.map((command) => p.cyan(command)).join('   or   ')}`];
}
