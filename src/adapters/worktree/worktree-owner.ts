import { existsSync, lstatSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import type { CleanedTrees, Leftover } from '../../model/files/leftover.js';
import type { Environment } from '../command/environment.js';
import { openRepository } from '../git/git-repository.js';
import { asideName } from './worktree-away.js';
import { cleanLeftovers } from './worktree-leftovers.js';
import { keptPrefix } from './worktree-names.js';
import { trashName } from './worktree-remove.js';

export interface TreeOwner {
  /** Where the trees of this agent id live. */
  readonly dir: string;
  readonly agentId: string;
  /** All agent ids of the project. */
  readonly agentIds: readonly string[];
}

/** Whether a leftover belongs to this agent id. Those of others, and of other projects in the repository, are theirs to clean. */
export function isOwnLeftover({ path, branch }: Leftover, { dir, agentId, agentIds }: TreeOwner): boolean {
  if (branch === undefined || (path !== undefined && dirname(path) === dir && existsSync(path)))
    return path !== undefined && [dir, join(dir, asideName), join(dir, trashName)].includes(dirname(path));
  if (path !== undefined && dirname(path) !== dir) return false;
  const name = branch.startsWith(keptPrefix) ? branch.slice(keptPrefix.length) : branch;
  const owners = [...agentIds, agentId].filter((id) => name.startsWith(`auto/${id.replace(/-+$/, '')}-iter-`));
  // `a` and `a-iter-1` are two agent ids, and what the second made looks like the first one's too.
  return owners.sort((a, b) => b.length - a.length)[0] === agentId;
}

/** A link on the way would lead a removal elsewhere: the folders are where they seem to be, or nothing is touched. */
export function strangeFolder(stateDir: string, dir: string): string | undefined {
  if (lstatSync(dir, { throwIfNoEntry: false }) === undefined) return undefined;
  if (realpathSync(dirname(dir)) !== realpathSync(stateDir) || !isPlainFolder(dir)) return dir;
  return [asideName, trashName]
    .map((name) => join(dir, name))
    .find((path) => lstatSync(path, { throwIfNoEntry: false }) !== undefined && !isPlainFolder(path));
}

const isPlainFolder = (path: string): boolean =>
  lstatSync(path).isDirectory() && realpathSync(path) === join(realpathSync(dirname(path)), basename(path));

/** What cleaning would do. Writes nothing into the repository or the project, waits for nobody. */
export async function lookAtLeftovers(root: string, owner: TreeOwner, env: Environment): Promise<CleanedTrees> {
  const scratch = mkdtempSync(join(tmpdir(), 'autoresearch-look-'));
  try {
    const repo = await openRepository(root, { env, tether: '', scratch });
    const dir = existsSync(owner.dir) ? realpathSync(owner.dir) : owner.dir;
    const except = (leftover: Leftover): boolean => !isOwnLeftover(leftover, { ...owner, dir });
    return await cleanLeftovers(repo, dir, { isDryRun: true, except });
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}
