import { commitOf, type Repository, symbolicRef } from '../git/git-repository.js';
import type { Git } from '../git/git-run.js';
import { fileNames } from './worktree-files.js';
import { inProgress } from './worktree-merge.js';

/** The checkout that the person works in. */
export interface MainState {
  /** Missing when a commit is checked out without a branch. */
  readonly branch?: string;
  /** Missing before the first commit. */
  readonly head?: string;
  readonly dirty: { readonly tracked: readonly string[]; readonly untracked: readonly string[] };
  /** A merge, rebase or the like that somebody has begun. */
  readonly inProgress?: string;
}

export async function mainState(repo: Repository, leaveOut: readonly string[]): Promise<MainState> {
  const git = await repo.look();
  const branch = (await symbolicRef(git, 'HEAD'))?.replace(/^refs\/heads\//, '');
  const head = await commitOf(git, 'HEAD');
  const busyWith = inProgress(repo);
  return {
    ...(branch === undefined ? {} : { branch }),
    ...(head === undefined ? {} : { head }),
    dirty: await dirtyFiles(git, leaveOut),
    ...(busyWith === undefined ? {} : { inProgress: busyWith }),
  };
}

export async function dirtyFiles(git: Git, leaveOut: readonly string[]): Promise<MainState['dirty']> {
  const listed = await git.run(['status', '--porcelain=v1', '-z', '--untracked-files=all', '--no-renames']);
  const tracked: string[] = [];
  const untracked: string[] = [];
  for (const entry of fileNames(listed.stdout)) {
    const file = entry.slice(3);
    if (leaveOut.some((path) => file === path || file === `${path}/` || file.startsWith(`${path}/`))) continue;
    (entry.startsWith('??') ? untracked : tracked).push(file);
  }
  return { tracked, untracked };
}
