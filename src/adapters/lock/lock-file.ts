import { randomBytes } from 'node:crypto';
import {
  closeSync,
  constants,
  fstatSync,
  linkSync,
  lstatSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import type { LockHolder } from '../../model/lock-holder.js';
import { isAlive, isKnownProcess, isNear, type KnownProcess } from '../process/known-process.js';

export interface Holder extends LockHolder, KnownProcess {
  /** Random, so that no two locks are ever alike. */
  readonly token: string;
}

/** A lock file as it was found. */
export interface LockReading {
  /** Names this very lock; for one that cannot be read, its place on the disk has to do. */
  readonly id: string;
  readonly holder?: Holder;
  readonly inode: string;
  readonly mtimeMs: number;
  /** Nothing in it, as the death of the machine can leave a file that was never flushed. No holder ever does. */
  readonly blank: boolean;
}

/** Undefined when there is no such file. */
export function readLock(file: string): LockReading | undefined {
  let fd: number;
  try {
    // Nobody of ours makes a link or a pipe there; neither is followed or waited for.
    fd = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return undefined;
    if (code === 'ELOOP') return strange(file);
    throw error;
  }
  try {
    let reading = readOpen(fd);
    // The holder may be rewriting it at this moment.
    for (let again = 0; again < 3 && reading.holder === undefined; again += 1) reading = readOpen(fd);
    return reading;
  } finally {
    closeSync(fd);
  }
}

/** Something that cannot be a lock of ours: it counts by its age alone. */
function strange(file: string): LockReading | undefined {
  const stats = lstatSync(file, { bigint: true, throwIfNoEntry: false });
  if (!stats) return undefined;
  const { dev, ino, mtimeMs, mtimeNs } = stats;
  return { id: `${ino}-${mtimeNs}`, inode: `${dev}:${ino}`, mtimeMs: Number(mtimeMs), blank: false };
}

/** Device and inode. As long as the descriptor is open no other file can have them. */
export function inodeOf(fd: number): string {
  const { dev, ino } = fstatSync(fd, { bigint: true });
  return `${dev}:${ino}`;
}

function readOpen(fd: number): LockReading {
  const { mtimeMs, mtimeNs, ino, dev } = fstatSync(fd, { bigint: true });
  const place = { inode: `${dev}:${ino}`, mtimeMs: Number(mtimeMs) };
  const text = textOf(fd);
  const holder = holderIn(text);
  if (holder) return { id: holder.token, holder, blank: false, ...place };
  return { id: `${ino}-${mtimeNs}`, blank: /^\0*$/.test(text), ...place };
}

function textOf(fd: number): string {
  const buffer = Buffer.alloc(4 * recordLength);
  try {
    return buffer.toString('utf8', 0, readSync(fd, buffer, 0, buffer.length, 0));
  } catch {
    // A folder, or a disk that does not answer.
    return 'unreadable';
  }
}

function holderIn(text: string): Holder | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (!isKnownProcess(value)) return undefined;
    const { since, token, run } = value as Partial<Holder>;
    const isWhole = typeof since === 'string' && typeof token === 'string' && /^[0-9a-f]{16}$/.test(token);
    return isWhole && (run === undefined || typeof run === 'string') ? (value as Holder) : undefined;
  } catch {
    return undefined;
  }
}

/** Always of one length, so that it can be rewritten in place and is never half there. */
export const recordOf = (holder: Holder): Buffer => Buffer.from(`${JSON.stringify(holder).padEnd(recordLength - 1)}\n`);

const recordLength = 1024;

export type Claim = { readonly kind: 'taken' } | { readonly kind: 'held'; readonly by: LockReading };

/**
 * Puts `mine`, a whole lock file under a name of its own, in the place of a lock that is free or dead. Of any number of
 * processes that try at once one wins, and a lock that lives is never moved, not even for a moment.
 *
 * A lock that is not there is made by a link, which appears whole or not at all. A dead one with the id X is followed by
 * a link `lock.after-X`, which only one process can make; whoever stands at the end of that chain is the holder. It then
 * renames its link over the lock, which shortens the chain to one again. A claim made after somebody else has done that
 * hangs on a lock that is no longer there, hence the second look from the beginning of the chain.
 */
export function claim(file: string, mine: string, isDead: (lock: LockReading) => boolean): Claim {
  for (let tries = 0; ; tries += 1) {
    const chain = chainFrom(file);
    const last = chain.at(-1);
    if (last === undefined) {
      if (tryLink(mine, file)) return { kind: 'taken' };
      continue;
    }
    // Each new round means that another process got further; after so many of them one of those has it.
    if (!isDead(last) || tries > 100) return { kind: 'held', by: last };
    const next = afterName(file, last);
    if (!tryLink(mine, next)) continue;
    if (chainFrom(file).at(-1)?.inode === readLock(mine)?.inode && tryRename(next, file)) {
      for (const dead of chain.slice(0, -1)) rmSync(afterName(file, dead), { force: true });
      return { kind: 'taken' };
    }
    rmSync(next, { force: true });
  }
}

/** The lock and those that took it over from each other but were not quick enough to put theirs in its place. */
export function chainFrom(file: string): readonly LockReading[] {
  const chain: LockReading[] = [];
  for (let name = file; chain.length < 100; ) {
    const lock = readLock(name);
    if (lock === undefined) break;
    chain.push(lock);
    name = afterName(file, lock);
  }
  return chain;
}

const afterName = (file: string, { id }: LockReading): string => `${file}.after-${id}`;

/** False when whoever thought us dead has cleared the link away. */
const tryRename = (from: string, to: string): boolean => unless('ENOENT', () => renameSync(from, to));

const tryLink = (from: string, to: string): boolean => unless('EEXIST', () => linkSync(from, to));

function unless(code: string, act: () => void): boolean {
  try {
    act();
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === code) return false;
    throw error;
  }
}

export type LockStanding = 'alive' | 'dead' | 'unknown';

/**
 * A holder near enough is asked for by pid. Any other has to give a sign of life: its heartbeat is the file's mtime. `now`
 * is the time of the disk.
 */
export function standingOf(lock: LockReading, now: () => number): LockStanding {
  const { holder } = lock;
  if (holder && isNear(holder)) return isAlive(holder) ? 'alive' : 'dead';
  if (!holder && !lock.blank) return 'unknown';
  return now() - lock.mtimeMs > deadAfterMs ? 'dead' : 'alive';
}

/** Six heartbeats. */
const deadAfterMs = 60_000;

/** The time of the disk, which on a shared one is not that of this host. */
export function diskTime(file: string): number {
  const probe = `${file}.probe-${randomBytes(8).toString('hex')}`;
  const fd = openSync(probe, 'wx');
  try {
    writeSync(fd, '.');
    return fstatSync(fd).mtimeMs;
  } finally {
    closeSync(fd);
    rmSync(probe, { force: true });
  }
}
