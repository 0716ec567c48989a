import { lstatSync, mkdirSync, readdirSync, realpathSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Progress } from '../../model/ports.js';
import { diskError } from '../disk/disk-error.js';
import type { RunStore } from './run-store.js';

/** Whether the run's folder is a folder in the state folder, and not a link to somewhere else. */
export function isOwnFolder(store: RunStore, id: string): boolean {
  try {
    return realpathSync(store.runDir(id)) === join(realpathSync(store.dir), 'runs', id);
  } catch {
    return false;
  }
}

/** When something in the run's folder itself was last written, for a run whose journal tells nothing. */
export const lastWritten = (store: RunStore, id: string): number =>
  lstatSync(store.runDir(id), { throwIfNoEntry: false })?.mtimeMs ?? Number.POSITIVE_INFINITY;

/** Bytes on disk. Links are counted, never followed. */
export function diskBytes(path: string): number {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (!stat) return 0;
  let bytes = stat.blocks * 512;
  if (stat.isDirectory()) for (const name of readdirSync(path)) bytes += diskBytes(join(path, name));
  return bytes;
}

/**
 * Takes runs away: first out of the list, in one step each, then from the disk. Whatever an earlier removal left when it was
 * interrupted goes too. Links in a run are removed, not followed.
 */
export function removeRuns(store: RunStore, ids: readonly string[], progress?: Progress): void {
  const trash = join(store.dir, 'trash');
  try {
    if (lstatSync(trash, { throwIfNoEntry: false })?.isSymbolicLink()) rmSync(trash);
    mkdirSync(trash, { recursive: true });
    for (const id of ids) renameSync(store.runDir(id), join(trash, `${id}.${process.pid}`));
    for (const [done, id] of ids.entries()) {
      progress?.at({ what: 'removing runs', done, total: ids.length });
      rmSync(join(trash, `${id}.${process.pid}`), { recursive: true, force: true });
    }
    rmSync(trash, { recursive: true, force: true });
  } catch (error) {
    throw diskError(error, trash);
  }
}
