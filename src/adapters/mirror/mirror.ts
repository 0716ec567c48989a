import { lstatSync, realpathSync } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import { FailureError } from '../../model/failure.js';
import { Pace } from '../pace.js';
import { type Comparing, compareEntry, type MirrorHow } from './mirror-compare.js';
import type { Place } from './mirror-content.js';
import { fromText, OpenFolder, toText } from './mirror-folder.js';

/** The source and its installed copy, absolute or relative to the project. */
export type MirrorPair = readonly [source: string, copy: string];

export interface MirrorDifference {
  readonly pair: MirrorPair;
  /** Below both, with `/`; `.` for the two themselves, and for `missing` that one of the two which is not there. */
  readonly path: string;
  readonly how: MirrorHow;
}

export interface MirrorDifferences {
  /** The first of them. */
  readonly list: readonly MirrorDifference[];
  /** Of all. The copies are faithful when it is 0, and only then. */
  readonly count: number;
}

export interface MirrorOptions {
  /** How many differences are listed; 100 unless stated. */
  readonly most?: number;
  readonly signal?: AbortSignal;
}

/**
 * Where copies differ from their sources: in content, type, permissions, targets of links. Everything is read, and what
 * cannot be read or compared counts as different. Follows no link below the two, and neither of the two may be one.
 */
export async function mirrorDifferences(
  pairs: readonly MirrorPair[],
  root: string,
  { most = 100, signal }: MirrorOptions = {},
): Promise<MirrorDifferences> {
  const list: MirrorDifference[] = [];
  let count = 0;
  for (const pair of pairs) {
    const add = (path: string, how: MirrorHow): void => {
      count += 1;
      if (list.length < most) list.push({ pair, path: toText(path), how });
    };
    await comparePair(pair, root, { add, pace: new Pace(signal) });
  }
  return { list, count };
}

/** A line for each, and one for those that are not listed. */
export function mirrorText({ list, count }: MirrorDifferences): string {
  const lines = list.map(({ pair: [source, copy], path, how }) => {
    const [there, here] = path === '.' ? [source, copy] : [`${source}/${path}`, `${copy}/${path}`];
    return wordsFor[how](plain(how === 'missing' ? path : there), plain(here));
  });
  if (count > list.length) lines.push(`and ${count - list.length} more`);
  return lines.map((line) => `${line}\n`).join('');
}

const wordsFor: Record<MirrorHow, (there: string, here: string) => string> = {
  'only-in-source': (there, here) => `${there} is not in the copy: ${here}`,
  'only-in-copy': (there, here) => `${here} is not in the source: ${there}`,
  content: (there, here) => `${here} has another content than ${there}`,
  type: (there, here) => `${here} is of another kind than ${there}, or a link where none may be`,
  mode: (there, here) => `${here} has other permissions than ${there}`,
  missing: (there) => `${there} does not exist`,
  unreadable: (there, here) => `${here} and ${there} cannot be compared, because one of them cannot be read`,
};

/** Whoever works in a tree chooses the names in it. */
const plain = (path: string): string => path.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, '?');

async function comparePair(pair: MirrorPair, root: string, comparing: Comparing): Promise<void> {
  const isThere = pair.map((path) => isSomething(resolve(root, path)));
  for (const [index, there] of isThere.entries()) if (!there) comparing.add(fromText(pair[index]!), 'missing');
  if (isThere.includes(false)) return;
  const opened: OpenFolder[] = [];
  try {
    const [source, copy] = pair.map((path) => {
      const absolute = resolve(root, path);
      const folder = new OpenFolder(fromText(realpathSync.native(dirname(absolute))));
      opened.push(folder);
      // What the root of the disk is called in itself.
      const name = fromText(basename(absolute)) || '.';
      return { folder, name };
    }) as [Place, Place];
    if ([source, copy].some(({ folder, name }) => folder.look(name)?.type === 'link')) comparing.add('.', 'type');
    else await compareEntry('.', { source, copy }, comparing);
  } catch (error) {
    if (error instanceof FailureError) throw error;
    comparing.add('.', 'unreadable');
  } finally {
    for (const folder of opened) folder.close();
  }
}

/** A path that cannot be looked at is there, as far as we know; it shows when it is read. */
function isSomething(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return true;
  }
}
