import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import { newFolder } from '../disk/new-folder.js';
import { changedSince, type EntryStamp, type Snapshot, snapshot } from './changed-files.js';
import type { HiddenFile, LeftNote } from './left-outside.js';
import { isThere, moveAway } from './move-away.js';
import { isCachePath } from './written-caches.js';

export interface HiddenOptions {
  /** The project folder, real. */
  readonly root: string;
  /** Whether this is one of the files that the loop keeps or puts back, and of which git has to know for that. */
  isKept?(path: string): boolean;
  /** Absolute: where what was found is kept. */
  evidence(): string;
  /** Of these files, those that git ignores. */
  ignored(files: readonly string[]): Promise<ReadonlySet<string>>;
  /** Where what is found is written down before anything is done about it. */
  readonly note: LeftNote;
  /** Absent when nobody was at the iteration before. */
  readonly goneOn?: GoneOn | undefined;
}

/** An iteration that a runner was at before. */
export interface GoneOn {
  readonly begunMs: number;
  /** What was written since is made again by whoever made it, if that was a task. */
  readonly redoneMs: number;
}

/** What git ignores among the files of a loop: no commit would hold it, and no revert would take it away. Caches are looked after elsewhere. */
export class HiddenFiles {
  readonly #options: HiddenOptions;
  /** What was there when the iteration began, if that is known. */
  readonly #before: ReadonlySet<string> | undefined;

  constructor(options: HiddenOptions, before: ReadonlySet<string> | undefined) {
    this.#options = options;
    this.#before = before;
  }

  /**
   * Takes away what would be measured and is no work of a task that counts: what came while nobody was at the iteration, and what those have left
   * who begin anew. Answers with what there is then.
   */
  async begin(): Promise<Snapshot> {
    const { root, goneOn, note } = this.#options;
    const found = snapshot(root, seen);
    if (!goneOn || goneOn.redoneMs === Number.POSITIVE_INFINITY) return found;
    const late = [...found.entries].filter(([path, stamp]) => this.#isNew(path) && isLater(stamp, goneOn.redoneMs));
    const away = await this.#ignoredOf(late.map(([path]) => path));
    if (away.length === 0) return found;
    note.add({ cleared: away, outside: [] });
    this.#moveAway(away);
    return snapshot(root, seen);
  }

  /** Those that came, or were changed, since the iteration began. */
  async since(begin: Snapshot): Promise<readonly HiddenFile[]> {
    const { root, goneOn } = this.#options;
    const written = changedSince(begin, root).flatMap(({ path, how }) => (how === 'removed' ? [] : [path]));
    // Before this runner was there; what a stamp says of a file that was there before all of them, it says of a change.
    const isOwed = ([path, stamp]: [string, EntryStamp]): boolean =>
      this.#isNew(path) || (goneOn !== undefined && isLater(stamp, goneOn.begunMs));
    const owed = this.#before || goneOn ? [...begin.entries].filter(isOwed).map(([path]) => path) : [];
    const found = await this.#ignoredOf([...new Set([...written, ...owed])]);
    return found.map((path) => ({ path, bornMs: this.#bornMs(path) }));
  }

  /** Those of them that were not there when it began. */
  takeAway(hidden: readonly HiddenFile[], begin: Snapshot): void {
    const isKnown = this.#before || this.#options.goneOn;
    const isNew = (path: string): boolean => (isKnown ? this.#isNew(path) : !begin.entries.has(path));
    this.#moveAway(hidden.map(({ path }) => path).filter(isNew));
  }

  #isNew(path: string): boolean {
    const { goneOn } = this.#options;
    if (this.#before) return !this.#before.has(path);
    return goneOn !== undefined && this.#bornMs(path) > goneOn.begunMs;
  }

  #bornMs = (path: string): number =>
    lstatSync(join(this.#options.root, path), { throwIfNoEntry: false })?.birthtimeMs ?? 0;

  async #ignoredOf(paths: readonly string[]): Promise<readonly string[]> {
    const { root, isKept, ignored } = this.#options;
    const files = paths.filter((path) => isKept?.(path) && !isCachePath(path) && isThere(root, path));
    if (files.length === 0) return [];
    const unknown = await ignored(files);
    return files.filter((path) => unknown.has(path)).sort();
  }

  #moveAway(paths: readonly string[]): void {
    const { root, evidence } = this.#options;
    if (paths.length === 0) return;
    const folder = newFolder(evidence(), root);
    for (const path of paths) moveAway(root, path, join(folder, 'left'));
  }
}

const seen = { installed: true, namesakes: true };

/** By more than what the times of a journal leave out. */
const isLater = ({ ctimeNs }: EntryStamp, ms: number): boolean => ctimeNs > BigInt(Math.floor(ms) + 1) * 1_000_000n;
