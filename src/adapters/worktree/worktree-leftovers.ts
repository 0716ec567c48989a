import { existsSync, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { CleanedTrees as Cleaned, Leftover } from '../../model/files/leftover.js';
import { GitProblem } from '../git/git-problem.js';
import { commitOf, type Repository } from '../git/git-repository.js';
import { asideName, awayName, isCache } from './worktree-away.js';
import { basesPrefix, folderOfBranch, keptPrefix, tipsPrefix } from './worktree-names.js';
import { findTree, registrations } from './worktree-place.js';
import { checkRemoval, type Droppable, removeTree, trashed, trashName, unsavedIn } from './worktree-remove.js';

/** Everything of ours that is still there. Who is at work is known to the caller, not to us. */
export async function leftoversIn(repo: Repository, dir: string, into = 'HEAD'): Promise<readonly Leftover[]> {
  const git = await repo.look();
  const listed = await git.line(['for-each-ref', '--format=%(refname)', tipsPrefix, keptPrefix, basesPrefix]);
  const refs = listed.split('\n').filter((ref) => ref !== '');
  const target = await commitOf(git, into);
  const missing = async (ref: string): Promise<string[]> =>
    (await git.line(['rev-list', ref, ...(target === undefined ? [] : [`^${target}`]), '--']))
      .split('\n')
      .filter((commit) => commit !== '');
  const found: Leftover[] = [];
  const known = new Set<string>();
  for (const ref of refs) {
    const onlyBase = ref.startsWith(basesPrefix) ? ref.slice(basesPrefix.length) : undefined;
    if (onlyBase !== undefined && refs.includes(`${tipsPrefix}${onlyBase}`)) continue;
    const commits = await missing(ref);
    if (onlyBase !== undefined) {
      // The first step of making a worktree, and the last that was taken.
      found.push({ path: pathOf(repo, dir, onlyBase), branch: onlyBase, commits, dirty: [], reason: 'half-made' });
      continue;
    }
    if (ref.startsWith(keptPrefix)) {
      found.push({ branch: ref, commits, dirty: [], reason: 'kept' });
      continue;
    }
    const branch = ref.slice(tipsPrefix.length);
    const path = pathOf(repo, dir, branch);
    known.add(path);
    found.push({ path, branch, commits, ...(await looksOf(repo, dir, { path, ref, isMerged: commits.length === 0 })) });
  }
  return [...found, ...foldersIn(dir, known)];
}

export interface CleanOptions {
  readonly into?: string;
  readonly droppable?: Droppable;
  /** Those whose agents are at work. */
  readonly except?: (leftover: Leftover) => boolean;
  /** Only says what would go; changes nothing. */
  readonly isDryRun?: boolean;
}

/** Removes only what is clean and merged. */
export async function cleanLeftovers(repo: Repository, dir: string, options: CleanOptions = {}): Promise<Cleaned> {
  const removed: Leftover[] = [];
  const stays: { leftover: Leftover; why: string }[] = [];
  for (const leftover of await leftoversIn(repo, dir, options.into)) {
    const { path, branch } = leftover;
    if (options.except?.(leftover)) continue;
    if (path === undefined || branch === undefined || leftover.reason === 'kept') {
      stays.push({ leftover, why: leftover.reason === 'kept' ? 'commits of an agent' : 'nobody knows what is in it' });
      continue;
    }
    try {
      await (options.isDryRun ? checkRemoval : removeTree)(repo, dir, { ...options, path, branch });
      removed.push(leftover);
    } catch (error) {
      if (!(error instanceof GitProblem)) throw error;
      stays.push({ leftover, why: error.what });
    }
  }
  return { removed, stays };
}

/** Where its worktree is, or would be. */
function pathOf(repo: Repository, dir: string, branch: string): string {
  const own = registrations(repo).find(({ path }) => {
    try {
      const found = findTree(repo, path);
      return found.kind === 'ready' && found.tree.branch === branch;
    } catch {
      return false;
    }
  });
  return own?.path ?? join(dir, folderOfBranch(branch));
}

async function looksOf(
  repo: Repository,
  dir: string,
  { path, ref, isMerged }: { readonly path: string; readonly ref: string; readonly isMerged: boolean },
): Promise<Pick<Leftover, 'dirty' | 'reason'>> {
  try {
    const { kind } = findTree(repo, path);
    if (trashed(dir).includes(basename(path))) return { dirty: [], reason: 'half-removed' };
    if (kind !== 'ready') return { dirty: [], reason: kind === 'half' ? 'half-made' : isMerged ? 'done' : 'unmerged' };
    const { changed, missing, ignored } = await unsavedIn(repo, path, ref);
    const dirty = [...changed, ...missing, ...ignored.filter((file) => !isCache(file))];
    return { dirty, reason: dirty.length > 0 ? 'dirty' : isMerged ? 'done' : 'unmerged' };
  } catch (error) {
    if (error instanceof GitProblem && error.reason === 'tampered') return { dirty: error.files, reason: 'tampered' };
    throw error;
  }
}

function foldersIn(dir: string, known: ReadonlySet<string>): Leftover[] {
  const inside = (folder: string): string[] =>
    existsSync(folder) ? readdirSync(folder).map((name) => join(folder, name)) : [];
  const one = (path: string, reason: Leftover['reason']): Leftover => ({ path, commits: [], dirty: [], reason });
  const plain = inside(dir).filter((path) => !basename(path).startsWith('.') && !known.has(path));
  const names = new Set([...known].map((path) => basename(path)));
  return [
    ...plain.map((path) => one(path, 'half-made')),
    ...inside(join(dir, asideName)).map((path) => one(path, 'aside')),
    // Of one that is known it goes back there.
    ...inside(join(dir, awayName))
      .filter((path) => !names.has(basename(path)))
      .map((path) => one(path, 'aside')),
    ...inside(join(dir, trashName))
      .filter((path) => !names.has(basename(path)))
      .map((path) => one(path, 'half-removed')),
  ];
}

export type { CleanedTrees as Cleaned, Leftover } from '../../model/files/leftover.js';
