import { foldersOf, globBase, globsMayMeet, isGlob, isWithin } from '../model/glob.js';
import type { GlobMatch } from '../source/glob.js';
import type { Draft } from './draft.js';

export interface Writer {
  readonly draft: Draft;
  readonly path: string;
}

/** Who writes what, found by path, folder or pattern without comparing every task with every other. */
export class Writers {
  readonly #exact = new Map<string, Writer[]>();
  readonly #globs = new Map<string, Writer[]>();
  readonly #match: GlobMatch;
  #sorted: string[] | undefined;
  #sortedBases: string[] | undefined;

  constructor(drafts: readonly Draft[], match: GlobMatch) {
    this.#match = match;
    for (const draft of drafts) {
      for (const path of draft.writes) {
        const [map, key] = isGlob(path) ? ([this.#globs, globBase(path)] as const) : ([this.#exact, path] as const);
        const known = map.get(key);
        if (known) known.push({ draft, path });
        else map.set(key, [{ draft, path }]);
      }
    }
  }

  /** Everyone who may write something that `pattern` stands for. */
  of(pattern: string): Writer[] {
    return isGlob(pattern) ? this.#ofGlob(pattern) : this.#ofPath(pattern);
  }

  /** The file itself, a folder around it, something inside it when it is a folder, or a glob that matches it. */
  #ofPath(path: string): Writer[] {
    const folders = foldersOf(path);
    const found = [path, ...folders].flatMap((each) => this.#exact.get(each) ?? []);
    for (const base of this.#globs.size > 0 ? [path, ...folders, ''] : []) {
      for (const writer of this.#globs.get(base) ?? []) {
        if (this.#match(writer.path, path) || isWithin(globBase(writer.path), path)) found.push(writer);
      }
    }
    for (const inside of below((this.#sorted ??= [...this.#exact.keys()].sort()), path)) found.push(...this.#exact.get(inside)!);
    return found;
  }

  #ofGlob(pattern: string): Writer[] {
    const base = globBase(pattern);
    const around = base === '' ? [] : [base, ...foldersOf(base)];
    const found = around.flatMap((folder) => this.#exact.get(folder) ?? []);
    for (const path of below((this.#sorted ??= [...this.#exact.keys()].sort()), base)) {
      if (this.#match(pattern, path)) found.push(...this.#exact.get(path)!);
    }
    const bases = (this.#sortedBases ??= [...this.#globs.keys()].sort());
    for (const each of new Set([...around, '', ...below(bases, base)])) {
      for (const writer of this.#globs.get(each) ?? []) if (globsMayMeet(writer.path, pattern)) found.push(writer);
    }
    return found;
  }
}

/** The sorted paths that lie in a folder. */
function* below(sorted: readonly string[], folder: string): Generator<string> {
  const prefix = folder === '' ? '' : `${folder}/`;
  for (let index = firstFrom(sorted, prefix); index < sorted.length && sorted[index]!.startsWith(prefix); index += 1) yield sorted[index]!;
}

function firstFrom(sorted: readonly string[], text: string): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sorted[middle]! < text) low = middle + 1;
    else high = middle;
  }
  return low;
}
