import { closeSync, existsSync, lstatSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { EndNote, EndNoteReading } from '../../model/files/end-note.js';
import { openPlain, writePlain } from '../disk/plain-file.js';

export const endNoteIn = (runDir: string): string => join(runDir, 'end.json');

/** `folder` is outside of the project, where no agent has anything to do. */
export const endNoteOutside = (folder: string, first: string): string => join(folder, `${first.slice(0, 32)}.json`);

/** Answers with why it could not be written, when that is so: the run itself has ended well all the same. */
export function writeEndNote(file: string, note: EndNote): string | undefined {
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    writePlain(file, `${JSON.stringify(note)}\n`);
    return undefined;
  } catch (error) {
    return `${file} could not be written (${(error as NodeJS.ErrnoException).code ?? 'unknown'}), so autoresearch verify will have a finding`;
  }
}

export function readEndNote(file: string): EndNoteReading {
  if (!existsSync(file) && !isLink(file)) return 'absent';
  const fd = openPlain(file);
  if (fd === undefined) return 'unreadable';
  try {
    const note = JSON.parse(readFileSync(fd, 'utf8')) as EndNote | null;
    return isNote(note) ? note : 'unreadable';
  } catch {
    return 'unreadable';
  } finally {
    closeSync(fd);
  }
}

/** One that leads nowhere. Where something else stands in the place of the folder, there is no note either. */
function isLink(file: string): boolean {
  try {
    return lstatSync(file, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return false;
  }
}

/** With a run that is removed goes the note of its end outside of the project, if it is that of this very run. */
export function removeEndNote(folder: string, runDir: string): void {
  const note = readEndNote(endNoteIn(runDir));
  if (typeof note === 'string') return;
  const file = endNoteOutside(folder, note.first);
  if (JSON.stringify(readEndNote(file)) === JSON.stringify(note)) rmSync(file, { force: true });
}

const isDigest = (text: unknown): boolean => typeof text === 'string' && /^[0-9a-f]{64}$/.test(text);

const isNote = (note: EndNote | null): note is EndNote =>
  note?.version === 1 &&
  typeof note.run === 'string' &&
  isDigest(note.first) &&
  isDigest(note.hash) &&
  Number.isSafeInteger(note.seq);
