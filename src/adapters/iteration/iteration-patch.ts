import type { Git } from '../git/git-run.js';
import { takeFrom } from '../git/index-entries.js';
import { withFreshIndex } from '../worktree/worktree-files.js';

interface Difference {
  readonly base: string;
  readonly snapshot: string;
  readonly files: readonly string[];
}

/** As `git apply` takes it. Of these files alone, whatever else was committed meanwhile. */
export const patchOf = (git: Git, { base, snapshot, files }: Difference): Promise<Buffer> =>
  withFreshIndex(git, base, async (fresh) => {
    await takeFrom(fresh, snapshot, files);
    const tree = await fresh.line(['write-tree']);
    const options = ['--binary', '--full-index', '--no-renames', '--no-ext-diff', '--no-textconv', '--no-color'];
    return (await git.run(['diff-tree', '-r', '-p', ...options, `${base}^{tree}`, tree])).stdout;
  });
