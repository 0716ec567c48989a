import type { Plan, TaskId } from '../../model/plan.js';
import type { TaskState } from '../../model/state/run-state.js';
import { failureWords } from '../failures/failure-text.js';
import { failedTaskLines, logDir, tellsNothing, triesText } from '../live/failed-task-text.js';
import { grouped } from '../words/grouped.js';
import { type Paint, paint } from '../words/paint.js';
import { listed, plural, shownPath } from '../words/phrase.js';
import type { Symbols } from '../words/symbols.js';
import { displayWidth } from '../words/text-width.js';

/** Logs of the first few, a line each for more, a number for the rest: a hundred failures have rarely a hundred causes. */
const mostTails = 5;
const mostFailed = 25;
/** Columns of a brief line; a log that does not fit is left out. */
const mostBrief = 120;
/** Tasks that failed alike, by name. */
const mostAlike = 12;

interface Style {
  readonly p: Paint;
  readonly s: Symbols;
}

interface FailedIn {
  readonly plan: Plan;
  /** Absolute. */
  readonly runDir: string;
  readonly cwd: string;
  /** The last lines of a task's logs. */
  tail(task: TaskId): readonly string[];
}

/** Every failure once: tasks of a stage that failed with the same words, from the same kind of error, share them. */
export function failedLines(
  failed: readonly TaskState[],
  { plan, runDir, cwd, tail }: FailedIn,
  { p, s }: Style,
): string[] {
  const groups = alike(failed, plan).map((tasks) => ({ ...tasks, name: nameOf(tasks, s) }));
  const detailed = groups.slice(0, mostTails).flatMap(({ first, all, name }) => {
    const lines = failedTaskLines(first, { p, s, runDir, cwd, tail: tail(first.id), name });
    return ['', ...lines, ...(all.length > 1 ? [alikeLine(all, first, p)] : [])];
  });
  const brief = groups.slice(mostTails, mostFailed).map(({ first, name }) => {
    const what = first.failure ? failureWords(first.failure).what : 'failed';
    const line = `${p.red(`${s.failed} ${name}`)}  ${what}${triesText(first, p)}`;
    const log = shownPath(logDir(runDir, first), cwd);
    const width = displayWidth(`${s.failed} ${name}  ${what}${triesText(first, paint(false))}  ${log}`);
    return width > mostBrief ? line : `${line}  ${p.dim(log)}`;
  });
  const rest = groups.slice(mostFailed).reduce((sum, { all }) => sum + all.length, 0);
  const more =
    rest > 0 ? [`${s.more} and ${plural(rest, 'more failed task')} (autoresearch status --json has all)`] : [];
  return [...detailed, ...(brief.length > 0 ? ['', ...brief] : []), ...more];
}

interface Alike {
  readonly stage: string;
  readonly first: TaskState;
  readonly all: readonly TaskState[];
}

/** The class has a digest of the line that decided: the same exit code after another error is another failure. */
function alike(failed: readonly TaskState[], plan: Plan): readonly Alike[] {
  const stages = new Map(plan.tasks.map(({ id, stage }) => [id, stage]));
  const key = (task: TaskState): string =>
    JSON.stringify([
      stages.get(task.id) ?? task.id,
      task.failure ? failureWords(task.failure) : null,
      task.errorClass,
      task.failures,
      task.attempts,
      task.escalatedFor,
    ]);
  return [...grouped(failed, key).values()].map((all) => ({
    stage: stages.get(all[0]!.id) ?? all[0]!.id,
    first: all[0]!,
    all,
  }));
}

const nameOf = ({ stage, first, all }: Alike, s: Symbols): string =>
  all.length === 1 ? first.id : `${stage} ${s.times}${all.length}`;

function alikeLine(all: readonly TaskState[], first: TaskState, p: Paint): string {
  const ids = listed(
    all.map(({ id }) => id),
    mostAlike,
  );
  return `  ${p.dim('tasks:')} ${ids}${tellsNothing(first) ? '' : p.dim(' (the log is of the first)')}`;
}
