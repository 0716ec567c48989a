import { lstatSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Repository } from '../git/git-repository.js';
import { soundEntries } from '../git/sound-commit.js';
import { checkWritten } from '../git/sound-files.js';
import { tipOf } from './worktree-commit.js';
import { trackedIn, withFreshIndex } from './worktree-files.js';
import { readyTree } from './worktree-place.js';

/** Makes these files of a worktree what its last commit says: they were lent to it. */
export async function restoreFiles(repo: Repository, path: string, files: readonly string[]): Promise<void> {
  if (files.length === 0) return;
  const tree = readyTree(repo, path);
  const git = await repo.git({ gitDir: tree.gitDir, workTree: tree.path });
  const tip = await tipOf(git, tree.branch);
  const [entries] = await soundEntries(git, [tip], files);
  await withFreshIndex(git, tip, async (fresh) => {
    const tracked = new Set((await trackedIn(fresh)).map((name) => Buffer.from(name, 'latin1').toString()));
    for (const file of files) {
      const stats = lstatSync(join(tree.path, file), { throwIfNoEntry: false });
      if (stats && !stats.isDirectory()) rmSync(join(tree.path, file));
    }
    const own = files.filter((file) => tracked.has(file));
    if (own.length > 0) await fresh.run(['checkout-index', '-f', '-z', '--stdin'], { input: `${own.join('\0')}\0` });
    await checkWritten(git, tip, entries!);
  });
}
