import { lstatSync, type Stats } from 'node:fs';
import { join, resolve } from 'node:path';
import { readPlain } from '../disk/plain-file.js';

/** Where the refs of a checkout are: its own (HEAD), and what all checkouts share. */
export interface RefPlace {
  readonly gitDir: string;
  readonly commonDir: string;
}

/** Where a ref leads in the end. `id` is absent when there is no such ref, or when it leads to one that is not there. */
export interface RefFound {
  readonly name: string;
  readonly isSymbolic: boolean;
  readonly id?: string;
}

/**
 * Reads a ref as git would at this moment, without a process: asking took a third of all that a worktree cost. Undefined where only git
 * itself can tell: another way of storing refs, names and texts that are not plain, whatever an agent may have put there instead of a file.
 */
export function readRef(place: RefPlace, name: string): RefFound | undefined {
  try {
    return isPlain(place) ? follow(place, name) : undefined;
  } catch (error) {
    if (error === onlyGit) return undefined;
    throw error;
  }
}

/**
 * Whether git could take the name of a ref that is not there for another one: it also looks for `refs/tags/refs/…` and the like, and
 * reads what ends like the output of `git describe` as a commit.
 */
export function hasNamesake({ commonDir }: RefPlace, name: string): boolean {
  if (/-g[0-9a-f]{4,}$/i.test(name)) return true;
  try {
    const packed = packedRefs(commonDir);
    if (!packed) return true;
    return besides.some((folder) => {
      const stats = entryAt(join(commonDir, folder));
      return stats !== undefined || [...packed.keys()].some((ref) => ref.startsWith(`${folder}/`));
    });
  } catch (error) {
    if (error === onlyGit) return true;
    throw error;
  }
}

const besides = ['refs/refs', 'refs/tags/refs', 'refs/heads/refs', 'refs/remotes/refs'];

const onlyGit = Symbol('only git can tell');

/** Refs are files, and a worktree belongs to the repository that it seems to belong to. */
function isPlain({ gitDir, commonDir }: RefPlace): boolean {
  if (entryAt(join(commonDir, 'reftable')) !== undefined) return false;
  const config = readPlain(join(commonDir, 'config'));
  if (config === undefined || /refstorage|objectformat/i.test(config)) return false;
  if (gitDir === commonDir) return entryAt(join(gitDir, 'commondir')) === undefined;
  const shared = readPlain(join(gitDir, 'commondir'));
  return shared !== undefined && resolve(gitDir, shared.trimEnd()) === commonDir;
}

function follow(place: RefPlace, first: string): RefFound {
  let name = first;
  for (let steps = 0; steps < mostSteps; steps += 1) {
    if (!(isRefName(name) || (steps === 0 && name === 'HEAD'))) throw onlyGit;
    const isSymbolic = steps > 0;
    // In this order: whoever packs refs writes the packed ones before the others go, and removes them the other way round.
    const text = looseText(place, name);
    const packed = packedRefs(place.commonDir);
    if (text === undefined && !packed) throw onlyGit;
    const id = text === undefined ? packed?.get(name) : idIn.exec(text)?.[1];
    if (id !== undefined) return { name, isSymbolic, id };
    if (text === undefined) return { name, isSymbolic };
    const target = symbolicIn.exec(text)?.[1];
    if (target === undefined) throw onlyGit;
    name = target;
  }
  throw onlyGit;
}

/** Git follows five. */
const mostSteps = 4;

const idIn = /^(?!0{40})([0-9a-f]{40})\n?$/;
const symbolicIn = /^ref: (\S+)\n?$/;

/** Plain enough that neither git nor a disk could see anything else in it. */
const isRefName = (name: string): boolean => plainName.test(name) && !/\.lock(\/|$)/i.test(name);
const part = '[A-Za-z0-9_+-](?:\\.?[A-Za-z0-9_+-])*';
const plainName = new RegExp(`^refs/(?:heads|tags|remotes|autoresearch)(?:/${part})+$`);

/** Undefined where there is no such file; git looks among the packed ones then, also where there is a folder. */
function looseText({ gitDir, commonDir }: RefPlace, name: string): string | undefined {
  const path = join(name === 'HEAD' ? gitDir : commonDir, name);
  const stats = entryAt(path);
  if (stats === undefined || stats.isDirectory()) return undefined;
  const text = stats.isFile() && stats.size < 1024 ? readPlain(path) : undefined;
  if (text === undefined) throw onlyGit;
  return text;
}

/** Undefined when there are so many that git finds its way through them faster. A list that is not exactly as git writes it is for git to judge. */
function packedRefs(commonDir: string): ReadonlyMap<string, string> | undefined {
  const found = new Map<string, string>();
  const path = join(commonDir, 'packed-refs');
  const stats = entryAt(path);
  if (stats === undefined) return found;
  if (stats.isFile() && stats.size > mostPacked) return undefined;
  const text = stats.isFile() ? readPlain(path) : undefined;
  if (text === undefined) throw onlyGit;
  if ((text !== '' && !text.endsWith('\n')) || text.includes('\ufffd')) throw onlyGit;
  let last = '';
  let isAfterRef = false;
  for (const [at, line] of text.split('\n').slice(0, -1).entries()) {
    if (at === 0 && line.startsWith('# pack-refs with: ')) continue;
    const isPeeled: boolean = isAfterRef && /^\^[0-9a-f]{40}$/.test(line);
    isAfterRef = !isPeeled;
    if (isPeeled) continue;
    const [, id, name] = /^(?!0{40})([0-9a-f]{40}) (\S+)$/.exec(line) ?? [];
    if (id === undefined || name === undefined || !isBefore(last, name)) throw onlyGit;
    found.set(name, id);
    last = name;
  }
  return found;
}

const mostPacked = 1 << 18;

/** In bytes, by which git looks things up. */
const isBefore = (one: string, other: string): boolean => Buffer.compare(Buffer.from(one), Buffer.from(other)) < 0;

function entryAt(path: string): Stats | undefined {
  try {
    return lstatSync(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw onlyGit;
  }
}
