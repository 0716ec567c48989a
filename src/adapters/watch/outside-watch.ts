import { join } from 'node:path';
import type { GlobMatch } from '../../source/glob.js';
import { newFolder } from '../disk/new-folder.js';
import { readPlain, writePlain } from '../disk/plain-file.js';
import type { Vault } from '../vault/vault.js';
import { HiddenFiles, type HiddenOptions } from './hidden-files.js';
import { type LeftOutside, nothingLeft } from './left-outside.js';
import { isThere, moveAway } from './move-away.js';
import { watchTree } from './tree-watch.js';

export interface OutsideOptions extends HiddenOptions {
  /** Globs of what an iteration and its tasks write. */
  readonly allowed: readonly string[];
  /** Globs where somebody may write who is asked to, though nothing of it is kept. */
  readonly scoped?: readonly string[];
  /** Patterns of what says what the study is: nothing that is allowed covers them. */
  readonly held: readonly string[];
  readonly vault: Vault;
  /** Absolute: the list of what was there when the iteration began, for whoever goes on after a crash. */
  readonly list: string;
  readonly match: GlobMatch;
}

export interface OutsideWatch {
  end(): Promise<LeftOutside>;
}

/** Watches the whole project while an iteration runs: agents have a scope, and commands run what agents wrote. */
export async function watchOutside(options: OutsideOptions): Promise<OutsideWatch> {
  const { root, allowed, held, list, match, vault, note } = options;
  const evidence = (): string => options.evidence();
  const fits = (patterns: readonly string[], path: string): boolean => patterns.some((one) => match(one, path));
  const mayBe = (path: string): boolean => fits(allowed, path) && !fits(held, path);
  const before = listedIn(list);
  const hiding = new HiddenFiles(options, before);
  const begin = await hiding.begin();
  const there = new Set(begin.entries.keys());
  // What an iteration that was cut short had left by then; who had been there before it is not in question.
  const fresh = before ? [...there].filter((path) => !before.has(path) && !mayBe(path)) : [];
  const owed = fresh.length > 0 ? [...(await options.ignored(fresh))] : [];
  if (!before) writePlain(list, `${JSON.stringify([...there])}\n`);
  // What there is no copy of, because there is too much of it, is named and not put back; a loop is not refused for it.
  const watch = await watchTree({ root, leaveOut: [], allowed, held, evidence, vault, isFenced: true });
  return {
    async end() {
      const hidden = await hiding.since(begin);
      const told = hidden.length > 0 ? { hidden } : {};
      const changed = watch.changed().filter((path) => !mayBe(path));
      const files = [...new Set([...changed, ...owed.filter((path) => isThere(root, path))])].sort();
      const ignored: ReadonlySet<string> = files.length > 0 ? await options.ignored(files) : new Set();
      const sorted = (problems: readonly string[]): Omit<LeftOutside, 'problems'> => {
        const isBack = (path: string): boolean =>
          !fits(held, path) && !problems.some((problem) => problem.includes(path));
        const isHarmless = (path: string): boolean => ignored.has(path) && isBack(path);
        const isScoped = (path: string): boolean => fits(options.scoped ?? [], path) && isBack(path);
        const rest = files.filter((path) => !isHarmless(path));
        const unkept = rest.filter(isScoped);
        return {
          cleared: files.filter(isHarmless),
          outside: rest.filter((path) => !isScoped(path)),
          ...(unkept.length > 0 ? { unkept } : {}),
          ...told,
        };
      };
      note.add(sorted([]));
      hiding.takeAway(hidden, begin);
      if (files.length === 0) return { ...nothingLeft, ...told };
      const back = watch.putBack(changed);
      const added = files.filter((path) => !(before ?? there).has(path) && isThere(root, path));
      const folder = added.length > 0 ? (back?.evidence ?? newFolder(evidence(), root)) : back?.evidence;
      for (const path of added) moveAway(root, path, join(folder!, 'left'));
      const problems = (back ? back.problems : changed.map((path) => `${path}: there is no copy of it`)).filter(
        (problem) => !added.some((path) => problem.startsWith(`${path}: `)),
      );
      return { ...sorted(problems), problems, ...(folder === undefined ? {} : { evidence: folder }) };
    },
  };
}

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
