import { hash } from 'node:crypto';
import {
  constants,
  copyFileSync,
  lstatSync,
  mkdirSync,
  readlinkSync,
  realpathSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { FailureError } from '../../model/failure.js';
import { digestFile } from './file-digest.js';

/** Copies files from one project folder to another where they differ; tells those that were copied, with their digests. */
export function lendFiles(from: string, to: string, files: readonly string[]): Record<string, string> {
  const lent: Record<string, string> = {};
  for (const file of files) {
    const wanted = contentOf(join(from, file));
    if (wanted === undefined || wanted === contentOf(join(to, file))) continue;
    copyInto(from, to, file);
    lent[file] = wanted;
  }
  return lent;
}

/** One file, or the link that it is. What stands in its place goes; nothing is written over a link to elsewhere. */
export function copyInto(from: string, to: string, file: string): void {
  const [source, place] = [join(from, file), join(to, file)];
  mkdirSync(dirname(place), { recursive: true });
  if (realpathSync(dirname(place)) !== join(realpathSync(to), dirname(file)))
    throw new FailureError({
      code: 'worktree-failed',
      detail: `${place} cannot be written: a folder on the way is a link`,
      fix: 'Take the link away, or the file out of inputs and outputs',
    });
  rmSync(place, { force: true });
  const stats = lstatSync(source);
  if (stats.isSymbolicLink()) symlinkSync(readlinkSync(source), place);
  // A copy that shares its blocks until one of the two is written, where the disk can do that.
  else copyFileSync(source, place, constants.COPYFILE_FICLONE | constants.COPYFILE_EXCL);
}

/** What a file is, link and mode included; undefined when there is none. */
export function contentOf(path: string): string | undefined {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (!stats || stats.isDirectory()) return undefined;
  if (stats.isSymbolicLink()) return `link ${hash('sha256', readlinkSync(path))}`;
  if (!stats.isFile()) return undefined;
  return `${(stats.mode & 0o111) !== 0 ? 'x ' : ''}${digestFile(path)}`;
}
