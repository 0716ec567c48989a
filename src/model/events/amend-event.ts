import type { OutputRecord } from '../fingerprint.js';
import type { TaskId } from '../plan.js';

/** A file that a task made and somebody has changed since by right, as it is now. */
export interface AmendedOutput extends OutputRecord {
  /** Absent: a planner. */
  readonly by?: string;
}

/** Somebody whom the run knows has changed what others made: who mends, or an agent in its scope. */
export interface OutputsAmended {
  readonly type: 'outputs-amended';
  /** The task that it was done for. */
  readonly task: TaskId;
  readonly attempt: number;
  /** The agent or the command. */
  readonly by: string;
  /** The makers: they still hold, with these in place of what they made. */
  readonly amended: readonly { readonly task: TaskId; readonly outputs: readonly OutputRecord[] }[];
  /** What does not stand any more because of that, with all that needs it: gates are asked anew, the rest is done again. */
  readonly again?: readonly TaskId[];
}
