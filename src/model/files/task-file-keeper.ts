import type { Planning, TaskFile } from '../events/replan-event.js';

/**
 * Keeps the task files that match as they are, while a planner may change them, and remembers outside of any run that somebody has to
 * look at them. `folder`: absolute, for the copies.
 */
export type KeepTaskFiles = (patterns: readonly string[], folder: string) => Promise<KeptTaskFiles>;

export interface KeptTaskFiles extends Planning {
  /** What is not as it was. */
  changes(): readonly TaskFileChange[];
  /** Makes them what they were, byte for byte; what was written instead stays beside the copies. */
  putBack(): void;
  /** Somebody has decided about them, and that is written down. */
  settle(): void;
}

export interface TaskFileChange {
  readonly path: string;
  /** Absent for a new one. */
  readonly before?: string;
  /** Absent when there is no plain file of that name any more. */
  readonly now?: TaskFile;
}
