import { FailureError } from '../../model/failure.js';
import type { GlobMatch } from '../../source/glob.js';
import type { CopyPlace } from '../vault/vault-keep-file.js';
import type { Snapshot } from './changed-files.js';

export interface CopyRules {
  /** Globs that may be written: nobody puts them back. */
  readonly allowed: readonly string[];
  /** Globs of what tasks make, and make again when it is gone. */
  readonly made: readonly string[];
  /** Agents cannot write there anyway, or are only to look: what is too much for copies is no reason to refuse. */
  readonly isFenced: boolean;
  readonly match: GlobMatch;
  readonly limits: CopyLimits;
  /** What git has, by path; asked only where there is more than the vault takes. */
  blobs(): Promise<ReadonlyMap<string, string>>;
}

/**
 * Where the copy of each file is to be from which a change can be undone. What nobody could bring back has to have one, in the vault or in
 * git; packages can be installed again and outputs can be made again, so they have copies only while there is room. Throws
 * when there is too much of the rest: an agent that could spoil it for good is not started.
 */
export async function placeCopies(before: Snapshot, rules: CopyRules): Promise<(path: string) => CopyPlace> {
  const { replaceable, others } = sorted(before, rules);
  const { handy, most } = rules.limits;
  let room = total(others);
  const places = new Map<string, CopyPlace>();
  if (!fits(room, handy)) {
    const blobs = await rules.blobs();
    for (const { path } of others) if (blobs.has(path)) places.set(path, { blob: blobs.get(path)! });
    const left = others.filter(({ path }) => !places.has(path));
    room = total(left);
    if (!fits(room, most) && !rules.isFenced)
      throw new FailureError({ code: 'scope-too-large', ...room, most, largest: largest(left, most) });
    if (!fits(room, most)) {
      room = roomFor(left, handy);
      const smallest = left.toSorted((a, b) => a.size - b.size);
      for (const { path } of smallest.slice(room.files)) places.set(path, 'none');
    }
  }
  if (!fits(total(replaceable, room), handy)) for (const { path } of replaceable) places.set(path, 'none');
  return (path) => places.get(path) ?? 'vault';
}

interface Sized {
  readonly path: string;
  readonly size: number;
}

function sorted({ entries }: Snapshot, { allowed, made, match }: CopyRules) {
  const isInstalled = installedIn(entries.keys());
  const [replaceable, others]: [Sized[], Sized[]] = [[], []];
  const meets = (patterns: readonly string[], path: string): boolean =>
    patterns.some((pattern) => pattern === path || match(pattern, path));
  for (const [path, { type, size }] of entries) {
    if (type !== 'file' || meets(allowed, path)) continue;
    (isInstalled(path) || isObject(path) || meets(made, path) ? replaceable : others).push({ path, size });
  }
  return { replaceable, others };
}

/** What a repository below the project holds was mostly cloned from somewhere, and may be more than all the rest. */
const isObject = (path: string): boolean => /(^|\/)\.git\/(.+\/)?objects\//.test(path);

/** Packages of npm, and environments of Python and conda. */
export function installedIn(paths: Iterable<string>): (path: string) => boolean {
  const folders: string[] = [];
  for (const path of paths) {
    const folder = /^(.*\/)(?:pyvenv\.cfg|conda-meta\/history)$/.exec(path)?.[1];
    if (folder !== undefined) folders.push(folder);
  }
  return (path) =>
    /(^|\/)(node_modules|site-packages)\//.test(path) || folders.some((folder) => path.startsWith(folder));
}

export interface Amount {
  readonly files: number;
  readonly bytes: number;
}

const total = (files: readonly Sized[], { files: count, bytes }: Amount = { files: 0, bytes: 0 }): Amount => ({
  files: count + files.length,
  bytes: files.reduce((sum, { size }) => sum + size, bytes),
});

/** Of as many as there is room for, the smallest first. */
function roomFor(files: readonly Sized[], { files: count, bytes }: Amount): Amount {
  let room: Amount = { files: 0, bytes: 0 };
  for (const { size } of files.toSorted((a, b) => a.size - b.size)) {
    if (room.files === count || room.bytes + size > bytes) break;
    room = { files: room.files + 1, bytes: room.bytes + size };
  }
  return room;
}

const fits = (one: Amount, most: Amount): boolean => one.files <= most.files && one.bytes <= most.bytes;

export interface CopyLimits {
  /** Copied in a few seconds, once in a run. Beyond it, what git has is left to git. */
  readonly handy: Amount;
  /** Worth waiting for where it is in no commit, and no more. */
  readonly most: Amount;
}

export const copyLimits: CopyLimits = {
  handy: { files: 20_000, bytes: 300_000_000 },
  most: { files: 50_000, bytes: 1_000_000_000 },
};

/** The folder, or file, at the top of the project that has the most of it. */
function largest(files: readonly Sized[], most: Amount): string {
  const shares = new Map<string, number>();
  for (const { path, size } of files) {
    const top = path.split('/')[0]!;
    shares.set(top, (shares.get(top) ?? 0) + size / most.bytes + 1 / most.files);
  }
  return [...shares].sort(([, a], [, b]) => b - a)[0]?.[0] ?? '';
}
