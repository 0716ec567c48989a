import { lstatSync, mkdirSync, readdirSync, renameSync, rmdirSync, rmSync, type Stats } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import type { KeptPlace, RootStanding } from '../../model/files/kept-place.js';
import { diskError } from '../disk/disk-error.js';
import { diskBytes } from '../journal/run-remover.js';
import { markOf } from './place-mark.js';

export interface KeptPlaces {
  readonly places: readonly KeptPlace[];
  /** What stands where a place of ours would be, and is none: links, files, folders of others. Never touched. */
  readonly strange: readonly string[];
}

/** The vaults and the evidence below a folder, of all projects. Follows no link below it; changes nothing. */
export function keptPlaces(folder: string): KeptPlaces {
  const strange: string[] = [];
  const below = (path: string, names: RegExp): readonly string[] =>
    namesIn(path).flatMap((name) => {
      const inside = join(path, name);
      if (names.test(name) && isOwnFolder(inside)) return [inside];
      strange.push(inside);
      return [];
    });
  const top = (name: string): readonly string[] => {
    const path = join(folder, name);
    if (seen(path) === undefined) return [];
    if (isOwnFolder(folder) && isOwnFolder(path)) return [path];
    strange.push(path);
    return [];
  };
  const vaults = top('vaults').flatMap((path) => below(path, /^[0-9a-f]{24}$/));
  const runs = top('evidence')
    .flatMap((path) => below(path, /./))
    .flatMap((path) => below(path, /^\d{1,9}-[a-z0-9]{4}$/));
  const evidence = runs.flatMap((path) => below(path, /^[1-9]\d{0,8}$/));
  return {
    places: [
      ...vaults.map((path) => placeOf('vault', path, nameOf(path))),
      ...evidence.map((path) => placeOf('evidence', path, nameOf(dirname(path)))),
    ],
    strange,
  };
}

function placeOf(kind: KeptPlace['kind'], path: string, name: string): KeptPlace {
  const root = markOf(path);
  const lastAt = seen(path)?.mtimeMs ?? Number.POSITIVE_INFINITY;
  const whose = root === undefined ? {} : { root, standing: standingOf(root) };
  return { kind, path, name, lastAt, bytes: diskBytes(path), ...whose };
}

/**
 * Takes places away: first each in one step, then from the disk, with whatever an earlier removal left when it was
 * interrupted. What is no folder of ours any more, all the way down, stays. Answers with those that went.
 */
export function removePlaces(folder: string, places: readonly KeptPlace[]): readonly KeptPlace[] {
  const trash = join(folder, 'trash');
  const removed = places.filter(({ path }) => isReached(folder, path));
  if (removed.length === 0 && !isReached(folder, trash)) return [];
  try {
    if (seen(trash) && !isOwnFolder(trash)) rmSync(trash);
    mkdirSync(trash, { recursive: true, mode: 0o700 });
    for (const [index, { path, kind }] of removed.entries()) {
      renameSync(path, join(trash, `${process.pid}-${index}`));
      if (kind === 'evidence') for (const above of [dirname(path), dirname(dirname(path))]) removeEmpty(above);
    }
    rmSync(trash, { recursive: true, force: true });
  } catch (error) {
    throw diskError(error, trash);
  }
  return removed;
}

/**
 * Whether a project is still there. A disk that is not mounted leaves an empty folder, so where the nearest folder that is
 * there is empty, or cannot be looked into, nobody knows.
 */
export function standingOf(root: string): RootStanding {
  for (let path = root; ; path = dirname(path)) {
    try {
      lstatSync(path);
      if (path === root) return 'there';
      return readdirSync(path).length > 0 ? 'gone' : 'unsure';
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if ((code !== 'ENOENT' && code !== 'ENOTDIR') || dirname(path) === path) return 'unsure';
    }
  }
}

/** Every folder on the way from the first to the last is one of ours and no link. */
function isReached(folder: string, path: string): boolean {
  const steps = relative(folder, path).split('/');
  return steps.every((_, index) => isOwnFolder(join(folder, ...steps.slice(0, index + 1)))) && isOwnFolder(folder);
}

function isOwnFolder(path: string): boolean {
  const stats = seen(path);
  return stats?.isDirectory() === true && (process.geteuid === undefined || stats.uid === process.geteuid());
}

const seen = (path: string): Stats | undefined => {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
};

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder).sort();
  } catch {
    return [];
  }
}

function removeEmpty(folder: string): void {
  try {
    rmdirSync(folder);
  } catch {
    // Something else is in it.
  }
}

const nameOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1);
