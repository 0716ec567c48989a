import { realpathSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { FailureError } from '../../model/failure.js';
import type { Clock } from '../../model/ports.js';
import { diskError } from '../disk/disk-error.js';
import { type Claimant, claimFolder } from './external-locks-claim.js';
import { machineLocks } from './external-locks-folder.js';
import type { ExternalLock } from './external-locks-held.js';

export interface ExternalLockOptions {
  /** The project; relative paths start there. */
  readonly root: string;
  readonly holder: { readonly run: string; readonly task: string };
  /** Ends the waiting; its reason is the name of a signal. */
  readonly signal: AbortSignal;
  readonly clock: Clock;
  /** Told who holds the folder that is waited for, at first and whenever that changes. */
  onWait?(holderWords: string): void;
  /** Told once when a lock is no longer ours, because somebody removed it. */
  onLost?(folder: string): void;
  /** Where the lock files are, for tests. All runs of a machine have to agree on it. */
  readonly locks?: string;
}

/**
 * Holds folders outside of the project against all other runs of this machine. Answers with how to let go of them, which
 * may be called twice. Waits as long as it takes: who holds one may work for hours.
 */
export async function takeExternalLocks(paths: readonly string[], options: ExternalLockOptions): Promise<() => void> {
  const held: ExternalLock[] = [];
  const release = (): void => {
    for (const lock of held.splice(0).reverse()) lock.release();
  };
  try {
    const { holder, root } = options;
    const claimant = { ...holder, project: realFolder('.', root) };
    for (const folder of realFolders(paths, root)) held.push(await waitFor(folder, claimant, options));
    throwIfAborted(options.signal);
    return release;
  } catch (error) {
    release();
    throw error;
  }
}

/** One order for everybody, so that no two ever wait for each other; two names of one folder are one. */
const realFolders = (paths: readonly string[], root: string): readonly string[] =>
  [...new Set(paths.map((path) => realFolder(path, root)))].sort();

function realFolder(path: string, root: string): string {
  const absolute = resolve(root, path);
  const refuse = (why: string): never => {
    const named = path === absolute ? path : `${path} (${absolute})`;
    throw new FailureError({ code: 'behaviour-failed', detail: `cannot hold ${named}: ${why}` });
  };
  try {
    const real = realpathSync.native(absolute);
    return statSync(real).isDirectory() ? real : refuse('it is not a folder');
  } catch (error) {
    if (error instanceof FailureError) throw error;
    const { code, message } = error as NodeJS.ErrnoException;
    return refuse(code === 'ENOENT' ? 'there is no such folder' : message);
  }
}

async function waitFor(folder: string, claimant: Claimant, options: ExternalLockOptions): Promise<ExternalLock> {
  const { clock, signal, onWait, onLost, locks = machineLocks } = options;
  let told: string | undefined;
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(2 * pauseMs, longestPauseMs)) {
    throwIfAborted(signal);
    const claimed = tryClaim(folder, claimant, { clock, locks, onLost: () => onLost?.(folder) });
    if (typeof claimed !== 'string') return claimed;
    if (claimed !== told) onWait?.(claimed);
    told = claimed;
    await pause(pauseMs, clock, signal);
  }
}

function tryClaim(...[folder, claimant, tools]: Parameters<typeof claimFolder>): ExternalLock | string {
  try {
    return claimFolder(folder, claimant, tools);
  } catch (error) {
    throw diskError(error, tools.locks);
  }
}

const firstPauseMs = 10;
/** What waits here takes minutes; half a second of it is nothing. */
const longestPauseMs = 500;

function pause(ms: number, clock: Clock, signal: AbortSignal): Promise<void> {
  return new Promise((done) => {
    const end = (): void => {
      cancel();
      signal.removeEventListener('abort', end);
      done();
    };
    const cancel = clock.after(ms, end);
    signal.addEventListener('abort', end, { once: true });
    if (signal.aborted) end();
  });
}

function throwIfAborted(signal: AbortSignal): void {
  if (signal.aborted) throw new FailureError({ code: 'cancelled', signal: String(signal.reason) });
}
