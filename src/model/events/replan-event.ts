import type { OutputRecord } from '../fingerprint.js';
import type { TaskId } from '../plan.js';

/** A task file as it stood at some moment. */
export interface TaskFile {
  readonly path: string;
  /** sha256 of its content. */
  readonly digest: string;
}

/** What a planner is about to change, kept so that a runner that was killed meanwhile can put it back. */
export interface Planning {
  readonly files: readonly TaskFile[];
  /** Paths and globs; what matches and is not among the files came meanwhile. */
  readonly patterns: readonly string[];
  /** Of the folder with the copies, relative to that of the run; each bears its digest as its name. */
  readonly copies: string;
}

/** A planner that was asked when the tries were spent has changed the task file, and that was taken. */
export interface TaskFileChanged {
  readonly type: 'task-file-changed';
  /** The task whose tries were spent. */
  readonly task: TaskId;
  readonly attempt: number;
  /** The agent. */
  readonly by: string;
  readonly stage: string;
  /** As they are now. */
  readonly files: readonly (TaskFile & {
    /** The digest that it had; absent for a new one. */
    readonly before?: string;
  })[];
  /** What the files say otherwise of tasks that were not done. */
  readonly changed: readonly { readonly task: TaskId; readonly what: readonly string[] }[];
  readonly added: readonly TaskId[];
  readonly dropped: readonly TaskId[];
  /** Tasks of which a changed file is an output: they still hold, with these in place of what they made. */
  readonly amended: readonly { readonly task: TaskId; readonly outputs: readonly OutputRecord[] }[];
  /** The message of the commit that the files are to be in; absent where they are in none. */
  readonly commit?: string;
}
