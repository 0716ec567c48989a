import { asOfNow } from '../../model/files/as-of-now.js';
import type { Task } from '../../model/plan.js';
import type { Files } from '../../model/ports.js';
import { outputsNow } from '../../model/state/outputs-now.js';
import { loadGlobMatch } from '../../source/glob.js';
import type { TryTools } from '../attempt/try-tools.js';
import { writtenBy } from '../protect/claims.js';
import { named } from '../protect/touched.js';
import { digestNow } from './digest-now.js';

/** What a task builds on, as it was when it began. */
export interface ResultsSeen {
  /** What was written meanwhile, in words; nobody had to, unless it has declared it. */
  warnings(): Promise<readonly string[]>;
}

type Tools = Pick<TryTools, 'state' | 'claims'>;

/**
 * What other tasks have made is compared by its content before a task begins, and again before the next one. Whoever exchanges it while the task reads it, and
 * puts it back, leaves nothing but stamps. Builds and backups leave the same, so nobody is blamed, and whoever reads the result is told.
 */
export function resultsSeen(task: Task, places: readonly Files[], { state, claims }: Tools): ResultsSeen | undefined {
  const { tasks } = state();
  const records = task.needs.flatMap((need) => outputsNow(tasks.get(need) ?? {}));
  if (records.length === 0 || records.length > mostFiles) return undefined;
  const look = (files: Files) => records.map(({ path }) => stampOf(files, path));
  const before = places.map((files) => look(asOfNow(files)));
  const others = claims.watch(task.id);
  return {
    async warnings() {
      others.end();
      const written = places.flatMap((files, at) => {
        const now = look(files);
        return records.flatMap(({ path, digest }, index) => {
          const was = before[at]![index];
          if (was === undefined || was === now[index]) return [];
          return [{ path, isSame: now[index] !== undefined && digestNow(files, path) === digest }];
        });
      });
      if (written.length === 0) return [];
      const match = await loadGlobMatch();
      const fits = (patterns: readonly string[], path: string) => patterns.some((pattern) => match(pattern, path));
      const foreign = written.filter(({ path }) => !fits(writtenBy(task), path));
      const other = foreign.filter(({ path, isSame }) => !isSame && !fits(others.patterns(), path));
      return [
        ...told(
          foreign.filter(({ isSame }) => isSame),
          sameWords,
        ),
        ...told(other, otherWords),
      ];
    },
  };
}

/** Looking at more than that twice would take longer than most tasks. */
const mostFiles = 2000;

function stampOf(files: Files, path: string): string | undefined {
  const stamp = files.stamp(path);
  return stamp && [stamp.ino, stamp.size, stamp.mtimeNs, stamp.ctimeNs].join(' ');
}

const told = (files: readonly { readonly path: string }[], words: (isOne: boolean) => string): readonly string[] => {
  const all = [...new Set(files.map(({ path }) => path))];
  return all.length === 0 ? [] : [`${named(all)} ${words(all.length === 1)}`];
};

const sameWords = (isOne: boolean): string =>
  `${isOne ? 'is' : 'are'} what it builds on, and ${isOne ? 'was' : 'were'} written or touched while it ran: the content is the same as before, but may have been another one meanwhile`;

const otherWords = (isOne: boolean): string =>
  `${isOne ? 'is' : 'are'} what it builds on, and ${isOne ? 'was' : 'were'} another one, or gone, when it had run: what it has read of ${isOne ? 'it' : 'them'} may be neither`;
