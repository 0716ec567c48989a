import { join } from 'node:path';
import type { Guard } from '../../model/files/guard.js';
import type { CaughtUp, Conflict } from '../../model/files/isolation.js';
import type { TreeRecord } from '../../model/state/tree-record.js';
import { contentOf, lendFiles } from '../disk/lent-files.js';
import { GitProblem } from '../git/git-problem.js';
import type { Updated } from './worktree-update.js';
import type { Worktrees } from './worktrees.js';

export interface GuardAt {
  readonly guard: Guard;
  /** What is not as it was kept; nothing is put back. */
  differences(): readonly string[];
  readonly digest: string;
}

export interface CatchUpTools {
  readonly worktrees: Worktrees;
  /** The project folder in the checkout that people work in. */
  readonly root: string;
  /** The project folder in the worktree. */
  readonly at: string;
  /** A file of the project, relative to the top of the repository. */
  inTop(file: string): string;
  /** What is protected in the worktree: as it was kept, or as it is now. */
  guardNow(protection?: string): Promise<GuardAt | undefined>;
}

/**
 * Whoever mended the cause of a failure has committed that where the work is to be merged; the next attempt goes on in the worktree of the
 * last one and has to have it, too. What the attempts have done so far is in no commit and stays as it is: where both have
 * changed a file nothing is written at all.
 */
export async function catchUp(record: TreeRecord, tools: CatchUpTools): Promise<CaughtUp | Conflict | undefined> {
  const { worktrees, root, at } = tools;
  const { path, into, carried } = record;
  if (await worktrees.isCurrent({ path, from: into })) return undefined;
  const guarded = await tools.guardNow(record.protection);
  // What an agent has done to the index, or committed itself, decides nothing.
  await worktrees.settle(path);
  const lent = Object.keys(carried).filter((file) => contentOf(join(at, file)) === carried[file]);
  await worktrees.restore(path, lent.map(tools.inTop));
  const updated = await updatedOrNot(record, worktrees);
  lendFiles(root, at, lent);
  if (updated.kind === 'current') return undefined;
  if (updated.kind === 'conflict') return { conflicts: updated.files };
  const isLent = new Set(lent);
  const now = Object.fromEntries(
    Object.entries(carried).flatMap(([file, was]) => {
      const content = isLent.has(file) ? contentOf(join(at, file)) : was;
      return content === undefined ? [] : [[file, content]];
    }),
  );
  const protection = await protectionNow({ record, updated, lent, guarded }, tools);
  return { commit: updated.commit, record: { ...record, carried: now, ...protection } };
}

async function updatedOrNot({ path, into }: TreeRecord, worktrees: Worktrees): Promise<Updated> {
  try {
    return await worktrees.update({ path, from: into });
  } catch (error) {
    if (error instanceof GitProblem && error.reason === 'dirty') return { kind: 'conflict', files: error.files };
    throw error;
  }
}

interface Renewed {
  readonly record: TreeRecord;
  readonly updated: Extract<Updated, { kind: 'updated' }>;
  readonly lent: readonly string[];
  readonly guarded: GuardAt | undefined;
}

/**
 * Protected files are now what the commit says, and nothing else: should anything differ that others have not committed, the old copies go
 * on to be what counts, and the look before the attempt finds it.
 */
async function protectionNow(
  { record, updated, lent, guarded }: Renewed,
  { worktrees, inTop, guardNow }: CatchUpTools,
): Promise<{ protection?: string }> {
  if (!guarded) return {};
  // Kept first: whoever changes a file after this look is found by the next one.
  const fresh = await guardNow();
  const unlike = new Set(await worktrees.unlikeCommit(record.path));
  const committed = updated.files.filter((file) => !unlike.has(file));
  const isTheirs = (file: string): boolean =>
    lent.includes(file) || committed.some((one) => one === inTop(file) || one.startsWith(`${inTop(file)}/`));
  const isRight = guarded.differences().every(isTheirs);
  return fresh && isRight ? { protection: fresh.digest } : {};
}
