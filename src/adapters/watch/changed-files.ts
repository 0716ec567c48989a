import { isUtf8 } from 'node:buffer';
import { type BigIntStats, type Dirent, lstatSync, readdirSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { digestFile } from '../disk/file-digest.js';
import { ownFolders } from '../kept/own-folders.js';
import { ownLogs } from '../kept/own-logs.js';

/** A project's tree as it was: paths relative to its root → what the disk said of each. Folders are not in it. */
export interface Snapshot {
  readonly entries: ReadonlyMap<string, EntryStamp>;
  readonly options: SnapshotOptions;
}

export interface SnapshotOptions {
  /** Files and folders, relative to the root, that nobody watches. */
  readonly leaveOut?: readonly string[];
  /** Files of at most so many bytes are read, so that one that was only touched is known to be the same; 0 unless stated. */
  readonly digestUpTo?: number;
  /** Looks at installed packages, too: tests run them. */
  readonly installed?: boolean;
  /** Looks into whatever is called `.git` or `.autoresearch`, too, but for the study's state and its repository. */
  readonly namesakes?: boolean;
  /** Looks at everything but what is left out. */
  readonly all?: boolean;
}

export interface EntryStamp {
  /** `closed`: a folder that cannot be read. `other`: pipes, sockets, devices and names that are no text. */
  readonly type: 'file' | 'link' | 'closed' | 'other';
  readonly mode: number;
  readonly size: number;
  readonly mtimeNs: bigint;
  readonly ctimeNs: bigint;
  readonly ino: bigint;
  readonly target?: string;
  readonly digest?: string;
  /** Changed so lately that the next change might leave the same stamps. */
  readonly isFresh?: true;
  /** Read for no other reason. */
  readonly isOnlyFresh?: true;
}

export interface FileChange {
  /** Relative to the root, with `/`. */
  readonly path: string;
  readonly how: 'added' | 'changed' | 'removed';
}

/** Looks at everything below the root and follows no link. Synchronous, because that is three times faster. */
export function snapshot(root: string, options: SnapshotOptions = {}): Snapshot {
  const own = options.namesakes ? ownFolders(root) : [];
  return lookBelow(root, { ...options, leaveOut: [...own, ...(options.leaveOut ?? [])] });
}

function lookBelow(root: string, options: SnapshotOptions): Snapshot {
  const entries = new Map<string, EntryStamp>();
  const leaveOut = new Set([...(options.leaveOut ?? []), ...ownLogs(root)]);
  // A change within the clock tick of the last one leaves no other stamp, so what is that new is read.
  const reading = { sinceNs: BigInt(Date.now() - tickMs) * 1_000_000n, digestUpTo: options.digestUpTo ?? 0 };
  const folders = [''];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    const found = entriesIn(join(root, folder));
    if (found === undefined) {
      const stats = orUndefined(() => lstatSync(join(root, folder), { bigint: true }));
      if (folder === '') throw new Error(`${root} cannot be read`);
      if (stats) entries.set(folder, { ...stampOf(stats), type: 'closed' });
      continue;
    }
    for (const entry of found) {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
      if (leaveOut.has(path) || isPassedOver(entry, folder, options)) continue;
      if (entry.name.includes('\ufffd')) for (const [odd, stamp] of oddNames(root, folder)) entries.set(odd, stamp);
      if (entry.isDirectory()) folders.push(path);
      else {
        const stamp = lookAt(join(root, path), reading);
        if (stamp) entries.set(path, stamp);
      }
    }
  }
  return { entries, options };
}

/** What differs now, sorted by path. A renamed file is one removed and one added. */
export function changedSince(before: Snapshot, root: string): readonly FileChange[] {
  // What was the repository's own then, and no more: one that has come to be since is news.
  const { entries } = lookBelow(root, { ...before.options, digestUpTo: 0 });
  const changes: FileChange[] = [];
  for (const [path, stamp] of entries) {
    const old = before.entries.get(path);
    if (!old) changes.push({ path, how: 'added' });
    else if (!isSame(old, stamp, join(root, path))) changes.push({ path, how: 'changed' });
  }
  for (const path of before.entries.keys()) if (!entries.has(path)) changes.push({ path, how: 'removed' });
  return changes.sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** Caches and what belongs to git or to the runner; left out wherever in the tree they are. */
export const isUnwatchedName = (name: string, isFolder = false): boolean =>
  unwatched.has(name) || (name.endsWith('.pyc') && !isFolder);

/** Tools keep caches between the packages, in folders that begin with a dot; programs are in `.bin`, pnpm's packages in `.pnpm`. */
function isPassedOver(entry: Dirent, folder: string, options: SnapshotOptions): boolean {
  const { name } = entry;
  const { installed = false, namesakes = false, all = false } = options;
  if (all) return false;
  if (/(^|\/)node_modules$/.test(folder) && name.startsWith('.')) return name !== '.bin' && name !== '.pnpm';
  if (name === '.git' || name === '.autoresearch') return !namesakes;
  return isUnwatchedName(name, entry.isDirectory()) && !(installed && name === 'node_modules');
}

const unwatched: ReadonlySet<string> = new Set([
  ...['.git', '.autoresearch', 'node_modules', '__pycache__'],
  ...['.pytest_cache', '.mypy_cache', '.ruff_cache', '.ipynb_checkpoints'],
]);

/** Coarser than the clock that any kernel stamps files with. */
const tickMs = 50;

interface Reading {
  readonly sinceNs: bigint;
  readonly digestUpTo: number;
}

/** Undefined when it has gone in between. */
function lookAt(file: string, { sinceNs, digestUpTo }: Reading): EntryStamp | undefined {
  const stats = orUndefined(() => lstatSync(file, { bigint: true }));
  if (!stats) return undefined;
  const stamp = stampOf(stats);
  if (stamp.type === 'link') return { ...stamp, target: orUndefined(() => readlinkSync(file)) ?? '' };
  if (stamp.type !== 'file') return stamp;
  const isFresh = stamp.ctimeNs >= sinceNs;
  // Somebody may have made it a terabyte long: its tick is waited for, it is not read.
  if (isFresh && stamp.size > mostRead) return settled(file) ?? { ...stamp, isFresh };
  if (!isFresh && stamp.size > digestUpTo) return stamp;
  const digest = orUndefined(() => digestFile(file));
  return {
    ...stamp,
    ...(isFresh ? { isFresh } : {}),
    ...(stamp.size > digestUpTo ? { isOnlyFresh: true } : {}),
    ...(digest === undefined ? {} : { digest }),
  };
}

/** Once its tick is over any other change leaves another stamp. Undefined when it does not come to rest. */
function settled(file: string): EntryStamp | undefined {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2 * tickMs);
  const stats = orUndefined(() => lstatSync(file, { bigint: true }));
  if (!stats?.isFile() || stats.ctimeNs >= BigInt(Date.now() - tickMs) * 1_000_000n) return undefined;
  return stampOf(stats);
}

/** Read in a fraction of a second. */
const mostRead = 1 << 28;

/** The time of change cannot be set from outside, so a forged mtime does not help; whoever says "the same" has read it. */
function isSame(old: EntryStamp, now: EntryStamp, file: string): boolean {
  if (old.type !== now.type || old.mode !== now.mode || old.size !== now.size || old.target !== now.target)
    return false;
  const sameStamps = old.ctimeNs === now.ctimeNs && old.mtimeNs === now.mtimeNs && old.ino === now.ino;
  if (sameStamps && !old.isFresh) return true;
  if (old.type === 'link') return true;
  if (old.digest === undefined) return sameStamps && old.type !== 'file';
  // Whether a file that was written again counts must not depend on how quickly somebody looked at it before.
  if (!sameStamps && old.isOnlyFresh) return false;
  return old.digest === (now.digest ?? orUndefined(() => digestFile(file)));
}

const stampOf = (stats: BigIntStats): EntryStamp => ({
  type: stats.isFile() ? 'file' : stats.isSymbolicLink() ? 'link' : 'other',
  mode: Number(stats.mode) & 0o7777,
  size: Number(stats.size),
  mtimeNs: stats.mtimeNs,
  ctimeNs: stats.ctimeNs,
  ino: stats.ino,
});

/** Undefined when the folder cannot be read, or is none any more. */
const entriesIn = (folder: string): readonly Dirent[] | undefined =>
  orUndefined(() => readdirSync(folder, { withFileTypes: true }));

/** Names that are no UTF-8 cannot be asked for as text, and must not go unseen for that. Folders of that kind stay shut. */
function oddNames(root: string, folder: string): [string, EntryStamp][] {
  const odd = readdirSync(join(root, folder), { encoding: 'buffer' }).filter((name) => !isUtf8(name));
  return odd.flatMap((name) => {
    const file = Buffer.concat([Buffer.from(`${join(root, folder)}/`), name]);
    const stats = orUndefined(() => lstatSync(file, { bigint: true }));
    const path = join(
      folder,
      name.toString('latin1').replace(/[\x80-\xff]/g, (byte) => `%${byte.charCodeAt(0).toString(16)}`),
    );
    return stats ? [[path, { ...stampOf(stats), type: 'other' }] as [string, EntryStamp]] : [];
  });
}

function orUndefined<Value>(act: () => Value): Value | undefined {
  try {
    return act();
  } catch {
    return undefined;
  }
}
