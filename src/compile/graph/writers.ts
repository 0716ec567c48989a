import { foldersOf, globBase, globPrefix, globsMayMeet, isGlob, isWithin } from '../../model/glob.js';
import type { GlobMatch } from '../../source/glob.js';
import type { Draft } from '../task/draft.js';

export interface Writer {
  readonly draft: Draft;
  readonly path: string;
}

interface GlobWriter extends Writer {
  /** What every match begins with. */
  readonly prefix: string;
}

/** Who writes what, found by path, folder or pattern without comparing every task with every other. */
export class Writers {
  readonly #exact = new Map<string, Writer[]>();
  readonly #globs = new Map<string, GlobWriter[]>();
  /** Every folder that something is written into: most paths are none, and need not be looked for among all others. */
  readonly #folders = new Set<string>();
  readonly #match: GlobMatch;
  #sorted: string[] | undefined;
  #sortedBases: string[] | undefined;

  constructor(drafts: readonly Draft[], match: GlobMatch) {
    this.#match = match;
    for (const draft of drafts) {
      for (const path of draft.writes) {
        if (isGlob(path)) add(this.#globs, globBase(path), { draft, path, prefix: globPrefix(path) });
        else this.#addExact({ draft, path });
      }
    }
  }

  #addExact(writer: Writer): void {
    const { path } = writer;
    add(this.#exact, path, writer);
    for (let end = path.lastIndexOf('/'); end > 0; end = path.lastIndexOf('/', end - 1)) {
      const folder = path.slice(0, end);
      if (this.#folders.has(folder)) return;
      this.#folders.add(folder);
    }
  }

  /** Everyone who may write something that `pattern` stands for. */
  of(pattern: string): Writer[] {
    return isGlob(pattern) ? this.#ofGlob(pattern) : this.#ofPath(pattern);
  }

  /** Those of them who are sure to: two different globs may or may not meet, and a name may or may not be a folder. */
  surelyOf(pattern: string): Writer[] {
    return this.of(pattern).filter(({ path }) => {
      if (path === pattern || isGlob(path) === isGlob(pattern)) return path === pattern || !isGlob(path);
      const [glob, name] = isGlob(path) ? [path, pattern] : [pattern, path];
      return this.#match(glob, name) || name === '.' || isWithin(globBase(glob), name);
    });
  }

  /** The file itself, a folder around it, something inside it when it is a folder, or a glob that matches it. */
  #ofPath(path: string): Writer[] {
    const folders = foldersOf(path);
    const found: Writer[] = [];
    for (const each of path === '.' ? ['.'] : [path, ...folders, ...projectFolder(path)]) {
      for (const writer of this.#exact.get(each) ?? []) found.push(writer);
    }
    if (this.#globs.size > 0) {
      const bases = this.#bases();
      for (const base of new Set([path, ...folders, '', ...below(bases, path)])) {
        for (const writer of this.#globs.get(base) ?? []) {
          if (begin(writer.prefix, path) && this.#meets(writer.path, path)) found.push(writer);
        }
      }
    }
    if (path !== '.' && path !== '' && !this.#folders.has(path)) return found;
    for (const inside of below(this.#paths(), path)) {
      if (inside !== path) for (const writer of this.#exact.get(inside)!) found.push(writer);
    }
    return found;
  }

  #ofGlob(pattern: string): Writer[] {
    const base = globBase(pattern);
    const prefix = globPrefix(pattern);
    const around = base === '' ? [] : [base, ...foldersOf(base)];
    const found = [...around, ...projectFolder(pattern)].flatMap((folder) => this.#exact.get(folder) ?? []);
    for (const path of below(this.#paths(), base)) {
      if (path === '.' || !begin(prefix, path) || !this.#meets(pattern, path)) continue;
      for (const writer of this.#exact.get(path)!) found.push(writer);
    }
    const bases = this.#bases();
    for (const each of new Set([...around, '', ...below(bases, base)])) {
      for (const writer of this.#globs.get(each) ?? []) {
        if (begin(writer.prefix, prefix) && globsMayMeet(writer.path, pattern)) found.push(writer);
      }
    }
    return found;
  }

  /** Sorted when first asked for: many plans never look into a folder. */
  #paths(): readonly string[] {
    this.#sorted ??= [...this.#exact.keys()].sort();
    return this.#sorted;
  }

  #bases(): readonly string[] {
    this.#sortedBases ??= [...this.#globs.keys()].sort();
    return this.#sortedBases;
  }

  /** Whether the glob matches the path, or something in it where it may be a folder. */
  #meets(glob: string, path: string): boolean {
    if (this.#match(glob, path) || path === '.' || isWithin(globBase(glob), path)) return true;
    // `**/*.py` looks everywhere; that some output might be a folder with such files in it is not what it means.
    return mayBeFolder(path) && !glob.startsWith('**') && globsMayMeet(glob, `${path}/**`);
  }
}

/** Cheap enough for thousands of globs in one folder: one has to begin as the other does. `.` is everything. */
const begin = (one: string, other: string): boolean => other === '.' || one.startsWith(other) || other.startsWith(one);

/** A name that ends like `.json` is a file; `lr=0.1` is not such an ending. */
const mayBeFolder = (path: string): boolean => !/\.[A-Za-z]\w*$/.test(path);

/** The whole project is a folder around everything but what lies outside of it. */
const projectFolder = (path: string): readonly string[] => (/^(?:\/|\.\.(?:\/|$))/.test(path) ? [] : ['.']);

function add<T>(map: Map<string, T[]>, key: string, item: T): void {
  const known = map.get(key);
  if (known) known.push(item);
  else map.set(key, [item]);
}

/** The sorted paths that lie in a folder. */
function* below(sorted: readonly string[], folder: string): Generator<string> {
  const prefix = folder === '' || folder === '.' ? '' : `${folder}/`;
  for (let index = firstFrom(sorted, prefix); index < sorted.length && sorted[index]!.startsWith(prefix); index += 1)
    yield sorted[index]!;
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
