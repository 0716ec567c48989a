import { closeSync, fstatSync, openSync, readSync, statSync } from 'node:fs';
import type { Failure } from '../../model/failure.js';
import { diskError } from '../disk/disk-error.js';
import type { PreparedCommand } from './prepare-command.js';

/** Looks for the reason after a command could not be started: its folder, its logs, or whatever the system said. */
export function whyNotStarted(command: PreparedCommand, said: string): Failure {
  return folderFault(command.cwd) ?? logFault(command.stdoutFile) ?? logFault(command.stderrFile) ?? notStarted(said);
}

export const notStarted = (detail: string): Failure => ({ code: 'command-not-started', detail });

/**
 * Bash answers 126 or 127 when the system refuses to execute a file, and so do programs of their own accord. The
 * difference is what bash then writes to the log: `environment: line 8: <program>: <reason>`.
 */
export function refusalIn(stderrFile: string, program: string): string | undefined {
  const lines = lastBytes(stderrFile, 2048).trimEnd().split('\n');
  for (const line of lines.slice(-2)) {
    const from = line.indexOf(`: ${program}: `);
    if (from >= 0 && /^\w+: line \d+(?:: exec)?$/.test(line.slice(0, from))) return line.slice(from + 2);
  }
  return undefined;
}

function folderFault(cwd: string): Failure | undefined {
  try {
    const stat = statSync(cwd, { throwIfNoEntry: false });
    if (stat === undefined) return notStarted(`the folder ${cwd} does not exist`);
    return stat.isDirectory() ? undefined : notStarted(`${cwd} is not a folder`);
  } catch (error) {
    return notStarted(`the folder ${cwd} cannot be entered: ${(error as Error).message}`);
  }
}

function logFault(file: string): Failure | undefined {
  try {
    closeSync(openSync(file, 'a'));
    return undefined;
  } catch (error) {
    return diskError(error, file).failure;
  }
}

function lastBytes(file: string, count: number): string {
  let fd: number | undefined;
  try {
    fd = openSync(file, 'r');
    const buffer = Buffer.alloc(count);
    const read = readSync(fd, buffer, 0, count, Math.max(0, fstatSync(fd).size - count));
    return buffer.toString('utf8', 0, read);
  } catch {
    return '';
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}
