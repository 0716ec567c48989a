import { GitProblem } from '../git/git-problem.js';

/** Why the checkout does not allow what a loop needs. */
export const cannot = (what: string, fix: string, files: readonly string[] = []): GitProblem =>
  new GitProblem({ reason: 'busy', what, fix, files });

export const unsaved = (files: readonly string[]): GitProblem =>
  new GitProblem({
    reason: 'dirty',
    what: `files of the loop have changes that are in no commit, and would be lost when an iteration is put back: ${someOf(files)}`,
    fix: 'Commit them, or put them aside with git stash',
    files,
  });

export const notCommitted = (files: readonly string[]): GitProblem =>
  new GitProblem({
    reason: 'dirty',
    what: `your checkout has changes that are in no commit, so what is kept would not be what was measured: ${someOf(files)}`,
    fix: 'Commit them, put them aside with git stash, or let git ignore them',
    files,
  });

export const someOf = (files: readonly string[]): string =>
  `${files.slice(0, 5).join(', ')}${files.length > 5 ? ` and ${files.length - 5} more` : ''}`;
