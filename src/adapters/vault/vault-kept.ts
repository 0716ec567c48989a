import { createHash } from 'node:crypto';
import type { BigIntStats } from 'node:fs';
import type { EntryType } from './vault-look.js';

/** What a protected part of a project was like, to the byte. */
export interface Kept {
  /** All of it as JSON. Whoever has this text and the digest can go on after a crash. */
  readonly manifest: string;
  /** sha256 of the manifest: a record of it makes any change to the manifest and to the copies evident. */
  readonly digest: string;
  readonly root: string;
  readonly patterns: readonly string[];
  readonly leaveOut: readonly string[];
  readonly entries: ReadonlyMap<string, KeptEntry>;
  /** Where the links led that nobody guards; absent in what older versions kept. */
  readonly links?: ReadonlyMap<string, string>;
}

export interface KeptEntry {
  /** `absent`: it was not there, and matters because a glob begins with it. */
  readonly type: EntryType;
  /** Not so: a folder that only leads to something guarded. */
  readonly isGuarded: boolean;
  readonly mode: number;
  readonly size: number;
  readonly uid: number;
  readonly gid: number;
  readonly mtimeNs: string;
  /** Device, inode, times: while they are the same, nobody has written to it. */
  readonly stamps: string;
  /** Changed so lately that the next change might leave the same stamps. */
  readonly isFresh?: true;
  /** Of files. */
  readonly digest?: string;
  /** A file that is not in the vault; what stands there after a change is taken away. */
  readonly isUncopied?: true;
  /** A file that is not in the vault because git has it, as this object. */
  readonly blob?: string;
  /** A folder that could not be looked into. */
  readonly isClosed?: true;
  /** Of links. */
  readonly target?: string;
}

export function makeKept(content: Omit<Kept, 'manifest' | 'digest'>): Kept {
  const { root, patterns, leaveOut, entries, links } = content;
  const told = { version: 1, root, patterns, leaveOut, entries: [...entries] };
  const manifest = JSON.stringify({ ...told, ...(links ? { links: [...links] } : {}) });
  return { ...content, manifest, digest: digestOf(manifest) };
}

/** Throws unless the manifest is, to the byte, the one that the digest was taken of. */
export function loadKept(manifest: string, expectedDigest: string): Kept {
  if (digestOf(manifest) !== expectedDigest) throw new Error('the manifest of the vault has been tampered with');
  const { version, root, patterns, leaveOut, entries, links } = JSON.parse(manifest);
  if (version !== 1) throw new Error(`the manifest of the vault has the unknown version ${version}`);
  const kept = { manifest, digest: expectedDigest, root, patterns, leaveOut, entries: new Map(entries) } as Kept;
  return links ? { ...kept, links: new Map(links) } : kept;
}

export const stampsOf = ({ dev, ino, size, mtimeNs, ctimeNs }: BigIntStats): string =>
  `${dev}:${ino}:${size}:${mtimeNs}:${ctimeNs}`;

export const modeOf = (stats: BigIntStats): number => Number(stats.mode) & 0o7777;

const digestOf = (text: string): string => createHash('sha256').update(text).digest('hex');
