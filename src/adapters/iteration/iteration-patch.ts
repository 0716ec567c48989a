import type { Git } from '../git/git-run.js';
import { takeFrom } from '../git/index-entries.js';
import { withFreshIndex } from '../worktree/worktree-files.js';

interface Difference {
  readonly base: string;
  readonly snapshot: string;
  /** Of the loop, in which the two differ. */
  readonly files: readonly string[];
  /** They differ in no others. */
  readonly isAll: boolean;
}

/** As `git apply` takes it; of these files alone, whatever else was committed meanwhile. */
export async function patchOf(git: Git, { base, snapshot, files, isAll }: Difference): Promise<Buffer> {
  if (files.length === 0) return Buffer.alloc(0);
  const options = ['--binary', '--full-index', '--no-renames', '--no-ext-diff', '--no-textconv', '--no-color'];
  const upTo = async (tree: string): Promise<Buffer> =>
    (await git.run(['diff-tree', '-r', '-p', ...options, `${base}^{tree}`, tree])).stdout;
  if (isAll) return upTo(`${snapshot}^{tree}`);
  return withFreshIndex(git, base, async (fresh) => {
    await takeFrom(fresh, snapshot, files);
    return upTo(await fresh.line(['write-tree']));
  });
}
