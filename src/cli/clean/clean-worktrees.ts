import { existsSync, readdirSync, realpathSync } from 'node:fs';
import { dirname } from 'node:path';
import { GitProblem } from '../../adapters/git/git-problem.js';
import { systemClock } from '../../adapters/system-clock.js';
import { isOwnLeftover, lookAtLeftovers, strangeFolder } from '../../adapters/worktree/worktree-owner.js';
import type { CleanedTrees, Leftover } from '../../model/files/leftover.js';
import type { RunState } from '../../model/state/run-state.js';
import type { TreeRecord } from '../../model/state/tree-record.js';
import { worktreePlace } from '../run/worktree-place.js';

export interface TreesInput {
  readonly root: string;
  readonly stateDir: string;
  readonly agentId: string;
  readonly env: NodeJS.ProcessEnv;
  /** Those that the unfinished run goes on in. */
  readonly inUse: readonly TreeRecord[];
}

/** What crashes left of worktrees: removes what is clean and merged. The caller holds the lock. */
export async function cleanWorktrees(input: TreesInput, isDryRun: boolean): Promise<CleanedTrees> {
  const { root, stateDir, agentId, env } = input;
  const dir = worktreePlace(stateDir);
  try {
    const strange = strangeFolder(stateDir, dir);
    if (strange !== undefined) return { removed: [], stays: [], strange };
    const owner = { dir, agentId, agentIds: agentIdsOf(stateDir) };
    const branches = new Set(input.inUse.map(({ branch }) => branch));
    const isUsed = ({ branch }: Leftover): boolean => branch !== undefined && branches.has(branch);
    const seen = await lookAtLeftovers(root, owner, env);
    const inUse = seen.removed.filter(isUsed);
    const removed = seen.removed.filter((one) => !isUsed(one));
    // Nothing is made where there is nothing to remove.
    if (isDryRun || removed.length === 0) return { removed, stays: seen.stays, inUse };
    const { openWorktrees } = await import('../../adapters/worktree/worktrees.js');
    const trees = await openWorktrees({ root, dir, clock: systemClock, env });
    const except = (one: Leftover): boolean => !isOwnLeftover(one, { ...owner, dir: trees.dir });
    const done = await trees.clean({
      except: (one) => except(one) || inUse.some(({ branch }) => branch === one.branch),
    });
    return { ...done, inUse };
  } catch (error) {
    if (!(error instanceof GitProblem)) throw error;
    // Without a repository there are no worktrees; where there is a folder of them, somebody has to look.
    return existsSync(dir) && readdirSync(dir).length > 0
      ? { removed: [], stays: [], problem: { what: error.what, dir: realpathSync(dir) } }
      : { removed: [], stays: [] };
  }
}

function agentIdsOf(stateDir: string): readonly string[] {
  try {
    return readdirSync(dirname(stateDir));
  } catch {
    return [];
  }
}

/** The worktrees that `exec` would go on in. They may hold nothing yet, and the journal speaks of them all the same. */
export const treesInUse = (newest: RunState | undefined): readonly TreeRecord[] =>
  !newest || newest.outcome === 'passed' ? [] : [...newest.tasks.values()].flatMap(({ tree }) => (tree ? [tree] : []));
