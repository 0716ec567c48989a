import { type BigIntStats, lstatSync, readdirSync, readlinkSync } from 'node:fs';
import { ancestorsOf, diskName, parentOf, textOf } from './vault-path.js';
import type { VaultRules } from './vault-rules.js';

export type EntryType = 'file' | 'link' | 'folder' | 'fifo' | 'socket' | 'device' | 'absent';

/** What the disk says of a path now. */
export interface Seen {
  readonly type: EntryType;
  /** Not so: it only leads to something that is guarded, and its content is nobody's business here. */
  readonly isGuarded: boolean;
  readonly stats?: BigIntStats;
  /** A folder that cannot be looked into. */
  isClosed?: true;
}

export type Sight = Map<string, Seen>;

/**
 * `links` is filled with the links on the way that nobody guards. Everything that the rules ask for, with the folders that lead there, without following a link. `known` are further
 * paths to look at. The root itself is `.`, and when that is no folder there is nothing else to see.
 */
export function look(
  root: string,
  rules: VaultRules,
  { known = [], links }: { readonly known?: Iterable<string>; readonly links?: Set<string> } = {},
): Sight {
  const sight: Sight = new Map();
  const top = lstatSync(root, { bigint: true, throwIfNoEntry: false });
  sight.set('.', { ...seenAs(top), isGuarded: false });
  if (!top?.isDirectory()) return sight;
  const open: Folder[] = [];
  for (const base of rules.bases) {
    const found = lookDownTo(base, { root, rules, sight });
    const isCovered = rules.bases.some((other) => other !== base && (other === '' || base.startsWith(`${other}/`)));
    if (found && !isCovered) open.push(found);
  }
  for (let folder = open.pop(); folder; folder = open.pop())
    open.push(...lookInto(folder, { root, rules, sight, links }));
  for (const path of [...known].sort()) {
    if (sight.has(path)) continue;
    const parent = sight.get(parentOf(path) || '.');
    if (parent?.type === 'folder') note(path, { root, sight, isGuarded: false });
  }
  return sight;
}

export const inRoot = (root: string, path: string): string | Buffer =>
  diskName(path === '.' ? root : `${root}/${path}`);

export function targetOf(file: string | Buffer): string {
  const target = readlinkSync(file);
  return target.includes('\ufffd') ? textOf(readlinkSync(file, { encoding: 'buffer' })) : target;
}

export const typeOf = (stats: BigIntStats | undefined): EntryType => {
  if (!stats) return 'absent';
  if (stats.isFile()) return 'file';
  if (stats.isDirectory()) return 'folder';
  if (stats.isSymbolicLink()) return 'link';
  return stats.isFIFO() ? 'fifo' : stats.isSocket() ? 'socket' : 'device';
};

interface Looking {
  readonly root: string;
  readonly rules: VaultRules;
  readonly sight: Sight;
  readonly links?: Set<string> | undefined;
}

type Reach = ReturnType<VaultRules['reachOf']>;

interface Folder {
  readonly path: string;
  /** All that is in it is guarded, whatever its name. */
  readonly isAllGuarded: boolean;
}

/** The way from the root to where a glob begins; what is missing on it is remembered as missing. */
function lookDownTo(base: string, { root, rules, sight }: Looking): Folder | undefined {
  if (base === '') return { path: '', isAllGuarded: false };
  let isAllGuarded = false;
  for (const path of [...ancestorsOf(base), base]) {
    if (rules.isLeftOut(path)) return undefined;
    const reach: Reach = isAllGuarded ? 'below' : rules.reachOf(path);
    isAllGuarded = reach === 'below';
    if (note(path, { root, sight, isGuarded: reach !== undefined }).type !== 'folder') return undefined;
  }
  return { path: base, isAllGuarded };
}

function lookInto({ path: folder, isAllGuarded }: Folder, { root, rules, sight, links }: Looking): Folder[] {
  const inside: Folder[] = [];
  try {
    for (const name of namesIn(inRoot(root, folder || '.'))) {
      const path = folder === '' ? name : `${folder}/${name}`;
      if (rules.isLeftOut(path)) continue;
      const reach = isAllGuarded ? 'below' : rules.reachOf(path);
      const seen = seenAs(lstatSync(inRoot(root, path), { bigint: true, throwIfNoEntry: false }));
      if (reach && seen.type !== 'absent') {
        if (folder !== '' && !sight.has(folder))
          for (const above of ancestorsOf(path)) note(above, { root, sight, isGuarded: false });
        sight.set(path, { ...seen, isGuarded: true });
      }
      if (seen.type === 'link' && !reach) links?.add(path);
      if (seen.type === 'folder') inside.push({ path, isAllGuarded: reach === 'below' });
    }
  } catch {
    const closed = sight.get(folder || '.') ?? note(folder, { root, sight, isGuarded: false });
    closed.isClosed = true;
  }
  return inside;
}

function note(path: string, { root, sight, isGuarded }: { root: string; sight: Sight; isGuarded: boolean }): Seen {
  const old = sight.get(path);
  if (old && (old.isGuarded || !isGuarded)) return old;
  let seen: Seen;
  try {
    seen = { ...seenAs(lstatSync(inRoot(root, path), { bigint: true, throwIfNoEntry: false })), isGuarded };
  } catch {
    // Its folder lets nobody through, and that is what has to be told.
    const parent = sight.get(parentOf(path) || '.');
    if (parent) parent.isClosed = true;
    return { type: 'absent', isGuarded };
  }
  sight.set(path, seen);
  return seen;
}

const seenAs = (stats: BigIntStats | undefined): Omit<Seen, 'isGuarded'> => ({
  type: typeOf(stats),
  ...(stats ? { stats } : {}),
});

function namesIn(folder: string | Buffer): readonly string[] {
  const names = readdirSync(folder, 'utf8');
  if (!names.some((name) => name.includes('\ufffd'))) return names;
  return readdirSync(folder, { encoding: 'buffer' }).map(textOf);
}
