import { appendFileSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isKnownProcess, type KnownProcess, knownProcess } from '../process/known-process.js';

/**
 * Beside its logs, a command that takes long leaves word which process it is, a line each. Should the runner and its
 * helper both be killed, the next run finds by it even a command that cleared its environment.
 */
export const traceFile = (stdoutFile: string): string => join(dirname(stdoutFile), 'processes.jsonl');

export function leaveTrace(file: string, pid: number): void {
  const { started, ...known } = knownProcess(pid);
  // Without a start time a pid says nothing for long.
  if (started === '') return;
  try {
    appendFileSync(file, `${JSON.stringify({ ...known, started })}\n`);
  } catch {
    // The command itself goes on; a disk that is full or gone is noticed by what needs it more.
  }
}

/** What commands left in these folders; nothing where none took long. */
export function readTraces(folders: readonly string[]): readonly KnownProcess[] {
  return folders.flatMap((folder) => {
    try {
      return readFileSync(join(folder, 'processes.jsonl'), 'utf8').split('\n').flatMap(processIn);
    } catch {
      return [];
    }
  });
}

function processIn(line: string): KnownProcess[] {
  try {
    const value: unknown = JSON.parse(line);
    return isKnownProcess(value) ? [value] : [];
  } catch {
    // The end of the file, or a line that was cut off.
    return [];
  }
}
