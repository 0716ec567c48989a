import { lstatSync, type Stats } from 'node:fs';
import { posix } from 'node:path';
import { isUnwatchedName } from '../../watch/changed-files.js';

/** Why a path may not be in a cassette; undefined when it may. Cassettes come from other labs and are not believed. */
export function pathProblem(path: string, leaveOut: readonly string[]): string | undefined {
  const told = JSON.stringify(path);
  const parts = path.split('/');
  if (path === '' || path.includes('\0') || posix.isAbsolute(path) || parts.some((part) => isNoName(part)))
    return `${told} is no path inside the project folder`;
  if (parts.some((part) => isUnwatchedName(plainName(part))))
    return `${told} belongs to git, to autoresearch itself or to a cache`;
  const plain = parts.map(plainName).join('/');
  if (leaveOut.some((left) => plain === left.toLowerCase() || plain.startsWith(`${left.toLowerCase()}/`)))
    return `${told} belongs to autoresearch itself`;
  return undefined;
}

/**
 * The same for where a link points to. A `..` after a name could climb out of a folder that is itself a link, so they may
 * only stand at the beginning.
 */
export function linkProblem(path: string, target: string, leaveOut: readonly string[]): string | undefined {
  const told = `the link ${JSON.stringify(path)} to ${JSON.stringify(target)}`;
  const end = posix.join(posix.dirname(path), target);
  const parts = target.split('/');
  const first = parts.findIndex((part) => !isNoName(part));
  const climbs = first !== -1 && parts.slice(first).includes('..');
  if (
    target === '' ||
    target.includes('\0') ||
    posix.isAbsolute(target) ||
    climbs ||
    end === '..' ||
    end.startsWith('../')
  )
    return `${told} leads out of the project folder`;
  const inside = end.replace(/\/+$/, '');
  return inside === '.' || pathProblem(inside, leaveOut) === undefined
    ? undefined
    : `${told} leads to what belongs to git, to autoresearch itself or to a cache`;
}

/** Undefined when nothing is there, also because a folder on the way is none. A link is told as a link. */
export function statsAt(file: string): Stats | undefined {
  try {
    return lstatSync(file);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw error;
  }
}

const isNoName = (part: string): boolean => part === '' || part === '.' || part === '..';

/** As a disk reads it that ignores case and invisible letters. */
const plainName = (name: string): string =>
  name
    .normalize('NFKC')
    .replace(/[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]/g, '')
    .toLowerCase();
