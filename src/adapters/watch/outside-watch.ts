import { cpSync, lstatSync, mkdirSync, readdirSync, renameSync, rmdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { GlobMatch } from '../../source/glob.js';
import { newFolder } from '../disk/new-folder.js';
import { readPlain, writePlain } from '../disk/plain-file.js';
import type { Vault } from '../vault/vault.js';
import { changedSince, type Snapshot, snapshot } from './changed-files.js';
import { watchTree } from './tree-watch.js';
import { isCachePath } from './written-caches.js';

export interface OutsideOptions {
  /** The project folder, real. */
  readonly root: string;
  /** Globs of what an iteration and its tasks write. */
  readonly allowed: readonly string[];
  /** Whether this is one of the files that the loop keeps or puts back, and of which git has to know for that. */
  isKept?(path: string): boolean;
  /** Globs where somebody may write who is asked to, though nothing of it is kept. */
  readonly scoped?: readonly string[];
  /** Patterns of what says what the study is: nothing that is allowed covers them. */
  readonly held: readonly string[];
  readonly vault: Vault;
  /** Absolute: where what was found is kept. */
  evidence(): string;
  /** Absolute: the list of what was there when the iteration began, for whoever goes on after a crash. */
  readonly list: string;
  readonly match: GlobMatch;
  /** Of these files, those that git ignores. */
  ignored(files: readonly string[]): Promise<ReadonlySet<string>>;
}

/** What an iteration left where it has nothing to write. All of it has been put back or taken away. */
export interface LeftOutside {
  /** What git ignores: caches and the like. The next iteration must not find it, and nobody has done wrong. */
  readonly cleared: readonly string[];
  /** What is part of the project, or could not be put back. */
  readonly outside: readonly string[];
  /** What lies in a scope, and is nothing that is kept: nobody broke a rule, and what was measured is not what would be there. */
  readonly unkept?: readonly string[];
  readonly problems: readonly string[];
  readonly evidence?: string;
  /** Written among the files of the loop, but git ignores it: it would be missing from what is kept. What was added is taken away. */
  readonly hidden?: readonly HiddenFile[];
}

export interface HiddenFile {
  readonly path: string;
  readonly bornMs: number;
}

export interface OutsideWatch {
  end(): Promise<LeftOutside>;
}

/** Watches the whole project while an iteration runs: agents have a scope, and commands run what agents wrote. */
export async function watchOutside(options: OutsideOptions): Promise<OutsideWatch> {
  const { root, allowed, held, list, match, vault } = options;
  const evidence = (): string => options.evidence();
  const fits = (patterns: readonly string[], path: string): boolean => patterns.some((one) => match(one, path));
  const mayBe = (path: string): boolean => fits(allowed, path) && !fits(held, path);
  const begin = snapshot(root, { installed: true, namesakes: true });
  const there = new Set(begin.entries.keys());
  const before = listedIn(list);
  // What an iteration that was cut short had left by then; who had been there before it is not in question.
  const fresh = before ? [...there].filter((path) => !before.has(path) && !mayBe(path)) : [];
  const owed = fresh.length > 0 ? [...(await options.ignored(fresh))] : [];
  if (!before) writePlain(list, `${JSON.stringify([...there])}\n`);
  // What there is no copy of, because there is too much of it, is named and not put back; a loop is not refused for it.
  const watch = await watchTree({ root, leaveOut: [], allowed, held, evidence, vault, isFenced: true });
  return {
    async end() {
      const hidden = await hiddenFrom(begin, before, options);
      const told = hidden.length > 0 ? { hidden } : {};
      const changed = watch.changed().filter((path) => !mayBe(path));
      const files = [...new Set([...changed, ...owed.filter((path) => isThere(root, path))])].sort();
      if (files.length === 0) return { ...nothing, ...told };
      const ignored = await options.ignored(files);
      const back = watch.putBack(changed);
      const added = files.filter((path) => !(before ?? there).has(path) && isThere(root, path));
      const folder = added.length > 0 ? (back?.evidence ?? newFolder(evidence(), root)) : back?.evidence;
      for (const path of added) moveAway(root, path, join(folder!, 'left'));
      const problems = (back ? back.problems : changed.map((path) => `${path}: there is no copy of it`)).filter(
        (problem) => !added.some((path) => problem.startsWith(`${path}: `)),
      );
      const isHarmless = (path: string): boolean =>
        ignored.has(path) && !fits(held, path) && !problems.some((problem) => problem.includes(path));
      const isScoped = (path: string): boolean =>
        fits(options.scoped ?? [], path) && !fits(held, path) && !problems.some((problem) => problem.includes(path));
      const rest = files.filter((path) => !isHarmless(path));
      const unkept = rest.filter(isScoped);
      return {
        cleared: files.filter(isHarmless),
        outside: rest.filter((path) => !isScoped(path)),
        ...(unkept.length > 0 ? { unkept } : {}),
        problems,
        ...(folder === undefined ? {} : { evidence: folder }),
        ...told,
      };
    },
  };
}

/** No commit would hold these, and no revert would take them away. Caches are looked after elsewhere. */
async function hiddenFrom(
  begin: Snapshot,
  before: ReadonlySet<string> | undefined,
  { root, isKept, ignored, evidence }: OutsideOptions,
): Promise<readonly HiddenFile[]> {
  if (!isKept) return [];
  const isNew = (path: string): boolean => !(before ?? begin.entries).has(path);
  const written = changedSince(begin, root).flatMap(({ path, how }) => (how === 'removed' ? [] : [path]));
  const owed = before ? [...begin.entries.keys()].filter(isNew) : [];
  const files = [...new Set([...written, ...owed])].filter(
    (path) => isKept(path) && !isCachePath(path) && isThere(root, path),
  );
  if (files.length === 0) return [];
  const unknown = await ignored(files);
  const found = files.filter((path) => unknown.has(path)).sort();
  const hidden = found.map((path) => ({ path, bornMs: lstatSync(join(root, path)).birthtimeMs }));
  const added = found.filter(isNew);
  if (added.length === 0) return hidden;
  const folder = newFolder(evidence(), root);
  for (const path of added) moveAway(root, path, join(folder, 'left'));
  return hidden;
}

const nothing: LeftOutside = { cleared: [], outside: [], problems: [] };

const isThere = (root: string, path: string): boolean =>
  lstatSync(join(root, path), { throwIfNoEntry: false }) !== undefined;

function listedIn(file: string): ReadonlySet<string> | undefined {
  const text = readPlain(file);
  if (text === undefined) return undefined;
  try {
    const paths = JSON.parse(text) as unknown;
    return Array.isArray(paths) ? new Set(paths as string[]) : undefined;
  } catch {
    return undefined;
  }
}

/** To another disk it is copied. The folders that it had made go with it. */
export function moveAway(root: string, path: string, folder: string): void {
  const [from, to] = [join(root, path), join(folder, path)];
  mkdirSync(dirname(to), { recursive: true });
  try {
    renameSync(from, to);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EXDEV') throw error;
    cpSync(from, to, { recursive: true, verbatimSymlinks: true });
    rmSync(from, { recursive: true, force: true });
  }
  for (let at = dirname(path); at !== '.' && readdirSync(join(root, at)).length === 0; at = dirname(at))
    rmdirSync(join(root, at));
}
