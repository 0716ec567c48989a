import type { TaskId } from '../plan.js';

/** What is different from when an unfinished run stopped. */
export interface GoingOn {
  readonly changes: readonly string[];
  /** Tasks that had passed and have to run again because of the changes. */
  readonly stale?: readonly TaskId[];
  /** What `--set` had said until then. */
  readonly set?: readonly string[];
}
