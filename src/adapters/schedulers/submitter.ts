import { mkdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { JobOrder } from '../../model/scheduler.js';
import { writePlain } from '../disk/plain-file.js';
import { isAlive, isKnownProcess, isNear, knownProcess } from '../process/known-process.js';
import { readText } from './job-files.js';

/** The folder of a submission: that of the job, or one beside those of an array's jobs. */
export function submissionDir({ dir, batch }: JobOrder): string {
  if (!batch) return dir;
  const own = join(dirname(dir), batch.tag);
  mkdirSync(own, { recursive: true });
  return own;
}

/** Notes the program that submits: it outlives a runner that is killed, and may come through to the scheduler later. */
export const noteSubmitter = (dir: string, pid: number): void =>
  writePlain(join(dir, 'submitter'), JSON.stringify(knownProcess(pid)));

/** Ends it, if it still is at it. */
export async function endSubmitter(dir: string): Promise<void> {
  const file = join(dir, 'submitter');
  const found = parsed(readText(file));
  if (found === undefined) return;
  for (let tries = 0; isNear(found) && isAlive(found) && tries < 500; tries += 1) {
    try {
      process.kill(-found.pid, 'SIGKILL');
    } catch {
      // Gone meanwhile.
    }
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
  rmSync(file, { force: true });
}

function parsed(text: string | undefined) {
  try {
    const value: unknown = JSON.parse(text ?? '');
    return isKnownProcess(value) && value.started !== '' ? value : undefined;
  } catch {
    return undefined;
  }
}
