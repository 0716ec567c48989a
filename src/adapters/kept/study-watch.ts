import { lstatSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { digestFile } from '../disk/file-digest.js';
import { newFolder } from '../disk/new-folder.js';
import { writePlain } from '../disk/plain-file.js';

export interface StudyWatchOptions {
  readonly root: string;
  /** Relative to the root. */
  readonly files: readonly string[];
  /** Absolute, and outside of the project. */
  evidence(): string;
}

/** What says what the study is, looked at again and again while a run goes by what it said at its beginning. */
export interface StudyWatch {
  /** What is not as it was when this was asked for the last time; each change is told once. */
  changed(): readonly string[];
  /** Keeps what the files were at the beginning for people to compare; answers with the folder. */
  keep(files: readonly string[]): string;
}

export function watchStudy({ root, files, evidence }: StudyWatchOptions): StudyWatch {
  const texts = new Map(files.map((path) => [path, textOf(join(root, path))]));
  const seen = new Map(files.map((path) => [path, look(join(root, path))]));
  return {
    changed: () =>
      files.filter((path) => {
        const before = seen.get(path)!;
        const now = look(join(root, path), before);
        seen.set(path, now);
        return now.digest !== before.digest;
      }),
    keep(changed) {
      const folder = newFolder(evidence(), root);
      for (const path of changed) {
        const text = texts.get(path);
        if (text === undefined) continue;
        mkdirSync(dirname(join(folder, 'before', path)), { recursive: true });
        writePlain(join(folder, 'before', path), text);
      }
      return folder;
    },
  };
}

interface Look {
  readonly stamps: string;
  readonly digest: string;
}

/** A file that has been left alone for a while is not read again: these looks come after every attempt. */
function look(file: string, before?: Look): Look {
  const stats = lstatSync(file, { bigint: true, throwIfNoEntry: false });
  if (!stats) return { stamps: '', digest: 'nothing' };
  const isFresh = stats.ctimeNs >= BigInt(Date.now() - tickMs) * 1_000_000n;
  const stamps = isFresh ? '' : `${stats.ino}:${stats.size}:${stats.mtimeNs}:${stats.ctimeNs}`;
  if (before && stamps !== '' && before.stamps === stamps) return before;
  try {
    return { stamps, digest: digestFile(file) };
  } catch {
    return { stamps, digest: 'no file' };
  }
}

/** Coarser than the clock that any kernel stamps files with. */
const tickMs = 50;

const textOf = (file: string): string | undefined => {
  try {
    return lstatSync(file).size > mostKept ? undefined : readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
};

const mostKept = 1_000_000;
