import { randomBytes } from 'node:crypto';
import { chmodSync, lstatSync, mkdirSync, readdirSync, renameSync, rmdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { FailureError } from '../../model/failure.js';

/**
 * Where the locks of this machine are. One fixed name, because a lock only works when everybody looks at the same place:
 * XDG_RUNTIME_DIR and TMPDIR are another one for each user, and not set at all for what cron starts. In no repository,
 * because agents may write there. Emptied when the machine starts, and so are all locks by then.
 */
export const machineLocks = '/tmp/autoresearch-locks';

/**
 * Makes the folder, or checks the one that is there. Whoever comes first owns it, and everybody may put locks into it;
 * the sticky bit keeps them from removing each other's. It gets its name only when its mode is right, so nobody ever sees
 * it half made. A link in its place could lead anywhere and is refused.
 */
export function readyLockFolder(folder: string): void {
  if (lstatSync(folder, { throwIfNoEntry: false }) === undefined) makeFolder(folder);
  const stats = lstatSync(folder);
  if (stats.isSymbolicLink()) refuse(folder, 'it is a link, and the locks of all runs have to be in one real folder');
  if (!stats.isDirectory()) refuse(folder, 'it is not a folder');
  if ((stats.mode & 0o022) !== 0 && (stats.mode & 0o1000) === 0)
    refuse(folder, 'others may remove locks from it; give it the mode 1777');
}

function makeFolder(folder: string): void {
  const own = `${folder}.${randomBytes(8).toString('hex')}`;
  mkdirSync(own, 0o700);
  try {
    // The umask has no say in this.
    chmodSync(own, 0o1777);
    // Over an empty folder of our own this is no loss; over any other it fails.
    renameSync(own, folder);
  } catch (error) {
    rmdirSync(own);
    if (lstatSync(folder, { throwIfNoEntry: false }) === undefined) throw error;
  }
}

/**
 * Nothing but plain files may be where a lock is looked for: to open a pipe is to wait for its writer, and what a dangling
 * link leads to is neither there nor free.
 */
export function refuseStrangers(file: string): void {
  const [folder, name] = [dirname(file), basename(file)];
  for (const entry of readdirSync(folder)) {
    if (!entry.startsWith(name)) continue;
    const stranger = join(folder, entry);
    if (lstatSync(stranger, { throwIfNoEntry: false })?.isFile() === false)
      refuse(stranger, 'it is in the place of a lock and is none; remove it when no run is at work');
  }
}

function refuse(file: string, detail: string): never {
  throw new FailureError({ code: 'not-writable', file, detail });
}
