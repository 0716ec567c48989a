import { GitProblem } from '../git/git-problem.js';
import { commitOf, isAncestor, type Repository } from '../git/git-repository.js';
import type { Git } from '../git/git-run.js';
import { moveRefs } from '../git/ref-moves.js';
import { soundMerge } from '../git/sound-commit.js';
import { makeCommit, settleBranch, tipOf } from './worktree-commit.js';
import { fileNames } from './worktree-files.js';
import { finishFollowing, follow, touchedBetween } from './worktree-follow.js';
import { refsOf, updatingRef } from './worktree-names.js';
import { readyTree, type Tree } from './worktree-place.js';

export interface UpdateRequest {
  readonly path: string;
  /** The branch whose commits are to be taken in. */
  readonly from: string;
}

export type Updated =
  | { readonly kind: 'current' }
  /** `files`: what others have changed. */
  | { readonly kind: 'updated'; readonly commit: string; readonly files: readonly string[] }
  | { readonly kind: 'conflict'; readonly files: readonly string[] };

/** Takes the commits of another branch into a worktree whose work is committed. A conflict changes nothing. */
export async function updateTree(repo: Repository, { path, from }: UpdateRequest): Promise<Updated> {
  const tree = readyTree(repo, path);
  const git = await gitOf(repo, tree);
  await finishUpdate(git, tree.branch);
  const tip = await tipOf(git, tree.branch);
  const other = await commitOf(git, refsOf(from).branch);
  if (other === undefined) throw noBranch(from);
  if (await isAncestor(git, other, tip)) return { kind: 'current' };
  await soundMerge(git, tip, other);
  const tried = await git.run(['merge-tree', '--write-tree', '-z', '--name-only', '--no-messages', tip, other], {
    accept: [0, 1],
  });
  const [content = '', ...conflicts] = fileNames(tried.stdout);
  if (tried.code === 1) return { kind: 'conflict', files: [...new Set(conflicts.filter((name) => name !== ''))] };
  // Whoever merged the work by hand has made the commit that we would make.
  const isIn = await isAncestor(git, tip, other);
  const at = 1000 * Number(await git.line(['show', '-s', '--format=%ct', other]));
  const message = `Take ${from} into ${tree.branch}`;
  const commit = isIn
    ? other
    : await makeCommit(git, { tree: content, parents: [tip, other], message, at, committer: repo.identity });
  // From here on a killed run leaves a mark: files that are ahead of the branch are not somebody's work.
  await moveRefs(git, [{ ref: updatingRef(tree.branch), to: commit }]);
  if (!(await follow(git, { into: tree.branch, old: tip, commit }))) throw moved(tree.branch);
  await settle(git, tree.branch, commit);
  return { kind: 'updated', commit, files: await touchedBetween(git, tip, commit) };
}

/** Whether the worktree has all that the other branch has. */
export async function isCurrent(repo: Repository, { path, from }: UpdateRequest): Promise<boolean> {
  const tree = readyTree(repo, path);
  const git = await gitOf(repo, tree);
  const other = await commitOf(git, refsOf(from).branch);
  return other === undefined || (await isAncestor(git, other, await tipOf(git, tree.branch)));
}

/** Ends an update that a killed run began. */
export async function finishUpdateOf(repo: Repository, path: string): Promise<void> {
  const tree = readyTree(repo, path);
  await finishUpdate(await gitOf(repo, tree), tree.branch);
}

async function finishUpdate(git: Git, branch: string): Promise<void> {
  const commit = await commitOf(git, updatingRef(branch));
  if (commit === undefined) return;
  await finishFollowing(git, { into: branch, isHere: true, old: await tipOf(git, branch) });
  const isIn = (await commitOf(git, refsOf(branch).branch)) === commit;
  if (isIn) return settle(git, branch, commit);
  await moveRefs(git, [{ ref: updatingRef(branch), to: 'nowhere' }]);
}

async function settle(git: Git, branch: string, commit: string): Promise<void> {
  const first = [{ ref: refsOf(branch).tip, to: commit }];
  await settleBranch(git, { branch, tip: commit }, { first, last: [{ ref: updatingRef(branch), to: 'nowhere' }] });
}

const gitOf = (repo: Repository, { gitDir, path }: Tree): Promise<Git> => repo.git({ gitDir, workTree: path });

const noBranch = (from: string): GitProblem =>
  new GitProblem({
    reason: 'no-such-branch',
    what: `the branch ${from}, which the work is to be merged into, is gone`,
    fix: 'Make it again with git branch, then go on; branch and worktree are still there',
  });

const moved = (branch: string): GitProblem =>
  new GitProblem({
    reason: 'rewritten',
    what: `the branch ${branch} was moved by something else while it was brought up to date`,
    fix: 'Go on with autoresearch exec, which takes over the files of its worktree',
  });
