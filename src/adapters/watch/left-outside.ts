import { lstatSync, rmSync } from 'node:fs';
import { writeDurable } from '../disk/durable-file.js';
import { readPlain } from '../disk/plain-file.js';

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

type Found = Omit<LeftOutside, 'problems' | 'evidence'>;

/**
 * What was found is written down before any of it is put back or taken away: whoever is killed behind that has left nothing else to be found, and the
 * iteration would count.
 */
export class LeftNote {
  readonly #file: string;

  /** Absolute, outside of the project. */
  constructor(file: string) {
    this.#file = file;
  }

  /** Nothing where nobody has found anything. One that cannot be read hides what was found. */
  get known(): LeftOutside {
    if (!lstatSync(this.#file, { throwIfNoEntry: false })) return nothingLeft;
    try {
      return { ...nothingLeft, ...(JSON.parse(readPlain(this.#file)!) as Found) };
    } catch {
      return { ...nothingLeft, outside: ['what a runner before had found, which cannot be read'] };
    }
  }

  add(found: Found): void {
    if (isNothing(found)) return;
    const { problems: _problems, ...all } = together(this.known, { ...found, problems: [] });
    writeDurable(this.#file, `${JSON.stringify(all)}\n`);
  }

  forget(): void {
    rmSync(this.#file, { force: true });
  }
}

const isNothing = ({ cleared, outside, unkept = [], hidden = [] }: Found): boolean =>
  [cleared, outside, unkept, hidden].every((files) => files.length === 0);

export const nothingLeft: LeftOutside = { cleared: [], outside: [], problems: [] };

/** What could not be put back in the end is no harmless thing, whatever it was taken for at first. */
export function together(one: LeftOutside, other: LeftOutside | undefined): LeftOutside {
  if (!other) return one;
  const evidence = one.evidence ?? other.evidence;
  const outside = union(one.outside, other.outside);
  const unkept = union(one.unkept, other.unkept).filter((path) => !outside.includes(path));
  const hidden = bothHidden(one.hidden, other.hidden);
  return {
    cleared: union(one.cleared, other.cleared).filter((path) => !outside.includes(path)),
    outside,
    problems: union(one.problems, other.problems),
    ...(evidence === undefined ? {} : { evidence }),
    ...(unkept.length > 0 ? { unkept } : {}),
    ...(hidden.length > 0 ? { hidden } : {}),
  };
}

const union = (one: readonly string[] = [], other: readonly string[] = []): string[] => [
  ...new Set([...one, ...other]),
];

/** By when it was first there. */
function bothHidden(one: readonly HiddenFile[] = [], other: readonly HiddenFile[] = []): readonly HiddenFile[] {
  const born = new Map<string, number>();
  for (const { path, bornMs } of [...one, ...other]) born.set(path, Math.min(bornMs, born.get(path) ?? bornMs));
  return [...born].map(([path, bornMs]) => ({ path, bornMs }));
}
