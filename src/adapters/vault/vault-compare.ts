import { readPlainFile } from './vault-file.js';
import { type Kept, type KeptEntry, modeOf, stampsOf } from './vault-kept.js';
import { leadingInside } from './vault-links.js';
import { inRoot, look, type Seen, targetOf } from './vault-look.js';
import { ancestorsOf } from './vault-path.js';
import type { VaultRules } from './vault-rules.js';

export interface VaultChange {
  /** Relative to the root, with `/`; `.` is the root itself. */
  readonly path: string;
  readonly how: 'added' | 'changed' | 'removed' | 'mode' | 'type';
}

/** Digests of files that were read, by path, for as long as their stamps stay the same. */
export type KnownDigests = Map<string, { readonly stamps: string; readonly digest: string; readonly blob?: string }>;

export interface Comparing {
  readonly rules: VaultRules;
  readonly known: KnownDigests;
  /** Believes no stamp. Whoever can set the clock can forge them all. */
  readonly thorough?: boolean;
  /** Filled with the stamps of the guarded files. */
  readonly stamps?: Map<string, string>;
}

export function compare(
  kept: Kept,
  { rules, known, thorough = false, stamps: told }: Comparing,
): readonly VaultChange[] {
  const { root, entries } = kept;
  const sinceNs = freshSinceNs();
  const leading = [...entries].filter(([, entry]) => !entry.isGuarded).map(([path]) => path);
  const links = new Set<string>();
  const sight = look(root, rules, { known: leading, links });
  const changes: VaultChange[] = [];
  const top = sight.get('.')!;
  if (top.type !== 'folder') return [{ path: '.', how: top.type === 'absent' ? 'removed' : 'type' }];
  const isSameFile = (path: string, old: KeptEntry, now: Seen): boolean => {
    const stamps = stampsOf(now.stats!);
    if (!thorough && stamps === old.stamps && !old.isFresh) return true;
    // Of what was never read the stamps are all that is known.
    if (old.digest === undefined) return stamps === old.stamps;
    if (BigInt(old.size) !== now.stats!.size) return false;
    const before = known.get(path);
    if (!thorough && before?.stamps === stamps) return before.digest === old.digest;
    return digestNow(path, { root, known, sinceNs }) === old.digest;
  };
  for (const [path, seen] of sight) {
    if (told && seen.isGuarded && seen.type === 'file') told.set(path, stampsOf(seen.stats!));
    const how = howChanged(entries.get(path), seen, { path, root, isSameFile });
    if (how) changes.push({ path, how });
  }
  const unknown = [...links].filter((path) => !sight.has(path));
  for (const path of kept.links ? leadingInside(kept, unknown, rules) : []) changes.push({ path, how: 'added' });
  const isHidden = (path: string): boolean => ['.', ...ancestorsOf(path)].some((above) => sight.get(above)?.isClosed);
  for (const [path, old] of entries)
    if (old.type !== 'absent' && !sight.has(path) && !isHidden(path)) changes.push({ path, how: 'removed' });
  return changes.sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** Younger than this and the clock's tick may not be over yet. */
export const freshSinceNs = (): bigint => BigInt(Date.now() - tickMs) * 1_000_000n;

/** Coarser than the clock that any kernel stamps files with. */
const tickMs = 50;

interface Asked {
  readonly path: string;
  readonly root: string;
  isSameFile(path: string, old: KeptEntry, now: Seen): boolean;
}

function howChanged(old: KeptEntry | undefined, now: Seen, asked: Asked): VaultChange['how'] | undefined {
  if (!old || old.type === 'absent') {
    if (now.isGuarded) return now.type === 'absent' ? undefined : 'added';
    // A new folder on the way is anybody's; a link there would lead to what only looks like the guarded file.
    if (old && now.type === 'link') return 'added';
    return now.isClosed ? 'mode' : undefined;
  }
  if (now.type === 'absent') return 'removed';
  if (now.type !== old.type) return 'type';
  if (old.type === 'link') return targetOf(inRoot(asked.root, asked.path)) === old.target ? undefined : 'changed';
  if (old.type === 'file' && !asked.isSameFile(asked.path, old, now)) return 'changed';
  if (modeOf(now.stats!) !== old.mode) return 'mode';
  return now.isClosed && !old.isClosed ? 'changed' : undefined;
}

interface Reading {
  readonly root: string;
  readonly known: KnownDigests;
  readonly sinceNs: bigint;
}

/** Undefined, which is the same as nothing, when it cannot be read. */
export function digestNow(path: string, { root, known, sinceNs }: Reading): string | undefined {
  try {
    const { digest, stats } = readPlainFile(inRoot(root, path));
    if (stats.ctimeNs < sinceNs)
      known.set(path, { stamps: stampsOf(stats), digest, ...sameBlob(known.get(path), digest) });
    return digest;
  } catch {
    return undefined;
  }
}

/** What git had of a content it has still. */
const sameBlob = (before: ReturnType<KnownDigests['get']>, digest: string): { blob?: string } =>
  before?.blob !== undefined && before.digest === digest ? { blob: before.blob } : {};
