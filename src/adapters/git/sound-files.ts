import { createHash } from 'node:crypto';
import { closeSync, constants, fstatSync, lstatSync, openSync, readlinkSync, readSync } from 'node:fs';
import { join } from 'node:path';
import type { Git } from './git-run.js';
import { type CommitEntries, soundEntries } from './sound-commit.js';

/**
 * Files that were written from a commit a moment ago hold what it says. Those that do not hash to it are either converted by git on their way
 * out, or were written from an object that has been exchanged since somebody looked: then this throws.
 */
export async function checkWritten(git: Git, commit: string, entries: CommitEntries): Promise<void> {
  const unlike: string[] = [];
  let since = 0;
  for (const [file, { id }] of entries) {
    since += 1;
    // Others go on meanwhile.
    if (since % 200 === 0) await new Promise(setImmediate);
    if (idOf(join(git.place.cwd, file), id.length) !== id) unlike.push(file);
  }
  if (unlike.length > 0) await soundEntries(git, [commit], unlike);
}

/** The name that git would give to a file as it is, without converting it; undefined for what cannot be one. */
function idOf(path: string, idLength: number): string | undefined {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (!stats) return undefined;
  const sum = (size: number) => createHash(idLength === 40 ? 'sha1' : 'sha256').update(`blob ${size}\0`);
  if (stats.isSymbolicLink()) {
    const target = readlinkSync(path, { encoding: 'buffer' });
    return sum(target.length).update(target).digest('hex');
  }
  if (!stats.isFile()) return undefined;
  const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
  try {
    const all = sum(fstatSync(fd).size);
    for (let read = readSync(fd, piece); read > 0; read = readSync(fd, piece)) all.update(piece.subarray(0, read));
    return all.digest('hex');
  } finally {
    closeSync(fd);
  }
}

const piece = Buffer.allocUnsafeSlow(1 << 18);
