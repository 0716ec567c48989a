import { filteredFiles } from '../git/filtered-files.js';
import { GitProblem } from '../git/git-problem.js';
import type { Repository } from '../git/git-repository.js';
import { withFreshIndex } from '../worktree/worktree-files.js';
import { someOf } from './iteration-problems.js';

/** Throws when git would run a filter on files of a loop: what is measured would not be what a checkout of its commit gives. */
export async function refuseFiltered(repo: Repository, commit: string, files: readonly string[]): Promise<void> {
  const filters = await repo.filters();
  if (filters.length === 0 || files.length === 0) return;
  const found = await withFreshIndex(await repo.look(), commit, (fresh) => filteredFiles(fresh, filters, files));
  if (found[0] === undefined) return;
  const named = found.map(({ file }) => file);
  throw new GitProblem({
    reason: 'unsupported',
    what: `files of the loop go through a filter of git (${found[0].filter}), which is not run here, so what is kept would not be what was measured: ${someOf(named)}`,
    fix: 'Take it out of .gitattributes for these files, or let scopes and iterate.files lead elsewhere',
    files: named,
  });
}
