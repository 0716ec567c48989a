import { randomBytes } from 'node:crypto';
import { rmSync, writeFileSync } from 'node:fs';
import { FailureError } from '../../model/failure.js';
import { holderWords } from '../../model/lock-holder.js';
import type { Clock } from '../../model/ports.js';
import { diskError } from '../disk/disk-error.js';
import { knownProcess } from '../process/known-process.js';
import { claim, diskTime, type Holder, type LockReading, readLock, recordOf, standingOf } from './lock-file.js';

/**
 * One process at a time, for a moment. Not for what takes long: who waits looks again every few milliseconds, and after ten
 * seconds it is a failure. What a dead process left behind is taken over. `state-lock` is for whole runs.
 */
export async function takeMutex(file: string, clock: Clock): Promise<() => void> {
  const token = randomBytes(8).toString('hex');
  const me: Holder = { ...knownProcess(process.pid), since: new Date(clock.now()).toISOString(), token };
  const own = `${file}.${token}`;
  try {
    writeFileSync(own, recordOf(me));
    for (let tries = 0; ; tries += 1) {
      const claimed = claim(file, own, (lock) => isDead(lock, file));
      if (claimed.kind === 'taken') return () => release(file, token);
      if (tries >= mostTries) throw new FailureError({ code: 'locked', file, holder: holderWords(claimed.by.holder) });
      await new Promise<void>((resolve) => void clock.after(pauseMs, resolve));
    }
  } catch (error) {
    throw diskError(error, file);
  } finally {
    rmSync(own, { force: true });
  }
}

const pauseMs = 5;
const mostTries = 2000;

/** Nobody has to be asked before what cannot be read is taken over: whoever wrote it would be done by then. */
const isDead = (lock: LockReading, file: string): boolean =>
  standingOf({ ...lock, blank: lock.holder === undefined }, () => diskTime(file)) === 'dead';

function release(file: string, token: string): void {
  if (readLock(file)?.holder?.token === token) rmSync(file, { force: true });
}
