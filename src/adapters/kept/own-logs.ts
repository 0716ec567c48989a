import { fstatSync, lstatSync, readdirSync, readlinkSync, realpathSync, type Stats } from 'node:fs';
import { join, relative } from 'node:path';

/**
 * Files below a folder that this process prints into, as with `exec > run.log`, relative to it: they change while others work, and nobody
 * but us does that. One whose name was given to another file is not among them.
 */
export function ownLogs(folder: string): readonly string[] {
  const found = new Set<string>();
  for (const fd of [1, 2]) {
    const stats = printedInto(fd);
    const path = stats && placeOf(fd, stats, folder);
    if (path !== undefined && isSame(lstatSync(path, { throwIfNoEntry: false }), stats!))
      found.add(relative(realpathSync(folder), path));
  }
  return [...found].filter((path) => path !== '' && !path.startsWith('..'));
}

/** Undefined for a terminal, a pipe or nothing at all. */
function printedInto(fd: number): Stats | undefined {
  try {
    const stats = fstatSync(fd);
    return stats.isFile() ? stats : undefined;
  } catch {
    return undefined;
  }
}

const isSame = (one: Stats | undefined, other: Stats): boolean => one?.ino === other.ino && one.dev === other.dev;

/** By what the system says; where it says nothing, by looking for the file itself. */
function placeOf(fd: number, stats: Stats, folder: string): string | undefined {
  try {
    return readlinkSync(`/proc/self/fd/${fd}`);
  } catch {
    const key = `${stats.dev} ${stats.ino} ${folder}`;
    if (!searched.has(key)) searched.set(key, searchedIn(realpathSync(folder), stats));
    return searched.get(key);
  }
}

const searched = new Map<string, string | undefined>();

function searchedIn(top: string, wanted: Stats): string | undefined {
  const folders = [top];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    for (const entry of entriesIn(folder)) {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) folders.push(path);
      else if (entry.isFile() && isSame(lstatSync(path, { throwIfNoEntry: false }), wanted)) return path;
    }
  }
  return undefined;
}

function entriesIn(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}
