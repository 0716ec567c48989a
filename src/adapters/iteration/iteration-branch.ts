import { lstatSync } from 'node:fs';
import { join, relative } from 'node:path';
import type { IterationBranch } from '../../model/events/iteration-event.js';
import type { Clock } from '../../model/ports.js';
import { inProject } from '../git/checkout-problem.js';
import { commitOf, type Repository, treeOf } from '../git/git-repository.js';
import type { Git } from '../git/git-run.js';
import { soundEntries } from '../git/sound-commit.js';
import { ownLogs } from '../kept/own-logs.js';
import { makeCommit, stage } from '../worktree/worktree-commit.js';
import { changesIn, withFreshIndex } from '../worktree/worktree-files.js';
import { exclusively } from '../worktree/worktree-mutex.js';
import { refsOf } from '../worktree/worktree-names.js';

export interface BranchOptions {
  readonly repo: Repository;
  /** The project folder, real. */
  readonly root: string;
  readonly clock: Clock;
  readonly branch: string;
  readonly message: string;
  /** The same moment gives the same commit again after a crash. */
  readonly at: number;
  /** Whether a file of the project is the work of an iteration. */
  isMade(path: string): boolean;
}

/**
 * Gives an iteration that puts nothing back a branch of its own: what is checked out, with what its tasks have made on top. Nothing
 * else moves, neither files nor index nor the person's branch. Undefined where there is no commit to begin from.
 */
export async function branchIteration(options: BranchOptions): Promise<IterationBranch | undefined> {
  const { repo, root, branch, message, at, clock, isMade } = options;
  const git = await repo.git();
  const head = await commitOf(git, 'HEAD');
  if (head === undefined) return undefined;
  const inside = relative(repo.top, root);
  const logs = new Set(ownLogs(repo.top));
  const isOurs = (file: string): boolean => {
    const own = inProject(file, inside)?.[0];
    return own !== undefined && !logs.has(file) && isMade(own) && !isLarge(join(repo.top, file));
  };
  const commit = await withFreshIndex(git, head, async (fresh) => {
    const own = (await changesIn(fresh)).filter(({ how, path }) => how !== 'closed' && isOurs(path));
    await stage(fresh, own);
    const tree = await fresh.line(['write-tree']);
    if (tree === (await treeOf(git, head))) return head;
    const made = await makeCommit(git, { tree, parents: [head], message, at, committer: repo.identity });
    await soundEntries(
      git,
      [made],
      own.map(({ path }) => path),
    );
    return made;
  });
  await exclusively(repo.tether, clock, () => nameCommit(git, branch, commit));
  return { branch, commit };
}

/** A branch of that name which leads elsewhere is of a loop whose record is gone; what it leads to is kept aside. */
export async function nameCommit(git: Git, branch: string, commit: string): Promise<void> {
  const refs = refsOf(branch);
  const old = await commitOf(git, refs.branch);
  if (old === commit) return;
  if (old !== undefined) await git.run(['update-ref', '--no-deref', refs.kept(old), old]);
  await git.run(['update-ref', '--no-deref', '-m', 'autoresearch: iteration', refs.branch, commit]);
}

/** Nobody asked for a repository full of checkpoints. */
const isLarge = (file: string): boolean => (lstatSync(file, { throwIfNoEntry: false })?.size ?? 0) > mostBytes;

const mostBytes = 10 << 20;
