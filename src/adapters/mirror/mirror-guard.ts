import { lstatSync, realpathSync } from 'node:fs';
import { homedir, userInfo } from 'node:os';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { FailureError } from '../../model/failure.js';

export interface RealPlace {
  /** A real path. */
  readonly parent: string;
  readonly name: string;
}

/** Where source and copy really are. Refuses what a sync must never touch. Links may lead to the two, but not be them. */
export function guardedPair(
  [source, copy]: readonly [string, string],
  root: string,
): {
  readonly from: RealPlace;
  readonly to: RealPlace;
} {
  const refuse = (why: string): never => {
    throw new FailureError({ code: 'not-writable', file: copy, detail: `cannot copy ${source} there: ${why}` });
  };
  const realRoot = realpathSync.native(root);
  const [from, to] = [source, copy].map((path) => placeOf(resolve(realRoot, path), refuse)) as [RealPlace, RealPlace];
  const [realSource, realCopy] = [join(from.parent, from.name), join(to.parent, to.name)];
  const [there, here] = [realSource, realCopy].map((path) => lstatSync(path, { bigint: true, throwIfNoEntry: false }));

  if (!there) return refuse('the source does not exist');
  if (there.isSymbolicLink()) refuse('the source is a link; name what it leads to');
  if (!there.isFile() && !there.isDirectory()) refuse('the source is neither a file nor a folder');
  if (here?.isSymbolicLink()) refuse('the copy is a link, and nothing is written where it leads');
  if (here && here.dev === there.dev && here.ino === there.ino) refuse('both are the same');
  if (isWithin(realCopy, realSource)) refuse('the copy is inside of its source');
  if (isWithin(realSource, realCopy)) refuse('the source is inside of its copy');
  if (isWithin(realRoot, realCopy)) refuse('the project is inside of the copy');
  if (isHome(realCopy)) refuse('it is a home folder, or has one in it');
  if (isInside(copy, realRoot) && !isWithin(to.parent, realRoot)) refuse('a link on the way leads out of the project');
  return { from, to };
}

function placeOf(path: string, refuse: (why: string) => never): RealPlace {
  const name = basename(path);
  if (name === '') return refuse('the root of the disk is not for this');
  try {
    return { parent: realpathSync.native(dirname(path)), name };
  } catch (error) {
    return refuse((error as Error).message);
  }
}

/** As it is written, before any link is followed. */
const isInside = (path: string, root: string): boolean => !isAbsolute(path) && isWithin(resolve(root, path), root);

/** Also when they are the same. */
function isWithin(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way === '' || !(way === '..' || way.startsWith(`..${sep}`) || isAbsolute(way));
}

function isHome(path: string): boolean {
  if (['/home', '/Users'].includes(dirname(path)) || ['/home', '/Users', '/root'].includes(path)) return true;
  return [homedir, () => userInfo().homedir].some((homeOf) => {
    const home = realHome(homeOf);
    return home !== undefined && home !== '/' && isWithin(home, path);
  });
}

/** A user without an entry in the system's list has none, and one that does not exist cannot be overwritten. */
function realHome(homeOf: () => string): string | undefined {
  try {
    return realpathSync.native(homeOf());
  } catch {
    return undefined;
  }
}
