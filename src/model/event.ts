import type { Failure } from './failure.js';
import type { Fingerprint, OutputRecord } from './fingerprint.js';
import type { Reason, TaskId } from './plan.js';

/**
 * The journal's contract. Recorded events change state, survive a crash and are appended before anyone is told.
 * Names are kebab-case and past tense; fields are only ever added.
 */
export type RecordedEvent =
  | RunStarted
  | WorkspaceRecorded
  | TaskStarted
  | TaskFinished
  | TaskFailed
  | TaskSkipped
  | RetryScheduled
  | RunFinished;

export interface RunStarted {
  readonly type: 'run-started';
  /** Version of the journal's format. */
  readonly journal: 1;
  readonly run: string;
  readonly name: string;
  readonly planDigest: string;
  readonly tasks: number;
  readonly tool: string;
  readonly host: string;
  readonly pid: number;
  /** Present when an unfinished run goes on: what is different from when it stopped. */
  readonly resumed?: { readonly changes: readonly string[] };
}

/** The commit a run started from. Comes soon after `run-started`, because nobody should wait for git. */
export interface WorkspaceRecorded {
  readonly type: 'workspace-recorded';
  /** Absent before the first commit. */
  readonly commit?: string;
  readonly branch?: string;
  /** Files that differ from the commit, untracked ones included. */
  readonly changedFiles?: number;
  /** Why the repository could not be read. */
  readonly problem?: string;
}

export interface TaskStarted {
  readonly type: 'task-started';
  readonly task: TaskId;
  readonly attempt: number;
  readonly reasons: readonly Reason[];
}

export interface TaskFinished {
  readonly type: 'task-finished';
  readonly task: TaskId;
  readonly attempt: number;
  readonly durationMs: number;
  readonly fingerprint: Fingerprint;
  readonly outputs: readonly OutputRecord[];
  /** One digest for all that came out. Dependants compare it; equal products do not make them stale. */
  readonly product: string;
  readonly summary?: string;
}

export interface TaskFailed {
  readonly type: 'task-failed';
  readonly task: TaskId;
  readonly attempt: number;
  readonly durationMs: number;
  readonly failure: Failure;
  /** True when another attempt follows. */
  readonly retrying: boolean;
}

export interface TaskSkipped {
  readonly type: 'task-skipped';
  readonly task: TaskId;
  /** `cached`: an earlier result still holds. `upstream-failed`: it could not be tried. `excluded`: the plan says so. */
  readonly cause: 'cached' | 'upstream-failed' | 'excluded' | 'cancelled';
  readonly reasons: readonly Reason[];
  /** The tasks that failed, when that is the cause. */
  readonly because?: readonly TaskId[];
  /** Carried along from the run that did the work, when cached. */
  readonly fingerprint?: Fingerprint;
  readonly outputs?: readonly OutputRecord[];
  readonly product?: string;
}

export interface RetryScheduled {
  readonly type: 'retry-scheduled';
  readonly task: TaskId;
  readonly attempt: number;
  readonly afterMs: number;
  readonly errorClass: string;
}

export type Outcome = 'running' | 'passed' | 'failed' | 'waiting' | 'cancelled' | 'over-budget' | 'violated';

export interface RunFinished {
  readonly type: 'run-finished';
  readonly outcome: Exclude<Outcome, 'running'>;
  readonly durationMs: number;
  readonly signal?: string;
}

/** A recorded event as it stands in the journal. */
export type JournalEntry = RecordedEvent & {
  readonly seq: number;
  /** ISO 8601, UTC. */
  readonly at: string;
  readonly prev: string;
  readonly hash: string;
};

/** Only shown, never stored. */
export type EphemeralEvent =
  | { readonly type: 'output'; readonly task: TaskId; readonly line: string }
  | { readonly type: 'stopping'; readonly signal: string; readonly running: number }
  | { readonly type: 'notice'; readonly text: string };
