import { hash, randomBytes } from 'node:crypto';
import { readdirSync, readFileSync, rmSync, statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { writeDurable } from '../disk/durable-file.js';
import type { NotedGit } from '../git/git-watch.js';

/**
 * What a tree was like before somebody worked there who may not write everything, held outside of the project while they do: should the
 * runner be killed, the next one finds it, and puts back what was written since.
 */
export interface WatchNote {
  readonly version: 1;
  readonly run: string;
  readonly task: string;
  readonly agent: string;
  /** Absolute: the project, or a worktree. */
  readonly place: string;
  readonly begunMs: number;
  /** In the vault of the place. */
  readonly kept: readonly string[];
  /** What no scope could allow. */
  readonly held: readonly string[];
  readonly git?: NotedGit;
  /** So that no two notes are the same. */
  readonly mark: string;
}

export interface FoundNote extends WatchNote {
  readonly file: string;
  readonly name: string;
  /** The last time that its runner is known to have lived. */
  readonly aliveMs: number;
}

export interface OpenNote {
  readonly name: string;
  end(): void;
}

/**
 * Its name is the digest of what it says, so that a journal that knows the name knows it all. Its time is a sign of life: what is written in
 * the tree long after the last one was written by somebody else.
 */
export function openNote(folder: string, note: Omit<WatchNote, 'version' | 'begunMs' | 'mark'>): OpenNote {
  const whole: WatchNote = { version: 1, begunMs: Date.now(), ...note, mark: randomBytes(8).toString('hex') };
  const text = `${JSON.stringify(whole)}\n`;
  const name = nameOf(text);
  const file = join(folder, `${name}.json`);
  writeDurable(file, text);
  const beat = setInterval(() => touch(file), beatMs);
  beat.unref();
  return {
    name,
    end() {
      clearInterval(beat);
      rmSync(file, { force: true });
    },
  };
}

const nameOf = (text: string): string => hash('sha256', text).slice(0, 32);

/** The newest first. Throws for one that is not what it was: it says what may have been violated. */
export function readNotes(folder: string): readonly FoundNote[] {
  return namesIn(folder)
    .filter((name) => /^[0-9a-f]+\.json$/.test(name))
    .map((name) => {
      const file = join(folder, name);
      const text = readFileSync(file, 'utf8');
      if (`${nameOf(text)}.json` !== name) throw new Error(`${file} has been tampered with`);
      return { ...(JSON.parse(text) as WatchNote), file, name: name.slice(0, -5), aliveMs: statSync(file).mtimeMs };
    })
    .sort((a, b) => b.begunMs - a.begunMs);
}

export const noteNames = (folder: string): ReadonlySet<string> =>
  new Set(namesIn(folder).map((name) => name.replace(/\.json$/, '')));

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

const beatMs = 1000;

function touch(file: string): void {
  try {
    const now = Date.now() / 1000;
    utimesSync(file, now, now);
  } catch {
    // Whoever took it away is found out when it is missed.
  }
}
