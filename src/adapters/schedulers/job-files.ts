import { closeSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ExitFile } from '../../model/scheduler.js';
import { openPlain } from '../disk/plain-file.js';

export function readExitFile(dir: string, tag: string): ExitFile {
  const text = readText(join(dir, 'exit'));
  if (text === undefined) return { kind: 'none' };
  const match = /^(\S+) (\S+) (\d{1,3})\n$/.exec(text);
  const exitCode = Number(match?.[3]);
  if (!match || match[1] !== tag || !(exitCode <= 255))
    return { kind: 'unreadable', detail: `the exit file says ${JSON.stringify(text.slice(0, 80))}` };
  return { kind: 'exited', exitCode, id: match[2]! };
}

/** How often the job began to run. */
export const startsOf = (dir: string): number =>
  (readText(join(dir, 'starts')) ?? '').split('\n').filter((line) => line !== '').length;

/** The id of the job that took the tag; undefined when none has begun. */
export const ownerOf = (dir: string): string | undefined => readText(join(dir, 'claim', 'owner'))?.trim();

/** Undefined when there is no such file; whatever a job may have put in its place is none. */
export function readText(file: string): string | undefined {
  const fd = openPlain(file);
  if (fd === undefined) return undefined;
  try {
    return readFileSync(fd, 'utf8');
  } catch {
    return undefined;
  } finally {
    closeSync(fd);
  }
}
