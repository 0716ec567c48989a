import { lstatSync, type Stats, statfsSync } from 'node:fs';
import { dirname, isAbsolute } from 'node:path';
import { foldersIn, type IndexFile, type Settled, settledIndex } from './index-file.js';

/** What files turn into on their way into git, besides what stands in the folder itself. */
export interface ConversionRules {
  /** Of all settings. */
  readonly digest: string;
  /** Attributes of the repository, of the person and of the machine. */
  readonly files: readonly string[];
}

export interface KnownPlace {
  readonly folder: string;
  readonly rules: ConversionRules;
}

export interface KnownIndex {
  /** Of which it holds the files, and nothing else. */
  readonly commit: string;
  readonly index: IndexFile;
  /** By which git compared. */
  readonly rules: string;
}

/** What there is to know before a look, for what is kept of it. */
export interface BeforeLook extends Settled {
  readonly rules: string;
}

/**
 * Indexes of ours as git left them after a look, so that the next one reads only files that were written since. Held in memory, because
 * an agent could write any file. A file counts as unchanged while it has the stamps that it had when git read it; nobody can set back
 * the moment of its last change (ctime). Left out is whatever could be changed once more without another stamp:
 * - what was changed less than a minute ago: within the same second the stamp stays the same, and a page that a program has mapped can be
 *   written unseen until the disk has it, half a minute later;
 * - everything, where the rules changed by which git compares (settings, attributes): what it saw was seen by others;
 * - everything on disks that are not known to keep such stamps.
 */
export class KnownIndexes {
  readonly #known = new Map<string, KnownIndex>();
  readonly #settleS: number;

  constructor({ settleS = 60 }: { readonly settleS?: number } = {}) {
    this.#settleS = settleS;
  }

  /** Undefined when there is none, or none that still holds. */
  of(place: KnownPlace): KnownIndex | undefined {
    const known = this.#known.get(keyOf(place.folder) ?? '');
    return known && rulesNow(known.index, place) === known.rules ? known : undefined;
  }

  /** `file`: the index that git will look with, written this moment. Undefined when nothing of the look can be kept. */
  before(place: KnownPlace, file: string, index: IndexFile): BeforeLook | undefined {
    const rules = rulesNow(index, place);
    if (rules === undefined || !isTrusted(place.folder) || !isTrusted(dirname(file))) return undefined;
    // By the disk's own clock, which may be another one than ours.
    const { ctimeMs, dev } = lstatSync(file);
    return { beforeS: Math.floor(ctimeMs / 1000) - this.#settleS, device: dev >>> 0, rules };
  }

  keep(place: KnownPlace, before: BeforeLook, { commit, index }: Pick<KnownIndex, 'commit' | 'index'>): void {
    const key = keyOf(place.folder);
    if (key === undefined) return;
    this.#known.delete(key);
    const { rules, beforeS } = before;
    if (index.bytes.length > mostBytes || rulesNow(index, place, beforeS) !== rules) return;
    this.#known.set(key, { commit, index: settledIndex(index, before), rules });
    for (const oldest of this.#known.keys()) if (this.#known.size > mostKnown) this.#known.delete(oldest);
  }
}

const mostKnown = 8;
const mostBytes = 32 << 20;

/** The folder itself, wherever it was moved. */
function keyOf(folder: string): string | undefined {
  const stats = lstatSync(folder, { throwIfNoEntry: false });
  return stats && `${stats.dev} ${stats.ino}`;
}

/** Undefined when one of them is no plain file, or was changed then or later. */
function rulesNow(
  index: IndexFile,
  { folder, rules }: KnownPlace,
  beforeS = Number.POSITIVE_INFINITY,
): string | undefined {
  const found = [rules.digest];
  // Where one is missing in the folder, git goes by what the commit says.
  for (const { name, id } of index.entries) if (isAttributes.test(name)) found.push(`${name} ${id}`);
  const bytesOf = (path: string): Buffer => Buffer.concat([Buffer.from(`${folder}/`), Buffer.from(path, 'latin1')]);
  const own = ['', ...[...foldersIn(index)].map((path) => `${path}/`)].map((path) => `${path}.gitattributes`);
  for (const file of [...rules.files, ...own]) {
    const stats = statsAt(isAbsolute(file) ? file : bytesOf(file));
    if (stats === undefined) continue;
    if (stats === 'unknown' || !stats.isFile() || stats.ctimeMs / 1000 >= beforeS) return undefined;
    found.push([file, stats.ino, stats.size, stats.mtimeMs, stats.ctimeMs].join());
  }
  return found.join('\0');
}

const isAttributes = /(^|\/)\.gitattributes$/i;

function statsAt(file: string | Buffer): Stats | 'unknown' | undefined {
  try {
    return lstatSync(file);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === 'ENOENT' || code === 'ENOTDIR' ? undefined : 'unknown';
  }
}

/**
 * By the numbers of statfs(2) on Linux: ext, xfs, btrfs, f2fs, overlay. Not a disk in memory, which no mapped page ever leaves, and
 * none in a network.
 */
const trusted = new Set([0xef53, 0x58465342, 0x9123683e, 0xf2f52010, 0x794c7630]);

const isTrusted = (folder: string): boolean => process.platform === 'linux' && trusted.has(statfsSync(folder).type);
