import type { BigIntStats } from 'node:fs';
import { blobSum } from '../git/git-blob.js';
import type { KnownDigests } from './vault-compare.js';
import { readPlainFile } from './vault-file.js';
import { type KeptEntry, modeOf, stampsOf } from './vault-kept.js';
import { inRoot } from './vault-look.js';
import type { VaultStore } from './vault-store.js';

/** `none`: there is room for none. Otherwise the object of git that should be this file. */
export type CopyPlace = 'vault' | 'none' | { readonly blob: string };

export interface KeepingFile {
  readonly root: string;
  readonly store: VaultStore;
  readonly known: KnownDigests;
  readonly sinceNs: bigint;
  /** Where the copy of a file is to be; every file is copied unless stated. */
  copyOf?(path: string): CopyPlace;
  /** What cannot be read has no copy, and is not in the way. */
  readonly isLenient?: boolean;
  /** There may be thousands: small copies stand together in one file. */
  readonly isMany?: boolean;
}

/** The stamps are those of the moment of reading: what was written in between must not pass for what was read. */
export function keptFile(path: string, entry: KeptEntry, keeping: KeepingFile): KeptEntry {
  try {
    return copiedFile(path, entry, keeping);
  } catch (error) {
    if (!keeping.isLenient || (error as NodeJS.ErrnoException).code !== 'EACCES') throw error;
    return { ...entry, isUncopied: true };
  }
}

function copiedFile(path: string, entry: KeptEntry, keeping: KeepingFile): KeptEntry {
  const { root, store, known, sinceNs, copyOf } = keeping;
  const place = copyOf?.(path) ?? 'vault';
  const file = inRoot(root, path);
  // Only what is so new that its stamps say nothing is read.
  if (place === 'none')
    return { ...entry, isUncopied: true, ...(entry.isFresh ? { digest: readPlainFile(file).digest } : {}) };
  const before = known.get(path);
  if (before?.stamps === entry.stamps && (before.blob !== undefined || store.isSound(before.digest)))
    return { ...entry, ...copied(before) };
  const blob = typeof place === 'object' ? place.blob : undefined;
  const sum = blob === undefined ? undefined : blobSum(blob, entry.size);
  const { digest, bytes, stats } = readPlainFile(file, sum?.add, sum?.begin);
  // What was read is what git has: neither a filter nor a flag of the index has a say in it.
  const inGit = blob !== undefined && sum?.digest() === blob ? { blob } : {};
  if (!inGit.blob && bytes) store.keepBytes(digest, bytes, keeping.isMany ? 'packed' : 'alone');
  else if (!inGit.blob) store.keepFile(digest, file);
  const isFresh = stats.ctimeNs >= sinceNs;
  if (!isFresh) known.set(path, { stamps: stampsOf(stats), digest, ...inGit });
  return { ...entry, ...asRead(stats), digest, ...inGit, ...(isFresh ? { isFresh } : {}) };
}

const copied = ({ digest, blob }: { readonly digest: string; readonly blob?: string }) => ({
  digest,
  ...(blob === undefined ? {} : { blob }),
});

const asRead = (stats: BigIntStats): Pick<KeptEntry, 'size' | 'mode' | 'stamps'> => ({
  size: Number(stats.size),
  mode: modeOf(stats),
  stamps: stampsOf(stats),
});
