import {
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  utimesSync,
} from 'node:fs';
import { dirname, join, sep } from 'node:path';

export interface Aside {
  /** Which of these files are out of the way now. A link stays, and a large file on another disk. */
  readonly paths: readonly string[];
  /** Puts back what nobody wrote anew; the old form of what was written anew goes. */
  putBack(): void;
}

/**
 * Old outputs of a task are out of the way while it works: whatever is there afterwards is its own, which no date can say. They
 * lie in the state folder meanwhile, so that a runner that was killed loses nothing: the next one puts them back.
 */
export function setAside(paths: readonly string[], { root, stateDir, task }: Owner): Aside {
  const place = asidePlace(stateDir);
  const folder = join(place, encodeURIComponent(task));
  const homes = new Map<string, string>();
  const taken = paths.filter((path) => {
    const file = join(root, path);
    // Who made a link of an output wants it to stay one.
    if (lstatSync(file, { throwIfNoEntry: false })?.isFile() !== true) return false;
    homes.set(path, realpathSync(dirname(file)));
    return moves(file, join(folder, path));
  });
  return {
    paths: taken,
    putBack: () => giveBack({ root, place, folder }, taken, (path, home) => homes.get(path) === home),
  };
}

export interface Owner {
  readonly root: string;
  readonly stateDir: string;
  readonly task: string;
}

/** What an earlier runner that was killed had put out of the way; the lock is held. */
export function putBackAll(root: string, stateDir: string): void {
  const place = asidePlace(stateDir);
  if (!existsSync(place)) return;
  const real = `${realpathSync(root)}${sep}`;
  for (const name of readdirSync(place)) {
    const folder = join(place, name);
    giveBack({ root, place, folder }, filesIn(folder), (_path, home) => `${home}${sep}`.startsWith(real));
  }
}

const asidePlace = (stateDir: string): string => join(stateDir, 'aside');

interface Where {
  readonly root: string;
  readonly place: string;
  readonly folder: string;
}

/** `isHome`: whoever worked meanwhile may have made a link of a folder on the way, which nobody has to follow. */
function giveBack(
  { root, place, folder }: Where,
  paths: readonly string[],
  isHome: (path: string, home: string) => boolean,
): void {
  for (const path of paths) {
    const [from, to] = [join(folder, path), join(root, path)];
    const there = lstatSync(to, { throwIfNoEntry: false });
    // A file with nothing in it is no result, and nothing to go on with.
    const isFree = there === undefined || (there.isFile() && there.size === 0);
    if (!isFree) rmSync(from, { force: true });
    else if (isHome(path, realFolder(dirname(to)))) moves(from, to);
  }
  removeEmpty(folder);
  removeEmpty(place);
}

/** Through all links; a folder that is not there yet will be where the nearest one above it is. */
function realFolder(folder: string): string {
  if (existsSync(folder)) return realpathSync(folder);
  return join(realFolder(dirname(folder)), folder.slice(dirname(folder).length));
}

/** False: it is too large to be copied to another disk, or nobody may. */
function moves(from: string, to: string): boolean {
  try {
    mkdirSync(dirname(to), { recursive: true });
    renameSync(from, to);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EXDEV' && copies(from, to);
  }
}

function copies(from: string, to: string): boolean {
  try {
    const { size, atime, mtime } = statSync(from);
    if (size > mostCopied) return false;
    copyFileSync(from, to);
    utimesSync(to, atime, mtime);
    rmSync(from);
    return true;
  } catch {
    return false;
  }
}

/** Larger than any table of results; a copy takes no time that anybody would notice. */
const mostCopied = 64 * 1024 * 1024;

function filesIn(folder: string, below = ''): string[] {
  return readdirSync(join(folder, below), { withFileTypes: true }).flatMap((entry) => {
    const path = below === '' ? entry.name : `${below}/${entry.name}`;
    if (entry.isDirectory()) return filesIn(folder, path);
    return entry.isFile() ? [path] : [];
  });
}

function removeEmpty(folder: string): void {
  try {
    for (const entry of readdirSync(folder, { withFileTypes: true }))
      if (entry.isDirectory()) removeEmpty(join(folder, entry.name));
    rmdirSync(folder);
  } catch {
    // Something is in it, or it is gone.
  }
}
