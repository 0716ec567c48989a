import { createHash } from 'node:crypto';
import { GitProblem } from '../git/git-problem.js';
import type { Git } from '../git/git-run.js';

export interface BranchOf {
  readonly agent: string;
  readonly iteration: number;
  readonly stage: string;
  readonly task?: string;
}

/** `auto/<agent>-iter-<n>-<stage>[-<task>]`. Two different tasks never share a name, whatever characters are in theirs. */
export function worktreeBranch({ agent, iteration, stage, task }: BranchOf): string {
  const wanted = [agent, 'iter', String(iteration), stage, ...(task === undefined ? [] : [task])];
  const safe = wanted.map((part) => part.replace(/[^A-Za-z0-9_-]+/g, '-').replace(/^-+|-+$/g, '')).join('-');
  const isPlain = safe === wanted.join('-') && safe.length <= longest;
  const digest = createHash('sha256').update(wanted.join('\0')).digest('hex').slice(0, 8);
  return isPlain ? `auto/${safe}` : `auto/${safe.slice(0, longest)}-${digest}`;
}

/** The folder of a branch's worktree. */
export const folderOfBranch = (branch: string): string =>
  branch.replace(/^auto\//, '').replace(/[^A-Za-z0-9._-]/g, '-');

/** File names of 255 bytes have to hold it, and `.lock` behind it. */
const longest = 150;

/**
 * What we remember lives in refs beside the branch, so that it is as safe as the commits are: `base`, where the branch
 * began; `tip`, the last commit that we made, which makes the branch ours; `kept`, commits that an agent made or dropped.
 */
export const refsOf = (branch: string) => ({
  branch: `refs/heads/${branch}`,
  base: `refs/autoresearch/bases/${branch}`,
  tip: `refs/autoresearch/tips/${branch}`,
  kept: (commit: string): string => `refs/autoresearch/kept/${branch}/${commit}`,
});

/** A merge into the checkout that has begun. */
export const mergingRef = (into: string): string => `refs/autoresearch/merging/${into}`;

/** A worktree that is being brought up to date. */
export const updatingRef = (branch: string): string => `refs/autoresearch/updating/${branch}`;

export const tipsPrefix = 'refs/autoresearch/tips/';
export const basesPrefix = 'refs/autoresearch/bases/';
export const keptPrefix = 'refs/autoresearch/kept/';

export async function checkBranchName(git: Git, branch: string): Promise<void> {
  // Letters, digits and dashes, as `worktreeBranch` makes them: git has nothing against those.
  if (/^(?:\w[\w-]*\/)*\w[\w-]*$/.test(branch)) return;
  const isRef = (await git.run(['check-ref-format', `refs/heads/${branch}`], { accept: [0, 1] })).code === 0;
  if (isRef && !branch.startsWith('-')) return;
  throw new GitProblem({
    reason: 'bad-name',
    what: `${JSON.stringify(branch)} cannot be the name of a branch`,
    fix: 'Use letters, digits, dashes and slashes',
  });
}
