import { createHash, randomBytes } from 'node:crypto';
import { closeSync, existsSync, fchmodSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '../../model/ports.js';
import {
  chainFrom,
  claim,
  diskTime,
  type Holder,
  inodeOf,
  type LockReading,
  recordOf,
  standingOf,
} from '../lock/lock-file.js';
import { knownProcess } from '../process/known-process.js';
import { readyLockFolder, refuseStrangers } from './external-locks-folder.js';
import { ExternalLock } from './external-locks-held.js';

export interface Claimant {
  readonly run: string;
  readonly task: string;
  readonly project: string;
}

interface ClaimTools {
  readonly clock: Clock;
  readonly locks: string;
  onLost(): void;
}

/** One try. Words about the holder when there is one that lives. `folder` is a real path. */
export function claimFolder(folder: string, claimant: Claimant, tools: ClaimTools): ExternalLock | string {
  readyLockFolder(tools.locks);
  const file = join(tools.locks, `${createHash('sha256').update(folder).digest('hex').slice(0, 32)}.lock`);
  refuseStrangers(file);
  const isDead = (lock: LockReading): boolean => isGone(lock, file);
  const last = chainFrom(file).at(-1);
  if (last && !isDead(last)) return words(last, folder, file);

  const me: ExternalHolder = {
    ...knownProcess(process.pid),
    since: new Date(tools.clock.now()).toISOString(),
    token: randomBytes(8).toString('hex'),
    ...short(claimant),
    folder: clip(folder),
  };
  const own = `${file}.${me.token}`;
  const fd = openSync(own, 'wx');
  let lock: ExternalLock | undefined;
  try {
    // Other users have to read it, whatever our umask says.
    fchmodSync(fd, 0o644);
    writeSync(fd, recordOf(me));
    const end = claimEnd(file, { own, fd, isDead });
    if (typeof end !== 'string') return words(end, folder, file);
    lock = new ExternalLock({ file: end, fd, holder: me, clock: tools.clock, onLost: () => tools.onLost() });
    return lock;
  } finally {
    rmSync(own, { force: true });
    if (!lock) closeSync(fd);
  }
}

type ExternalHolder = Holder & Claimant & { readonly folder: string };

interface Own {
  readonly own: string;
  readonly fd: number;
  readonly isDead: (lock: LockReading) => boolean;
}

/**
 * The name under which the lock is ours now, or who has it. A dead lock of another user cannot be replaced in a sticky
 * folder. By then ours follows it, which is as good: whoever stands at the end of the chain is the holder, and when it
 * lets go the dead one is the end again, to be followed by the next.
 */
function claimEnd(file: string, { own, fd, isDead }: Own): string | LockReading {
  try {
    const result = claim(file, own, isDead);
    return result.kind === 'taken' ? file : result.by;
  } catch (error) {
    const chain = chainFrom(file);
    if (chain.at(-1)?.inode !== inodeOf(fd)) throw error;
    const before = chain.at(-2);
    return before === undefined ? file : `${file}.after-${before.id}`;
  }
}

/** What cannot be read is believed for as long as somebody might be writing it: whoever lives makes it whole again. */
function isGone(lock: LockReading, file: string): boolean {
  if (standingOf({ ...lock, blank: lock.holder === undefined }, () => diskTime(file)) !== 'dead') return false;
  return lock.holder === undefined || !isHidden(lock.holder.pid);
}

/** On some machines the processes of other users are not shown. That one is there can be told all the same. */
function isHidden(pid: number): boolean {
  if (existsSync(`/proc/${pid}/stat`)) return false;
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** `task train of run 3-k2xw in /home/ann/study, process 4711 on lab, since 2026-01-01T00:00:00.000Z`, and what it holds. */
function words({ holder }: LockReading, folder: string, file: string): string {
  if (!holder) return `${folder} is held by an unknown process, because ${file} cannot be read`;
  const { host, pid, since, run, task, project } = holder as Partial<ExternalHolder>;
  const whose = `${named('task ', task)}${named('of run ', run)}${named('in ', project)}`.trim();
  const who = `process ${pid} on ${plain(String(host))}, since ${plain(String(since))}`;
  return `${folder} is held by ${whose === '' ? '' : `${whose}, `}${who}`;
}

const named = (label: string, value: unknown): string => (typeof value === 'string' ? `${label}${plain(value)} ` : '');

/** Anybody may have written it, and it goes to a terminal. */
const plain = (text: string): string => clip(text.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, '?'));

/** A record that is too long could not be read back, and would be held for good. */
const short = ({ run, task, project }: Claimant): Claimant => ({
  run: clip(run),
  task: clip(task),
  project: clip(project),
});

const clip = (text: string): string => (text.length <= longest ? text : `…${text.slice(1 - longest)}`);

const longest = 140;
