import { isWithin } from '../../model/glob.js';
import { askGit } from './git-guard-ask.js';
import type { Repository } from './git-guard-find.js';

/** Flags of the index that make git look away from a file, by path relative to the project's folder. */
export type IndexFlags = Readonly<Record<string, readonly IndexFlag[]>>;
export type IndexFlag = 'assume-unchanged' | 'skip-worktree' | 'intent-to-add';

export interface FlagChange {
  readonly path: string;
  readonly flag: IndexFlag;
  readonly how: 'set' | 'cleared';
}

export interface FlagWish {
  /** Files and folders whose flags matter, all of them. */
  readonly paths: readonly string[];
  /** In the rest of the project those that hide changes do. Whoever adds a file with `git add -N` there hides nothing. */
  readonly isWide?: boolean;
}

export async function indexFlags(repository: Repository, { paths, isWide = false }: FlagWish): Promise<IndexFlags> {
  if (paths.length === 0 && !isWide) return {};
  const flags: Record<string, readonly IndexFlag[]> = {};
  let text = await askGit(repository, ['ls-files', '-v', '--debug', '-z', '--', ...(isWide ? ['.'] : paths)]);
  while (text !== '') {
    // The order of the lines is git's own; another version that says it otherwise must not pass for "no flags".
    const entry = /^(\S) ([^\0]+)\0(?: {2}[^\n]*\n)*? {2}size: \d+\tflags: ([0-9a-f]+)\n/.exec(text);
    if (!entry) throw new Error('git ls-files: an answer that cannot be read');
    const [all, tag, path, bits] = [entry[0], entry[1]!, entry[2]!, Number.parseInt(entry[3]!, 16)];
    const found: IndexFlag[] = [];
    if (tag !== tag.toUpperCase()) found.push('assume-unchanged');
    if (tag.toUpperCase() === 'S') found.push('skip-worktree');
    if ((bits & intentToAdd) !== 0 && paths.some((one) => isWithin(path, one))) found.push('intent-to-add');
    if (found.length > 0) flags[path] = found;
    text = text.slice(all.length);
  }
  return flags;
}

export function flagChanges(before: IndexFlags, now: IndexFlags): readonly FlagChange[] {
  const paths = [...new Set([...Object.keys(before), ...Object.keys(now)])].sort();
  return paths.flatMap((path) => {
    const [old, fresh] = [before[path] ?? [], now[path] ?? []];
    const set = fresh.filter((flag) => !old.includes(flag)).map((flag) => ({ path, flag, how: 'set' as const }));
    const cleared = old
      .filter((flag) => !fresh.includes(flag))
      .map((flag) => ({ path, flag, how: 'cleared' as const }));
    return [...set, ...cleared];
  });
}

/** An intent that was cleared is not made again: the file has been added since, and that is told, not undone. */
export async function putFlagsBack(repository: Repository, changes: readonly FlagChange[]): Promise<void> {
  const jobs = new Map<string, string[]>();
  for (const { path, flag, how } of changes) {
    const option = flag === 'intent-to-add' ? intentOption[how] : `--${how === 'set' ? 'no-' : ''}${flag}`;
    if (option) jobs.set(option, [...(jobs.get(option) ?? []), path]);
  }
  for (const [option, paths] of jobs)
    await askGit(repository, ['update-index', option, '-z', '--stdin'], paths.map((path) => `${path}\0`).join(''));
}

const intentToAdd = 0x2000_0000;
const intentOption = { set: '--force-remove', cleared: undefined };
