import type { TaskState } from '../../model/state/run-state.js';
import { failureWords } from '../failures/failure-text.js';
import type { Paint } from '../words/paint.js';
import { shownPath } from '../words/phrase.js';
import { plainLine } from '../words/plain-line.js';
import type { Symbols } from '../words/symbols.js';
import { truncate } from '../words/text-width.js';

export interface FailedTaskStyle {
  readonly p: Paint;
  readonly s: Symbols;
  /** The last lines of the task's logs. */
  readonly tail: readonly string[];
  /** Absolute path of the run's folder, and the folder to show paths from. */
  readonly runDir: string;
  readonly cwd: string;
  /** For several that failed alike; the id of the task unless stated. */
  readonly name?: string;
}

/** A failed task in full: what happened, the end of its log, where the log is, and what to do. */
export function failedTaskLines(
  task: TaskState,
  { p, s, tail, runDir, cwd, name = task.id }: FailedTaskStyle,
): string[] {
  const { what, next } = task.failure ? failureWords(task.failure) : { what: 'failed', next: '' };
  const bar = p.dim(s.bar);
  const lines = tail
    .slice(-mostTail)
    .map((line) => `  ${bar} ${truncate(plainLine(line), mostWidth, s.more)}`.trimEnd());
  const written = lines.length === 0 ? [`  ${bar} ${p.dim('(it wrote nothing)')}`] : lines;
  return [
    `${p.red(`${s.failed} ${name}`)}  ${what}${triesText(task, p)}`,
    ...(tellsNothing(task) ? [] : [...written, `  ${p.dim('log:')} ${shownPath(logDir(runDir, task), cwd)}`]),
    ...classLines(task, p),
    ...(task.escalatedFor === undefined || task.escalatedFor === what
      ? []
      : [`  ${p.dim('asked because:')} ${truncate(plainLine(task.escalatedFor), mostWidth, s.more)}`]),
    ...(next === '' ? [] : [`  ${p.dim(s.next)} ${next}`]),
  ];
}

/** It had passed; what it wrote says nothing of who changed its result. */
export const tellsNothing = ({ failure }: Pick<TaskState, 'failure'>): boolean => failure?.code === 'result-changed';

/** Where the attempt that failed left its logs, as the contract lays it down. */
export const logDir = (runDir: string, { id, attempts }: TaskState): string => `${runDir}/tasks/${id}/${attempts}`;

export const triesText = (task: TaskState, p: Paint): string =>
  task.attempts > 1 && !tellsNothing(task) ? p.dim(` (attempt ${task.attempts})`) : '';

/** Which kinds of errors used up the tries, when there was more than one try. */
function classLines({ failures = {} }: TaskState, p: Paint): string[] {
  const kinds = Object.entries(failures);
  if (kinds.reduce((sum, [, count]) => sum + count, 0) < 2) return [];
  const words = kinds.map(([name, count]) => `${count} ${name}`).join(', ');
  return [`  ${p.dim('tries:')} ${words} (all of them are in logs/errors.log)`];
}

const mostTail = 15;
const mostWidth = 400;
