import { relative } from 'node:path';
import { type Failure, FailureError } from '../../model/failure.js';
import type { GlobMatch } from '../../source/glob.js';
import type { Worktrees } from '../worktree/worktrees.js';
import { GitProblem } from './git-problem.js';

export interface CheckoutTools {
  readonly worktrees: Worktrees;
  /** The project folder in the checkout that people work in; real, without links. */
  readonly root: string;
  /** What stages make: changes in no commit that are nobody's but ours. */
  outputs(): readonly string[];
  readonly match: GlobMatch;
}

export type Standing =
  | { readonly failure: Failure }
  /** The commit and the branch that are checked out, and files with changes that are in no commit. */
  | { readonly head: string; readonly into: string; readonly dirty: readonly string[] };

/** Whether something can be merged or committed into the checkout. */
export async function checkoutStanding(tools: CheckoutTools): Promise<Standing> {
  const { branch, head, dirty, inProgress } = await tools.worktrees.state();
  if (head === undefined)
    return no(
      'the repository has no commit yet, so there is nothing a worktree could begin with',
      'Commit your project first',
    );
  if (branch === undefined)
    return no('a commit is checked out without a branch, so there is nothing to merge into', 'Check out a branch');
  if (inProgress !== undefined)
    return no(`your checkout is in the middle of a ${inProgress}`, 'Finish or abort it first');
  const files = [...dirty.tracked, ...dirty.untracked].filter((file) => !isOutput(file, tools));
  return { head, into: branch, dirty: files };
}

/** Why no worktree can begin from the checkout as it is. */
export function dirtyProblem(files: readonly string[]): { readonly failure: Failure } {
  const some = files.slice(0, 5).join(', ');
  const more = files.length > 5 ? ` and ${files.length - 5} more` : '';
  return no(
    `your checkout has changes that are in no commit, so an agent in a worktree would not have them: ${some}${more}`,
    'Commit them, or put them aside with autoresearch exec --stash',
    files,
  );
}

/** Of a file that is named relative to the top of the repository. */
export function isOutput(file: string, { worktrees, root, outputs, match }: CheckoutTools): boolean {
  const own = inProject(file, relative(worktrees.top, root))?.[0];
  return own !== undefined && outputs().some((pattern) => match(pattern, own));
}

/** Relative to the project; undefined for a file of the repository that is not in it. */
export const inProject = (file: string, inside: string): [string] | undefined => {
  if (inside === '') return [file];
  return file.startsWith(`${inside}/`) ? [file.slice(inside.length + 1)] : undefined;
};

/** What git does not allow, as a failure. */
export async function told<Value>(act: () => Promise<Value>): Promise<Value> {
  try {
    return await act();
  } catch (error) {
    throw error instanceof GitProblem ? new FailureError(failureOf(error)) : error;
  }
}

export const failureOf = (problem: GitProblem): Failure => {
  const { what, fix, files } = problem;
  return forgedBy(problem) ?? { code: 'worktree-failed', detail: what, fix, ...(files.length > 0 ? { files } : {}) };
};

/** Of some objects git notices itself that they are not what their names say. */
export function forgedBy({ what }: GitProblem): Failure | undefined {
  const id = /hash mismatch ([0-9a-f]{40,64})/.exec(what)?.[1];
  return id === undefined ? undefined : { code: 'object-forged', objects: [{ id, path: '' }] };
}

const no = (detail: string, fix: string, files?: readonly string[]): { readonly failure: Failure } => ({
  failure: { code: 'worktree-failed', detail, fix, ...(files ? { files } : {}) },
});
