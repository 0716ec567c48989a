import { appendFileSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Task } from '../model/plan.js';
import type { AttemptFolder } from '../model/ports.js';
import { diskError } from './disk-error.js';

export const attemptDir = (runDir: string, task: string, attempt: number): string =>
  join(runDir, 'tasks', task, String(attempt));

export const attemptLogs = (dir: string): { stdoutFile: string; stderrFile: string } => ({
  stdoutFile: join(dir, 'stdout.log'),
  stderrFile: join(dir, 'stderr.log'),
});

export function openAttemptFolder(runDir: string, task: Task, attempt: number): AttemptFolder {
  const dir = attemptDir(runDir, task.id, attempt);
  try {
    makeFolder(dir);
  } catch (error) {
    throw diskError(error, dir);
  }
  const files = attemptLogs(dir);
  return { ...files, log: (line) => appendFileSync(files.stdoutFile, `${line}\n`) };
}

/** Two plain calls are a third of the price of a recursive one; only the first task of a run has to make more. */
function makeFolder(dir: string): void {
  try {
    mkdirSync(dirname(dir));
    mkdirSync(dir);
  } catch {
    mkdirSync(dir, { recursive: true });
  }
}
