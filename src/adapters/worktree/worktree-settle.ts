import { GitProblem } from '../git/git-problem.js';
import { commitOf, isAncestor, type Repository } from '../git/git-repository.js';
import { commitTree } from './worktree-commit.js';
import { refsOf } from './worktree-names.js';

export interface SettleRequest {
  readonly branch: string;
  /** A commit of ours that somebody has written down. */
  readonly tip: string;
}

/** Killed after a commit was written down and before anything led to it: now something does. */
export async function advanceBranch(repo: Repository, { branch, tip }: SettleRequest): Promise<void> {
  const git = await repo.git();
  const ref = refsOf(branch).tip;
  const now = await commitOf(git, ref);
  if (now === undefined || now === tip) return;
  if ((await commitOf(git, tip)) === undefined) throw gone(branch, tip);
  if (await isAncestor(git, tip, now)) return;
  if (!(await isAncestor(git, now, tip))) throw gone(branch, tip);
  await git.run(['update-ref', '--no-deref', ref, tip, now]);
}

/** Branch and index of a worktree are what its last commit says; its files stay as they are. */
export async function settleTree(repo: Repository, path: string): Promise<void> {
  await commitTree(repo, { path, message: 'nothing', allow: () => false });
}

const gone = (branch: string, tip: string): GitProblem =>
  new GitProblem({
    reason: 'rewritten',
    what: `the commit ${tip} of the branch ${branch} is not there any more, or something else took its place`,
    fix: 'Look at the branch and its worktree, then begin anew with autoresearch exec --force STAGE; nothing of them is lost',
  });
