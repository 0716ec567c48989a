import { GitProblem } from '../git/git-problem.js';
import { commitOf, type Repository } from '../git/git-repository.js';
import { tipOf } from './worktree-commit.js';
import { changesIn, withFreshIndex } from './worktree-files.js';
import { touchedBetween } from './worktree-follow.js';
import { readyTree } from './worktree-place.js';

/** Committed by us or not committed at all; sorted. A file that was changed and put back again counts, too. */
export async function changedSince(repo: Repository, base: string, path: string): Promise<readonly string[]> {
  const tree = readyTree(repo, path);
  const git = await repo.look({ gitDir: tree.gitDir, workTree: path });
  const commit = await commitOf(git, base);
  if (commit === undefined) {
    throw new GitProblem({ reason: 'no-such-commit', what: `there is no commit ${base}`, fix: 'Name the base' });
  }
  const inFolder = await withFreshIndex(git, commit, changesIn);
  const inCommits = await touchedBetween(git, commit, await tipOf(git, tree.branch));
  return [...new Set([...inFolder.map((change) => change.path), ...inCommits])].sort();
}

/** In commits of ours only. */
export async function committedSince(repo: Repository, base: string, branch: string): Promise<readonly string[]> {
  const git = await repo.look();
  return touchedBetween(git, base, await tipOf(git, branch));
}

/** Changed or gone since the last commit. */
export async function unlikeCommit(repo: Repository, path: string): Promise<readonly string[]> {
  const tree = readyTree(repo, path);
  const git = await repo.look({ gitDir: tree.gitDir, workTree: path });
  const changes = await withFreshIndex(git, await tipOf(git, tree.branch), changesIn);
  return changes.filter(({ how }) => how === 'changed' || how === 'removed').map((change) => change.path);
}
