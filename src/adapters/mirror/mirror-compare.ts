import { readlinkSync } from 'node:fs';
import { FailureError } from '../../model/failure.js';
import type { Pace } from '../pace.js';
import { isSameContent, type Place } from './mirror-content.js';
import type { Entry, OpenFolder } from './mirror-folder.js';

export type MirrorHow = 'only-in-source' | 'only-in-copy' | 'content' | 'type' | 'mode' | 'missing' | 'unreadable';

export interface Comparing {
  readonly add: (path: string, how: MirrorHow) => void;
  readonly pace: Pace;
}

export interface Sides {
  readonly source: Place;
  readonly copy: Place;
}

/** Two entries and everything below them. What fails on the way is a difference. */
export async function compareEntry(path: string, sides: Sides, comparing: Comparing): Promise<void> {
  const { add, pace } = comparing;
  try {
    await pace.step();
    const [there, here] = [lookAt(sides.source), lookAt(sides.copy)];
    if (there && here) await compareFound(path, { ...sides, there, here }, comparing);
    // Gone since their names were read.
    else add(path, there ? 'only-in-source' : here ? 'only-in-copy' : 'unreadable');
  } catch (error) {
    if (error instanceof FailureError) throw error;
    add(path, 'unreadable');
  }
}

const lookAt = ({ folder, name }: Place): Entry | undefined => folder.look(name);

interface Found extends Sides {
  readonly there: Entry;
  readonly here: Entry;
}

async function compareFound(path: string, found: Found, { add, pace }: Comparing): Promise<void> {
  const { source, copy, there, here } = found;
  if (there.type !== here.type) return add(path, 'type');
  switch (there.type) {
    case 'other':
      return add(path, 'unreadable');
    case 'link':
      return isSameTarget(source, copy) ? undefined : add(path, 'content');
    case 'file':
      if (!(await isSameFile(found, pace))) return add(path, 'content');
      return there.mode === here.mode ? undefined : add(path, 'mode');
    case 'folder':
      if (there.mode !== here.mode) add(path, 'mode');
      return compareFolders(path, found, { add, pace });
  }
}

export const isSameTarget = (a: Place, b: Place): boolean => targetOf(a) === targetOf(b);

export const targetOf = ({ folder, name }: Place): string => readlinkSync(folder.at(name), { encoding: 'latin1' });

async function isSameFile({ source, copy, there, here }: Found, pace: Pace): Promise<boolean> {
  if (there.inode === here.inode) return true;
  return there.size === here.size && isSameContent(source, copy, pace);
}

async function compareFolders(path: string, { source, copy }: Sides, comparing: Comparing): Promise<void> {
  const opened: OpenFolder[] = [];
  try {
    const [there, here] = [source, copy].map(({ folder, name }) => {
      const inner = folder.folder(name);
      opened.push(inner);
      return inner;
    }) as [OpenFolder, OpenFolder];
    const [names, others] = [new Set(there.names()), new Set(here.names())];
    for (const name of [...new Set([...names, ...others])].sort()) {
      const inner = path === '.' ? name : `${path}/${name}`;
      if (!others.has(name)) comparing.add(inner, 'only-in-source');
      else if (!names.has(name)) comparing.add(inner, 'only-in-copy');
      else await compareEntry(inner, { source: { folder: there, name }, copy: { folder: here, name } }, comparing);
    }
  } finally {
    for (const folder of opened) folder.close();
  }
}
