import type { CheckoutPlace } from '../../model/events/iteration-event.js';
import { GitProblem } from '../git/git-problem.js';
import { isAncestor } from '../git/git-repository.js';
import type { Git } from '../git/git-run.js';
import { fileNames } from '../worktree/worktree-files.js';

/** Where the loop left the checkout, and where it is now. */
export interface Moved {
  readonly left: CheckoutPlace;
  readonly now: CheckoutPlace;
}

/**
 * Throws unless the checkout is where the record left it: what somebody committed, took back or checked out in between
 * would count for the next iteration, or against it, and nobody could tell. Commits of nothing but the study's own files
 * (its config, its results) count for nobody: `isOther` says of the rest that it is.
 */
export async function refuseMoved(git: Git, { left, now }: Moved, isOther: (file: string) => boolean): Promise<void> {
  refuseOtherBranch({ left: left.branch, now: now.branch });
  if (left.head === now.head) return;
  const name = shortRef(left.branch);
  const aside = `git branch by-hand-${now.head.slice(0, 12)} && git reset --keep ${left.head.slice(0, 12)}`;
  if (!(await isAncestor(git, left.head, now.head)))
    throw moved(
      `${name} was at ${left.head.slice(0, 12)} when the loop left it, and is at ${now.head.slice(0, 12)} without what was there`,
      `Go back with ${aside}`,
    );
  if (!(await committedSince(git, left.head, now)).some(isOther)) return;
  const count = Number(await git.line(['rev-list', '--count', `${left.head}..${now.head}`]));
  const subject = await git.line(['log', '-1', '--format=%s', now.head]);
  throw moved(
    `${name} has ${count === 1 ? 'a commit' : `${count} commits`} that no iteration made (${now.head.slice(0, 12)} ${subject}), which would count for the next one`,
    `Keep ${count === 1 ? 'it' : 'them'} elsewhere and go back with ${aside}`,
  );
}

/** Which branch moves forward was settled when the iteration began. */
export function refuseOtherBranch({ left, now }: { readonly left: string; readonly now: string }): void {
  if (left === now) return;
  throw moved(`${shortRef(now)} is checked out, and the loop works on ${shortRef(left)}`, backTo(left));
}

export const backTo = (branch: string): string => `Go back to it with git switch ${shortRef(branch)}`;

/** What commits since `base` changed; relative to the top of the repository. Throws when the history lost it. */
export async function committedSince(git: Git, base: string, place: CheckoutPlace): Promise<readonly string[]> {
  if (base === place.head) return [];
  if (!(await isAncestor(git, base, place.head)))
    throw moved(
      `${shortRef(place.branch)} was at ${base.slice(0, 12)} when the iteration began, and is at ${place.head.slice(0, 12)} without it`,
      `Go back with git branch by-hand-${place.head.slice(0, 12)} && git reset --keep ${base.slice(0, 12)}`,
    );
  return namesBetween(git, base, place.head);
}

/** Files that two commits have not alike; relative to the top of the repository. */
export async function namesBetween(git: Git, one: string, other: string): Promise<readonly string[]> {
  if (one === other) return [];
  return fileNames((await git.run(['diff-tree', '-r', '-z', '--name-only', '--no-renames', one, other])).stdout);
}

export const moved = (what: string, fix: string, files: readonly string[] = []): GitProblem =>
  new GitProblem({ reason: 'rewritten', what, fix, files });

export const shortRef = (ref: string): string => ref.replace(/^refs\/heads\//, '');
