import { randomBytes } from 'node:crypto';
import { closeSync, openSync, unlinkSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { FailureError } from '../../model/failure.js';
import { holderWords, type LockHolder } from '../../model/lock-holder.js';
import type { Clock } from '../../model/ports.js';
import { diskError } from '../disk/disk-error.js';
import { makeFolders } from '../disk/make-folders.js';
import { knownProcess } from '../process/known-process.js';
import { HeldLock } from './held-lock.js';
import {
  chainFrom,
  claim,
  diskTime,
  type Holder,
  type LockReading,
  type LockStanding,
  recordOf,
  standingOf,
} from './lock-file.js';

export interface LockOptions {
  /** Its timers must not keep the process alive. */
  readonly clock: Clock;
  /** Called once when somebody else has the lock now, or has removed it: whoever held it must stop at once. */
  onLost?(): void;
  /** Called when another host asks the holder to stop; `now` means without waiting for what runs. */
  onCancel?(now: boolean): void;
}

/** Takes the state folder for one live run. A dead holder's lock is taken over; a live one's is `locked`. */
export function takeLock(stateDir: string, options: LockOptions): HeldLock {
  const file = lockFile(stateDir);
  try {
    makeFolders(stateDir);
    return take(file, options, (lock) => standingOf(lock, () => diskTime(file)) === 'dead');
  } catch (error) {
    throw diskError(error, file);
  }
}

export interface LockView {
  readonly standing: LockStanding;
  /** Absent when the file cannot be read. */
  readonly holder?: Holder;
}

/** Who holds the state folder; undefined when nobody does. May write a probe beside the lock of another host. */
export function lookAtLock(stateDir: string): LockView | undefined {
  const file = lockFile(stateDir);
  try {
    const lock = chainFrom(file).at(-1);
    return (
      lock && { standing: standingOf(lock, () => diskTime(file)), ...(lock.holder ? { holder: lock.holder } : {}) }
    );
  } catch (error) {
    throw diskError(error, file);
  }
}

/** Removes the lock of the holder that was seen, dead or not. A lock that another process has taken since stays. */
export function removeLock(stateDir: string, seen: LockView, clock: Clock): void {
  const file = lockFile(stateDir);
  try {
    take(file, { clock }, (lock) => lock.holder?.token === seen.holder?.token).release();
  } catch (error) {
    throw diskError(error, file);
  }
}

/**
 * The same without a probe. Changes nothing, so the disk's time is not known and a holder on another host is believed to
 * live for a minute longer, in case the clocks differ.
 */
export function seeLock(stateDir: string): LockView | undefined {
  const lock = chainFrom(lockFile(stateDir)).at(-1);
  const standing = lock && standingOf(lock, () => Date.now() - 60_000);
  return standing && { standing, ...(lock.holder ? { holder: lock.holder } : {}) };
}

/** True while a live process holds the state folder. Changes nothing. */
export function isLocked(stateDir: string): boolean {
  const lock = seeLock(stateDir);
  return lock !== undefined && lock.standing !== 'dead';
}

export const lockedBy = (holder: LockHolder | undefined, stateDir: string): FailureError =>
  new FailureError({ code: 'locked', file: lockFile(stateDir), holder: holderWords(holder) });

const lockFile = (stateDir: string): string => join(stateDir, 'lock');

function take(file: string, options: LockOptions, isDead: (lock: LockReading) => boolean): HeldLock {
  const me: Holder = {
    ...knownProcess(process.pid),
    since: new Date().toISOString(),
    token: randomBytes(8).toString('hex'),
  };
  const own = `${file}.${me.token}`;
  const fd = openSync(own, 'wx');
  let isTaken = false;
  try {
    writeSync(fd, recordOf(me));
    const result = claim(file, own, isDead);
    if (result.kind === 'held') {
      throw new FailureError({ code: 'locked', file, holder: holderWords(result.by.holder) });
    }
    isTaken = true;
    return new HeldLock({ ...options, file, fd, holder: me });
  } finally {
    unlinkSync(own);
    if (!isTaken) closeSync(fd);
  }
}
