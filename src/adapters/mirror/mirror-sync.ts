import { randomBytes } from 'node:crypto';
import { closeSync, fchmodSync, mkdirSync, openSync, renameSync, rmdirSync, symlinkSync, unlinkSync } from 'node:fs';
import { FailureError } from '../../model/failure.js';
import { diskError } from '../disk/disk-error.js';
import { Pace } from '../pace.js';
import { type MirrorOptions, type MirrorPair, mirrorDifferences, mirrorText } from './mirror.js';
import { isSameTarget, type Sides, targetOf } from './mirror-compare.js';
import { copyContent, isSameContent, type Place } from './mirror-content.js';
import { bytes, type Entry, fromText, OpenFolder, toText } from './mirror-folder.js';
import { guardedPair, type RealPlace } from './mirror-guard.js';

/**
 * Makes the copy equal to its source: a file is there in its old form or in its new one, and what the source has not is
 * removed. Only ever done when somebody asked for it. Fails before it changes anything when the source cannot be copied
 * as a whole, and afterwards when the two still differ, because somebody else wrote at the same time.
 */
export async function syncMirror(
  pair: MirrorPair,
  root: string,
  { signal }: Pick<MirrorOptions, 'signal'> = {},
): Promise<void> {
  const pace = new Pace(signal);
  const { from, to } = guardedPair(pair, root);
  const opened: OpenFolder[] = [];
  try {
    const [source, copy] = [from, to].map((place) => openPlace(place, opened)) as [Place, Place];
    await checkSource(source, pace);
    await syncEntry({ source, copy }, pace);
  } catch (error) {
    throw diskError(error, pair[1]);
  } finally {
    for (const folder of opened) folder.close();
  }
  const left = await mirrorDifferences([pair], root, { most: 3, ...(signal ? { signal } : {}) });
  if (left.count > 0) fail(pair[1], `still differs from ${pair[0]}: ${mirrorText(left).trim().replaceAll('\n', '; ')}`);
}

function openPlace({ parent, name }: RealPlace, opened: OpenFolder[]): Place {
  const folder = new OpenFolder(fromText(parent));
  opened.push(folder);
  if (!folder.isAt(fromText(parent))) fail(parent, 'it was swapped for a link');
  return { folder, name: fromText(name) };
}

function fail(file: string, detail: string): never {
  throw new FailureError({ code: 'not-writable', file, detail });
}

/** Opens everything once. */
async function checkSource({ folder, name }: Place, pace: Pace): Promise<void> {
  await pace.step();
  const { type } = entryOf({ folder, name });
  if (type === 'other') fail(toText(name), 'the source has a pipe, a socket or a device of that name');
  if (type === 'file') closeSync(folder.read(name));
  if (type !== 'folder') return;
  await within({ folder, name }, async (inner) => {
    for (const each of inner.names()) await checkSource({ folder: inner, name: each }, pace);
  });
}

function entryOf({ folder, name }: Place): Entry {
  return folder.look(name) ?? fail(toText(name), 'it vanished from the source meanwhile');
}

async function within(place: Place, act: (folder: OpenFolder) => Promise<void>): Promise<void> {
  const folder = place.folder.folder(place.name);
  try {
    await act(folder);
  } finally {
    folder.close();
  }
}

async function syncEntry(sides: Sides, pace: Pace): Promise<void> {
  await pace.step();
  const { source, copy } = sides;
  const there = entryOf(source);
  const here = copy.folder.look(copy.name);
  if (there.type === 'folder') return syncFolder(sides, there, pace);
  if (here?.type === there.type && (await isFaithful(sides, there.mode === here.mode, pace))) return;
  if (here?.type === 'folder') removeTree(copy);
  const temporary = { folder: copy.folder, name: `.autoresearch-sync-${randomBytes(8).toString('hex')}` };
  try {
    if (there.type === 'link') symlinkSync(bytes(targetOf(source)), temporary.folder.at(temporary.name));
    else if (there.type === 'file') await writeFile({ source, copy: temporary }, there.mode, pace);
    else fail(toText(source.name), 'it became a pipe, a socket or a device meanwhile');
    renameSync(temporary.folder.at(temporary.name), copy.folder.at(copy.name));
  } catch (error) {
    unlinkIfThere(temporary);
    throw error;
  }
}

/** A file with other permissions is written anew: it may have further names elsewhere, which would get them too. */
async function isFaithful({ source, copy }: Sides, isSameMode: boolean, pace: Pace): Promise<boolean> {
  if (entryOf(source).type === 'link') return isSameTarget(source, copy);
  // What cannot be read is replaced.
  return isSameMode && (await isSameContent(source, copy, pace).catch(() => false));
}

async function writeFile({ source, copy }: Sides, mode: number, pace: Pace): Promise<void> {
  const from = source.folder.read(source.name);
  try {
    const to = openSync(copy.folder.at(copy.name), 'wx', 0o600);
    try {
      await copyContent(from, to, pace);
      fchmodSync(to, mode);
    } finally {
      closeSync(to);
    }
  } finally {
    closeSync(from);
  }
}

async function syncFolder({ source, copy }: Sides, there: Entry, pace: Pace): Promise<void> {
  const here = copy.folder.look(copy.name);
  if (here && here.type !== 'folder') removeTree(copy);
  if (here?.type !== 'folder') mkdirSync(copy.folder.at(copy.name), 0o700);
  await within(source, (from) =>
    within(copy, async (to) => {
      // Write-protected while nobody works in it.
      fchmodSync(to.fd, there.mode | 0o700);
      const names = from.names();
      const known = new Set(names);
      for (const name of to.names()) if (!known.has(name)) removeTree({ folder: to, name });
      for (const name of names) await syncEntry({ source: { folder: from, name }, copy: { folder: to, name } }, pace);
      fchmodSync(to.fd, there.mode);
    }),
  );
}

/** A link is removed, not what it leads to. */
function removeTree({ folder, name }: Place): void {
  if (folder.look(name)?.type !== 'folder') {
    unlinkIfThere({ folder, name });
    return;
  }
  const inner = folder.folder(name);
  try {
    fchmodSync(inner.fd, 0o700);
    for (const each of inner.allNames()) removeTree({ folder: inner, name: each });
  } finally {
    inner.close();
  }
  rmdirSync(folder.at(name));
}

/** `rm` takes no bytes for a path, and there are names that are no text. */
function unlinkIfThere({ folder, name }: Place): void {
  try {
    unlinkSync(folder.at(name));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
}
