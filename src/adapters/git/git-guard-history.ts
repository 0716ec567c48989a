import { askGit } from './git-guard-ask.js';
import type { Repository } from './git-guard-find.js';
import { readRef } from './ref-files.js';

/** Where HEAD, the branches and everything else that has a name were. */
export interface GitNames {
  /** Undefined before the first commit. */
  readonly head?: string;
  /** Undefined when HEAD is on no branch. */
  readonly branch?: string;
  readonly refs: Readonly<Record<string, string>>;
}

/** What happened to the history. Nothing of it is ever rewritten. */
export interface GitHistory {
  readonly head?: { readonly before: string | undefined; readonly now: string | undefined };
  readonly branch?: { readonly before: string | undefined; readonly now: string | undefined };
  /** What HEAD can reach now and could not before, the newest first, at most a hundred. */
  readonly commits: readonly NewCommit[];
  readonly refsAdded: readonly string[];
  readonly refsMoved: readonly string[];
  readonly refsRemoved: readonly string[];
  /** Of these, what led to commits to which nothing leads now, with the id that it had: work that git will forget. */
  readonly lost: readonly string[];
}

export interface NewCommit {
  readonly id: string;
  readonly subject: string;
  /** It changes one of the paths that are watched. */
  readonly isOnWatched: boolean;
}

export async function gitNames(repository: Repository): Promise<GitNames> {
  const [head, refs] = await Promise.all([
    headOf(repository),
    askGit(repository, ['for-each-ref', '--format=%(objectname) %(refname)']),
  ]);
  const lines = refs.split('\n').filter((line) => line !== '');
  return {
    ...head,
    refs: Object.fromEntries(
      lines.map((line) => [line.slice(line.indexOf(' ') + 1), line.slice(0, line.indexOf(' '))]),
    ),
  };
}

async function headOf(repository: Repository): Promise<Pick<GitNames, 'head' | 'branch'>> {
  const read = readRef(repository, 'HEAD');
  if (read?.id !== undefined) return { head: read.id, ...(read.isSymbolic ? { branch: read.name } : {}) };
  const [head, branch] = await Promise.all([
    unless(1, askGit(repository, ['rev-parse', '--verify', '--quiet', 'HEAD'])),
    unless(1, askGit(repository, ['symbolic-ref', '--quiet', 'HEAD'])),
  ]);
  return {
    ...(head === undefined ? {} : { head: head.trim() }),
    ...(branch === undefined ? {} : { branch: branch.trim() }),
  };
}

export async function gitHistory(
  repository: Repository,
  before: GitNames,
  paths: readonly string[],
): Promise<GitHistory> {
  const now = await gitNames(repository);
  const [old, fresh] = [Object.keys(before.refs), Object.keys(now.refs)];
  const refsMoved = fresh.filter((ref) => ref in before.refs && before.refs[ref] !== now.refs[ref]);
  const refsRemoved = old.filter((ref) => !(ref in now.refs));
  const lost: string[] = [];
  for (const ref of [...refsRemoved, ...refsMoved].filter(isOwn)) {
    const id = before.refs[ref]!;
    const holders = await askGit(repository, ['for-each-ref', '--count=1', '--contains', id]);
    if (holders === '') lost.push(`${ref} (${id.slice(0, 12)})`);
  }
  return {
    ...(before.head === now.head ? {} : { head: { before: before.head, now: now.head } }),
    ...(before.branch === now.branch ? {} : { branch: { before: before.branch, now: now.branch } }),
    commits: before.head === now.head || !now.head ? [] : await newCommits(repository, [now.head, before.head], paths),
    refsAdded: fresh.filter((ref) => !(ref in before.refs)),
    refsMoved,
    refsRemoved,
    lost,
  };
}

/** Branches and tags of people. Those of remotes can be fetched again, those of worktrees come and go with their tasks. */
const isOwn = (ref: string): boolean => /^refs\/(heads\/(?!auto\/)|tags\/)/.test(ref);

async function newCommits(
  repository: Repository,
  [now, before]: readonly [string, string | undefined],
  paths: readonly string[],
): Promise<readonly NewCommit[]> {
  const range = ['rev-list', '--max-count=100', now, ...(before === undefined ? [] : [`^${before}`])];
  const on = paths.length === 0 ? '' : await askGit(repository, [...range, '--full-history', '--', ...paths]);
  const isOn = new Set(on.split('\n'));
  const lines = (await askGit(repository, [...range, '--format=%H %s'])).split('\n');
  return lines
    .filter((line) => line !== '' && !line.startsWith('commit '))
    .map((line) => ({ id: line.slice(0, line.indexOf(' ')), subject: line.slice(line.indexOf(' ') + 1) }))
    .map(({ id, subject }) => ({ id, subject, isOnWatched: isOn.has(id) }));
}

/** "No" is an answer too. */
async function unless(code: number, answer: Promise<string>): Promise<string | undefined> {
  try {
    return await answer;
  } catch (error) {
    if ((error as { exitCode?: unknown }).exitCode === code) return undefined;
    throw error;
  }
}
