import { chmodSync, lstatSync, mkdirSync, realpathSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { literally } from '../../model/glob.js';
import { type GlobMatch, loadGlobMatch } from '../../source/glob.js';
import { ownLogs } from '../kept/own-logs.js';
import { compare, freshSinceNs, type KnownDigests, type VaultChange } from './vault-compare.js';
import { diffText } from './vault-diff.js';
import { type CopyPlace, type KeepingFile, keptFile } from './vault-keep-file.js';
import { type Kept, type KeptEntry, loadKept, makeKept, modeOf, stampsOf } from './vault-kept.js';
import { inRoot, look, type Seen, targetOf } from './vault-look.js';
import { printable, realFuture } from './vault-path.js';
import { type PutBack, putBack } from './vault-put-back.js';
import { type LeaveOut, leftOut, vaultRules } from './vault-rules.js';
import { VaultStore } from './vault-store.js';

/** Byte-exact copies of the protected part of a project, outside of it; finds what changed and puts it back. */
export interface Vault {
  /** Remembers all that matches now. Throws when something cannot be read: what is not known cannot be guarded. */
  keep(patterns: readonly string[], options?: KeepOptions): Kept;
  /** What an earlier process kept. Throws when the manifest is gone or is not the one with this digest. */
  load(digest: string): Kept;
  /** Paths whose copies on the disk are gone or are not what they should be. Reads them all. */
  damaged(kept: Kept): readonly string[];
  /** Sorted by path. By stamps, reading only where they differ; `thorough` reads everything. */
  changes(kept: Kept, options?: LookOptions): readonly VaultChange[];
  /** Undoes the changes, keeps what stood there in the folder `evidence` (absolute), and looks whether all is well. */
  putBack(kept: Kept, changes: readonly VaultChange[], options: { readonly evidence: string }): PutBack;
  /** For people, and before it is put back. At most `most` characters, 20,000 unless stated. */
  diffText(kept: Kept, changes: readonly VaultChange[], options?: { readonly most?: number }): string;
}

export interface LookOptions {
  readonly thorough?: boolean;
  /** Filled with the stamps of the guarded files. */
  readonly stamps?: Map<string, string>;
}

export interface KeepOptions extends LeaveOut {
  /** Where the copy of a file is to be, by path; every file is copied into the vault unless stated. */
  copyOf?(path: string): CopyPlace;
  /** What cannot be read is remembered as such, instead of standing in the way. */
  readonly isLenient?: boolean;
  /** There may be thousands of files: small copies stand together in one. */
  readonly isMany?: boolean;
}

export async function openVault(places: { readonly root: string; readonly dir: string }): Promise<Vault> {
  const root = realpathSync(places.root);
  const dir = vaultFolder(places.dir, root);
  const [match, store, known] = [await loadGlobMatch(), new VaultStore(dir), new Map() as KnownDigests];
  const rulesOf = (kept: Kept) => {
    if (kept.root !== root) throw new Error(`what was kept belongs to ${kept.root}, not to ${root}`);
    return vaultRules(match, kept.patterns, { leaveOut: [...kept.leaveOut, ...ownLogs(root).map(literally)] });
  };
  const changes: Vault['changes'] = (kept, options) => compare(kept, { rules: rulesOf(kept), known, ...options });
  return {
    keep: (patterns, options = {}) => keep(patterns, { ...options, root, match, store, known }),
    load: (digest) => {
      const manifest = store.bytesOf(digest);
      if (!manifest) throw new Error('the manifest of the vault is gone or has been tampered with');
      const kept = loadKept(manifest.toString(), digest);
      rulesOf(kept);
      return kept;
    },
    damaged: (kept) =>
      [...kept.entries]
        .filter(([, { digest, blob, isUncopied }]) => digest && !blob && !isUncopied && !store.isRight(digest))
        .map(([path]) => path),
    changes,
    putBack: (kept, list, { evidence }) =>
      putBack(kept, list, { store, evidence, rules: rulesOf(kept), look: () => changes(kept, { thorough: true }) }),
    diffText: (kept, list, options) => diffText(kept, list, { store, ...options }),
  };
}

interface Keeping extends KeepOptions {
  readonly root: string;
  readonly match: GlobMatch;
  readonly store: VaultStore;
  readonly known: KnownDigests;
}

/** What goes away between the look and the reading was not there to be kept: locks of git, say. It is looked for anew. */
function keep(patterns: readonly string[], keeping: Keeping): Kept {
  for (let turn = 1; ; turn += 1) {
    try {
      return keepOnce(patterns, keeping);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || turn === 100) throw error;
    }
  }
}

function keepOnce(patterns: readonly string[], { root, match, store, known, ...options }: Keeping): Kept {
  // What we print ourselves is nobody's change, and put back it would be lost.
  const leaveOut = [...(options.leaveOut ?? leftOut), ...ownLogs(root).map(literally)];
  const rules = vaultRules(match, patterns, { leaveOut });
  const sinceNs = freshSinceNs();
  const met = new Set<string>();
  const sight = look(root, rules, { links: met });
  if (sight.get('.')?.type !== 'folder') throw new Error(`${root} is no folder`);
  const entries = new Map<string, KeptEntry>();
  for (const [path, seen] of [...sight].sort(([a], [b]) => (a < b ? -1 : 1))) {
    if (seen.isClosed && !options.isLenient)
      throw new Error(`${printable(path)} cannot be looked into, so it cannot be protected`);
    entries.set(path, keptEntry(path, seen, { root, store, known, sinceNs, ...options }));
  }
  const links = new Map([...met].sort().map((path) => [path, targetOf(inRoot(root, path))]));
  const kept = makeKept({ root, patterns: rules.patterns, leaveOut: rules.leaveOut, entries, links });
  store.keepBytes(kept.digest, Buffer.from(kept.manifest));
  return kept;
}

function keptEntry(path: string, seen: Seen, keeping: KeepingFile): KeptEntry {
  const { type, isGuarded, stats } = seen;
  if (!stats) return { type, isGuarded, mode: 0, size: 0, uid: 0, gid: 0, mtimeNs: '0', stamps: '' };
  const entry: KeptEntry = {
    type,
    isGuarded,
    mode: modeOf(stats),
    size: Number(stats.size),
    uid: Number(stats.uid),
    gid: Number(stats.gid),
    mtimeNs: String(stats.mtimeNs),
    stamps: stampsOf(stats),
    ...(stats.ctimeNs >= keeping.sinceNs ? { isFresh: true } : {}),
  };
  if (seen.isClosed) return { ...entry, isClosed: true };
  if (type === 'link') return { ...entry, target: targetOf(inRoot(keeping.root, path)) };
  return type === 'file' && isGuarded ? keptFile(path, entry, keeping) : entry;
}

/** Outside of the project and not around it, and nobody else's. */
function vaultFolder(dir: string, root: string): string {
  if (!isAbsolute(dir)) throw new Error(`the vault's folder must be absolute, and '${dir}' is not`);
  const real = realFuture(dir);
  const isIn = (inner: string, outer: string): boolean => inner === outer || inner.startsWith(join(outer, '/'));
  if (isIn(real, root) || isIn(root, real)) throw new Error(`the vault's folder ${dir} must be outside of ${root}`);
  mkdirSync(real, { recursive: true, mode: 0o700 });
  const stats = lstatSync(real);
  if (!stats.isDirectory()) throw new Error(`${real} is no folder`);
  if (process.geteuid && stats.uid !== process.geteuid()) throw new Error(`${real} belongs to somebody else`);
  chmodSync(real, 0o700);
  return real;
}

export type { VaultChange } from './vault-compare.js';
export type { Kept, KeptEntry } from './vault-kept.js';
export { loadKept } from './vault-kept.js';
export type { PutBack } from './vault-put-back.js';
