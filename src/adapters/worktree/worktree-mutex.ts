import { readFileSync } from 'node:fs';
import { FailureError } from '../../model/failure.js';
import type { Clock } from '../../model/ports.js';
import { processIds } from '../command/sweeper.js';
import { GitProblem } from '../git/git-problem.js';
import { tetherName } from '../git/git-run.js';
import { takeMutex } from '../lock/file-mutex.js';

/**
 * One at a time over all processes, for what changes the repository: git's own locks cover a single command, and not even
 * all of those (`worktree add` eight times at once fails now and then). A killed runner's last git works on without it, so
 * that one is waited for too.
 */
export async function exclusively<Value>(file: string, clock: Clock, act: () => Promise<Value>): Promise<Value> {
  const release = await patientMutex(file, clock);
  try {
    await orphansGone(file, clock);
    return await act();
  } finally {
    release();
  }
}

/** The mutex gives up after ten seconds, but eight checkouts of a large repository in a row may take minutes. */
async function patientMutex(file: string, clock: Clock): Promise<() => void> {
  const until = clock.now() + longestWaitMs;
  for (;;) {
    try {
      return await takeMutex(file, clock);
    } catch (error) {
      const isHeld = error instanceof FailureError && error.failure.code === 'locked';
      if (!isHeld || clock.now() > until) throw error;
    }
  }
}

async function orphansGone(tether: string, clock: Clock): Promise<void> {
  const until = clock.now() + longestWaitMs;
  for (let left = tethered(tether); left.length > 0; left = tethered(tether)) {
    if (clock.now() > until) throw stillThere(left);
    await new Promise<void>((resolve) => void clock.after(20, resolve));
  }
}

const longestWaitMs = 10 * 60_000;

/** Where there is no /proc nothing is found, and git's own locks have to do. */
function tethered(tether: string): number[] {
  const mark = `\0${tetherName}=${tether}\0`;
  return processIds().filter((pid) => {
    try {
      return `\0${readFileSync(`/proc/${pid}/environ`, 'utf8')}`.includes(mark);
    } catch {
      return false;
    }
  });
}

const stillThere = (pids: readonly number[]): GitProblem =>
  new GitProblem({
    reason: 'locked',
    what: `git of a runner that is gone still works on the repository (process ${pids.join(', ')})`,
    fix: 'Wait for it or end it, then go on',
  });
