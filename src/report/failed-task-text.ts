import type { TaskState } from '../model/run-state.js';
import { failureWords } from './failure-text.js';
import type { Paint } from './paint.js';
import { plainLine } from './plain-line.js';
import { shownPath } from './phrase.js';
import type { Symbols } from './symbols.js';
import { truncate } from './text-width.js';

export interface FailedTaskStyle {
  readonly p: Paint;
  readonly s: Symbols;
  /** The last lines of the task's logs. */
  readonly tail: readonly string[];
  /** Absolute path of the run's folder, and the folder to show paths from. */
  readonly runDir: string;
  readonly cwd: string;
}

/** A failed task in full: what happened, the end of its log, where the log is, and what to do. */
export function failedTaskLines(task: TaskState, { p, s, tail, runDir, cwd }: FailedTaskStyle): string[] {
  const { what, next } = task.failure ? failureWords(task.failure) : { what: 'failed', next: '' };
  const bar = p.dim(s.bar);
  const lines = tail
    .slice(-mostTail)
    .map((line) => `  ${bar} ${truncate(plainLine(line), mostWidth, s.more)}`.trimEnd());
  return [
    `${p.red(`${s.failed} ${task.id}`)}  ${what}${triesText(task, p)}`,
    ...(lines.length === 0 ? [`  ${bar} ${p.dim('(it wrote nothing)')}`] : lines),
    `  ${p.dim('log:')} ${shownPath(logDir(runDir, task), cwd)}`,
    ...(next === '' ? [] : [`  ${p.dim(s.next)} ${next}`]),
  ];
}

/** Where the attempt that failed left its logs, as the contract lays it down. */
const logDir = (runDir: string, { id, attempts }: TaskState): string => `${runDir}/tasks/${id}/${attempts}`;

export const triesText = ({ attempts }: TaskState, p: Paint): string =>
  attempts > 1 ? p.dim(` (attempt ${attempts})`) : '';

const mostTail = 15;
const mostWidth = 400;
