import { closeSync, constants, fstatSync, mkdirSync, openSync, writeSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { errorLog } from '../../model/files/error-log-path.js';
import { redact } from '../../model/secrets/redact.js';
import type { LoggedError } from '../../run/attempt/attempt-ports.js';
import { tellingLines } from '../../run/errors/error-lines.js';
import { readable } from '../../run/errors/said-lines.js';

export interface ErrorRecord extends LoggedError {
  readonly run: string;
  /** Milliseconds since 1970. */
  readonly at: number;
}

const mostLines = 10;

/**
 * Adds a failed attempt to the log of errors. One write at the end of the file, because several runners may write. What
 * cannot be logged is no reason to fail: the answer then says why, and is undefined otherwise.
 */
export function appendError(root: string, error: ErrorRecord, hide = redact): string | undefined {
  const file = join(root, errorLog);
  try {
    mkdirSync(dirname(file), { recursive: true });
    append(file, recordText(root, error, hide));
    return undefined;
  } catch (problem) {
    return `errors cannot be written to ${errorLog}: ${(problem as Error).message}`;
  }
}

/** A command may have put anything in this place: it is neither followed elsewhere nor waited for. */
function append(file: string, text: string): void {
  const { O_WRONLY, O_APPEND, O_CREAT, O_NOFOLLOW, O_NONBLOCK } = constants;
  const handle = openSync(file, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK, 0o644);
  try {
    if (!fstatSync(handle).isFile()) throw new Error('it is not a file');
    const bytes = Buffer.from(text);
    if (writeSync(handle, bytes) < bytes.length) throw new Error('the disk took only a part of it');
  } finally {
    closeSync(handle);
  }
}

/** A head that can be searched for, then indented what was said, so that no output can pass for a head. */
function recordText(root: string, error: ErrorRecord, hide: (text: string) => string): string {
  const { at, run, task, attempt, errorClass, what, lines, next, dir } = error;
  const oneLine = (text: string): string => hide(text.replace(/[\p{Cc}\p{Cs}\s]+/gu, ' ').trim());
  const head = [new Date(at).toISOString(), run, task, `attempt ${attempt}`, errorClass, what].map(oneLine).join('  ');
  return [
    head,
    ...tellingLines(readable(lines), mostLines).map((line) => `    ${hide(line)}`),
    ...(next === '' ? [] : [`  next: ${oneLine(next)}`]),
    ...(dir === '' ? [] : [`  logs: ${oneLine(relative(root, dir))}`]),
    '',
    '',
  ].join('\n');
}
