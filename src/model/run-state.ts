import type { Outcome, WorkspaceRecorded } from './event.js';
import type { Failure } from './failure.js';
import type { Fingerprint, OutputRecord } from './fingerprint.js';
import type { Reason, TaskId } from './plan.js';

/** A run as the journal tells it. Made only by `journal/apply`, live and on resume alike. */
export interface RunState {
  readonly run: string;
  readonly name: string;
  readonly planDigest: string;
  readonly outcome: Outcome;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  readonly finishedAt?: number;
  readonly signal?: string;
  readonly workspace?: WorkspaceRecorded;
  readonly tasks: ReadonlyMap<TaskId, TaskState>;
}

export type TaskStatus = 'running' | 'retrying' | 'passed' | 'cached' | 'failed' | 'skipped' | 'cancelled';

/** A task that is not in the map has not been touched yet: it waits. */
export interface TaskState {
  readonly id: TaskId;
  readonly status: TaskStatus;
  /** Attempts started so far. */
  readonly attempts: number;
  readonly reasons: readonly Reason[];
  readonly startedAt?: number;
  readonly durationMs?: number;
  readonly failure?: Failure;
  /** The failed tasks that kept this one from being tried. */
  readonly because?: readonly TaskId[];
  readonly summary?: string;
  readonly fingerprint?: Fingerprint;
  readonly outputs?: readonly OutputRecord[];
  readonly product?: string;
}
