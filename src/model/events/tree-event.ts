import type { TaskId } from '../plan.js';
import type { Committed, TreeCommit, TreeMerged, TreeRecord } from '../state/tree-record.js';

/** What happens to the worktree of a task, and to what was done in it. */
export type TreeEvent =
  | WorktreeCreated
  | WorktreeUpdated
  | WorktreeBehind
  | WorktreeCommitted
  | WorktreeMerged
  | WorktreeRemoved
  | WorktreeKept
  | OutputsCommitted
  | CheckoutStashed;

export interface WorktreeCreated extends TreeRecord {
  readonly type: 'worktree-created';
  readonly task: TaskId;
}

/** Before another attempt: the worktree has what its branch is to be merged into has by now. */
export interface WorktreeUpdated extends Pick<TreeRecord, 'branch' | 'into' | 'carried' | 'protection'> {
  readonly type: 'worktree-updated';
  readonly task: TaskId;
  readonly commit: string;
}

/** The same could not be done, because both have changed these files. Nothing was written. */
export interface WorktreeBehind extends Pick<TreeRecord, 'branch' | 'into'> {
  readonly type: 'worktree-behind';
  readonly task: TaskId;
  readonly files: readonly string[];
}

/** An attempt has passed in its worktree; what is left to do is to merge. */
export interface WorktreeCommitted extends Committed, Pick<TreeCommit, 'commit' | 'files'> {
  readonly type: 'worktree-committed';
  readonly task: TaskId;
  readonly branch: string;
  readonly refused?: readonly string[];
  readonly kept?: readonly string[];
}

export interface WorktreeMerged extends TreeMerged {
  readonly type: 'worktree-merged';
  readonly task: TaskId;
  readonly attempt: number;
  readonly branch: string;
  /** Outputs that are in no commit and were copied to the project. */
  readonly brought?: readonly string[];
}

export interface WorktreeRemoved {
  readonly type: 'worktree-removed';
  readonly task: TaskId;
  readonly branch: string;
}

/** Merged, but something is in it that is nowhere else. */
export interface WorktreeKept {
  readonly type: 'worktree-kept';
  readonly task: TaskId;
  readonly branch: string;
  readonly path: string;
  readonly why: string;
}

/** The outputs of a task that works in the checkout itself. */
export interface OutputsCommitted {
  readonly type: 'outputs-committed';
  readonly task: TaskId;
  readonly attempt: number;
  readonly commit: string;
  readonly files: readonly string[];
}

/** Changes of the person were put aside, because they said so. */
export interface CheckoutStashed {
  readonly type: 'checkout-stashed';
  readonly commit: string;
}
