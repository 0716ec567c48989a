import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { GitProblem } from '../git/git-problem.js';
import { commitOf, isAncestor, type Repository, symbolicRef } from '../git/git-repository.js';
import type { Git } from '../git/git-run.js';
import { soundEntries, soundMerge } from '../git/sound-commit.js';
import { keepForeign, makeCommit, settleBranch, tipOf } from './worktree-commit.js';
import { checkouts } from './worktree-create.js';
import { fileNames } from './worktree-files.js';
import { finishFollowing, follow, touchedBetween } from './worktree-follow.js';
import { refsOf } from './worktree-names.js';

export interface MergeRequest {
  readonly branch: string;
  readonly into: string;
  readonly message: string;
  /** Milliseconds since 1970; the time of the branch's last commit unless stated, so that a second try makes the same commit. */
  readonly at?: number;
  /** Called before the first file of the checkout is written: those that will be, and the commit that they come from. */
  readonly writing?: (files: readonly string[], commit: string) => void;
}

export type Merged =
  | { readonly kind: 'merged'; readonly commit: string; readonly files: readonly string[] }
  /** Branch and worktree stay as they are. */
  | { readonly kind: 'conflict'; readonly files: readonly string[] }
  /** It is in there already. */
  | { readonly kind: 'nothing' }
  /** Somebody else moved the target in between; trying again is safe. */
  | { readonly kind: 'moved' };

/** Merges without a checkout. Where the target is checked out, the checkout follows, or nothing happens at all. */
export async function mergeBranch(repo: Repository, request: MergeRequest): Promise<Merged> {
  const { branch, into } = request;
  const git = await repo.git();
  const target = refsOf(into).branch;
  if (inProgress(repo) !== undefined) throw busy(repo);
  const isHere = (await symbolicRef(git, 'HEAD')) === target;
  const finished = await finishFollowing(git, { into, isHere });
  const tip = await mergeable(git, branch);
  if (finished !== undefined && (await commitOf(git, `${finished}^2`)) === tip) {
    return { kind: 'merged', commit: finished, files: await touchedBetween(git, `${finished}^1`, finished) };
  }
  const old = await commitOf(git, target);
  if (old === undefined) throw noTarget(into);
  if (await isAncestor(git, tip, old)) return { kind: 'nothing' };
  const other = (await checkouts(repo, git)).find((each) => each.branch === target && each.path !== repo.top);
  if (other !== undefined) throw checkedOut(into, other.path);

  // What contains the target already, as after an update, is taken as it is.
  if (!(await isAncestor(git, old, tip))) await soundMerge(git, old, tip);
  const tried = await git.run(['merge-tree', '--write-tree', '-z', '--name-only', '--no-messages', old, tip], {
    accept: [0, 1],
  });
  const [tree = '', ...conflicts] = fileNames(tried.stdout);
  if (tried.code === 1) return { kind: 'conflict', files: [...new Set(conflicts.filter((name) => name !== ''))] };
  const at = request.at ?? 1000 * Number(await git.line(['show', '-s', '--format=%ct', tip]));
  const { message } = request;
  const commit = await makeCommit(git, { tree, parents: [old, tip], message, at, committer: repo.identity });
  const files = await touchedBetween(git, old, commit);
  if (!isHere) await soundEntries(git, [commit, old], files);
  request.writing?.(files, commit);
  const isIn = isHere ? await follow(git, { into, old, commit }) : await swap(git, { into, old, commit });
  return isIn ? { kind: 'merged', commit, files } : { kind: 'moved' };
}

/** What the checkout is in the middle of: a person's merge, rebase or the like. */
export const inProgress = ({ gitDir }: Repository): string | undefined =>
  Object.entries(states).find(([file]) => existsSync(join(gitDir, file)))?.[1];

const states: Record<string, string> = {
  MERGE_HEAD: 'merge',
  'rebase-merge': 'rebase',
  'rebase-apply': 'rebase',
  CHERRY_PICK_HEAD: 'cherry-pick',
  REVERT_HEAD: 'revert',
  BISECT_LOG: 'bisect',
};

/** The commit to merge. What we committed counts; a branch that something else has moved since then is not merged. */
async function mergeable(git: Git, branch: string): Promise<string> {
  const tip = await tipOf(git, branch);
  const foreign = await keepForeign(git, { branch, tip });
  if (foreign.length === 0) {
    await settleBranch(git, { branch, tip });
    return tip;
  }
  throw new GitProblem({
    reason: 'rewritten',
    what: `the branch ${branch} was changed after its last commit by autoresearch (${foreign.join(', ')})`,
    fix: `Commit its worktree again, which takes over the files; the foreign commit stays under ${refsOf(branch).kept('')}`,
  });
}

async function swap(git: Git, { into, old, commit }: { into: string; old: string; commit: string }): Promise<boolean> {
  const ref = refsOf(into).branch;
  const answer = await git.run(['update-ref', '--no-deref', '-m', 'autoresearch: merge', ref, commit, old], {
    accept: [0, 1, 128],
  });
  if (answer.code === 0) return true;
  if ((await commitOf(git, ref)) !== old) return false;
  throw new GitProblem({
    reason: 'git-failed',
    what: `git could not move ${into}: ${answer.stderr.trim().split('\n')[0]}`,
    fix: 'Mend what git complains about and go on',
  });
}

const noTarget = (into: string): GitProblem =>
  new GitProblem({
    reason: 'no-such-branch',
    what: `there is no branch ${into} to merge into`,
    fix: 'Check out a branch; a checkout without one (a detached HEAD) cannot take a merge',
  });

const checkedOut = (into: string, path: string): GitProblem =>
  new GitProblem({
    reason: 'checked-out',
    what: `${into} is checked out at ${path}, which a merge would leave behind`,
    fix: 'Check out another branch there',
  });

const busy = (repo: Repository): GitProblem =>
  new GitProblem({
    reason: 'busy',
    what: `the checkout ${repo.top} is in the middle of a ${inProgress(repo)}`,
    fix: 'Finish or abort it first',
  });
