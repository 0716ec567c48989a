import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { FailureError } from '../model/failure.js';
import { diskError } from './disk-error.js';

interface Holder {
  readonly host: string;
  readonly pid: number;
  /** The kernel's start time of the process; tells a reused pid from the holder. Empty where /proc is not there. */
  readonly started: string;
  readonly since: string;
}

/** Takes the state folder for one live run. A dead holder's lock is taken over; a live one's is `locked`. */
export function takeLock(stateDir: string): () => void {
  const file = join(stateDir, 'lock');
  const me: Holder = {
    host: hostname(),
    pid: process.pid,
    started: startTime(process.pid),
    since: new Date().toISOString(),
  };
  try {
    mkdirSync(stateDir, { recursive: true });
    for (let tries = 0; ; tries += 1) {
      if (tryCreate(file, me)) return () => rmSync(file, { force: true });
      const holder = readHolder(file);
      if (holder && isAlive(holder)) throw lockedBy(holder, file);
      if (tries > 10) throw lockedBy(holder, file);
      if (holder) clearDead(file, holder);
    }
  } catch (error) {
    throw diskError(error, file);
  }
}

/** True while a live process holds the state folder. Takes no lock and changes nothing. */
export function isLocked(stateDir: string): boolean {
  const holder = readHolder(join(stateDir, 'lock'));
  return holder !== undefined && isAlive(holder);
}

/** A link appears whole or not at all, so nobody ever reads a lock that is still being written. */
function tryCreate(file: string, me: Holder): boolean {
  const own = `${file}.${me.pid}`;
  try {
    writeFileSync(own, `${JSON.stringify(me)}\n`);
    linkSync(own, file);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  } finally {
    rmSync(own, { force: true });
  }
}

/** Moves a dead holder's lock away. When another process was quicker, what was moved is its lock: it goes back. */
function clearDead(file: string, dead: Holder): void {
  const aside = `${file}.${process.pid}.dead`;
  try {
    renameSync(file, aside);
  } catch {
    // Another process has moved it: the next try sees who has it now.
    return;
  }
  const moved = readHolder(aside);
  if (moved && (moved.pid !== dead.pid || moved.since !== dead.since)) linkSync(aside, file);
  rmSync(aside, { force: true });
}

function readHolder(file: string): Holder | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Holder;
  } catch {
    // Gone in the meantime.
    return undefined;
  }
}

/** A process on another host cannot be asked, so it counts as alive. */
function isAlive(holder: Holder): boolean {
  if (holder.host !== hostname()) return true;
  if (holder.started !== '') return startTime(holder.pid) === holder.started;
  try {
    process.kill(holder.pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

function startTime(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The name in parentheses may hold spaces; state and start time are the 1st and 20th field after it.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return fields[0] === 'Z' ? '' : (fields[19] ?? '');
  } catch {
    return '';
  }
}

const lockedBy = (holder: Holder | undefined, file: string): FailureError =>
  new FailureError({
    code: 'locked',
    file,
    holder: holder ? `process ${holder.pid} on ${holder.host}, since ${holder.since}` : 'another process',
  });
