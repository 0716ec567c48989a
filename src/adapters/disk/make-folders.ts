import { mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * As `mkdir -p`, and what cannot be made is said in the disk's own words. Node's own says "no such file" where the disk says
 * "read-only", and where nothing can be made at all (`/proc`) it never answers.
 */
export function makeFolders(dir: string): void {
  const problem = makeFolder(dir);
  if (problem === undefined) return;
  const parent = dirname(dir);
  if (problem.code !== 'ENOENT' || parent === dir || isFolder(parent)) throw problem;
  makeFolders(parent);
  const again = makeFolder(dir);
  if (again) throw again;
}

/** One that is there already, or that somebody else makes in this moment, is as good as made. */
function makeFolder(dir: string): NodeJS.ErrnoException | undefined {
  try {
    mkdirSync(dir);
    return undefined;
  } catch (error) {
    return isFolder(dir) ? undefined : (error as NodeJS.ErrnoException);
  }
}

const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
