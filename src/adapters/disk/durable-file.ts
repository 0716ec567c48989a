import { hash, randomBytes } from 'node:crypto';
import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { diskError } from './disk-error.js';
import { makeFolders } from './make-folders.js';
import { syncFolder } from './sync-folder.js';

/** Whole or not at all, and on the disk when this returns; takes the place of whatever has that name. Tells its sha256. */
export function writeDurable(file: string, content: string | Buffer): string {
  const draft = join(dirname(file), `.${randomBytes(6).toString('hex')}`);
  try {
    makeFolders(dirname(file));
    const fd = openSync(draft, 'wx');
    try {
      writeFileSync(fd, content);
      fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
    renameSync(draft, file);
    syncFolder(dirname(file));
  } catch (error) {
    rmSync(draft, { force: true });
    throw diskError(error, file);
  }
  return hash('sha256', content);
}
