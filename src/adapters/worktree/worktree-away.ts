import { randomBytes } from 'node:crypto';
import { chmodSync, lstatSync, mkdirSync, readdirSync, renameSync, rmdirSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Repository } from '../git/git-repository.js';
import { findTree } from './worktree-place.js';

/** The folder in which what a worktree holds and no commit would keep waits while its checks run. */
export const awayName = '.away';

/** Where a half-made worktree is put, or what was in one, that cannot be told to be worthless. */
export const asideName = '.aside';

/** Always the same one for a worktree: whoever comes after a kill finds it. */
export const awayOf = (dir: string, path: string): string => join(dir, awayName, basename(path));

/** What programs make again by themselves. */
export const isCache = (file: string): boolean =>
  /(^|\/)(node_modules|__pycache__|\.pytest_cache|\.mypy_cache|\.ruff_cache)\//.test(file) || file.endsWith('.pyc');

/**
 * What was taken away from a worktree is there again. What the checks made meanwhile in the same place is newer, and stays: they
 * would have written over it. A worktree that is not what it was gets nothing back; then it is moved aside.
 */
export function putBackAway(repo: Repository, dir: string, path: string): void {
  const away = awayOf(dir, path);
  if (!lstatSync(away, { throwIfNoEntry: false })) return;
  if (isReady(repo, path)) mergeBack(away, path, '');
  else {
    mkdirSync(join(dir, asideName), { recursive: true });
    renameSync(away, join(dir, asideName, `${basename(path)}-${randomBytes(4).toString('hex')}`));
  }
  if (readdirSync(dirname(away)).length === 0) rmdirSync(dirname(away));
}

function isReady(repo: Repository, path: string): boolean {
  try {
    return findTree(repo, path).kind === 'ready';
  } catch {
    return false;
  }
}

/** Names are bytes, one character each: not every name on a disk is text. */
export const namesIn = (folder: string): string[] =>
  readdirSync(bytesOf(folder), { encoding: 'buffer' }).map((name) => name.toString('latin1'));

export const bytesOf = (path: string): Buffer => Buffer.from(path, 'latin1');

/** A path as text, spelt as `namesIn` does. */
export const asBytes = (path: string): string => Buffer.from(path).toString('latin1');

const statsOf = (path: string) => lstatSync(bytesOf(path), { throwIfNoEntry: false });

function mergeBack(away: string, path: string, inside: string): void {
  const [from, to] = [asBytes(away), asBytes(path)].map((folder) => (inside === '' ? folder : `${folder}/${inside}`));
  for (const name of namesIn(from!)) {
    const [source, target] = [`${from}/${name}`, `${to}/${name}`];
    const [own, there] = [statsOf(source)!, statsOf(target)];
    if (!there) moveEntry(source, target);
    // Never through a link: it may lead anywhere.
    else if (own.isDirectory() && there.isDirectory() && !isCache(`${name}/`))
      mergeBack(away, path, inside === '' ? name : `${inside}/${name}`);
    else rmSync(bytesOf(source), { recursive: true, force: true });
  }
  rmdirSync(bytesOf(from!));
}

/** A folder that may not be written cannot be moved either, so for a moment it may. */
export function moveEntry(source: string, target: string): void {
  const stats = statsOf(source)!;
  const isShut = stats.isDirectory() && (stats.mode & 0o700) !== 0o700;
  if (isShut) chmodSync(bytesOf(source), stats.mode | 0o700);
  renameSync(bytesOf(source), bytesOf(target));
  if (isShut) chmodSync(bytesOf(target), stats.mode & 0o7777);
}
