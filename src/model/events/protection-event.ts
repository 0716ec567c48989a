import type { TaskId } from '../plan.js';

/** What nobody may change from here on, as one digest; the vault outside of the project holds the rest. */
export interface ProtectionRecorded {
  readonly type: 'protection-recorded';
  readonly digest: string;
  readonly files: number;
  readonly patterns: readonly string[];
  /** Of names, contents and links alone, so that it can be compared where there is no vault. */
  readonly content?: string;
}

/** What says what the study is was changed while a task ran: by what it runs, or by a person. Nothing was put back. */
export interface StudyChanged {
  readonly type: 'study-changed';
  readonly task: TaskId;
  readonly attempt: number;
  readonly files: readonly string[];
  /** Where they are kept as they were. */
  readonly evidence: string;
}

/** Written before anything is put back. One with the same evidence says more of the same, and takes its place. */
export interface ProtectionViolated {
  readonly type: 'protection-violated';
  /** The task that ran; absent at the end of the run. */
  readonly task?: TaskId;
  readonly files: readonly string[];
  readonly problems?: readonly string[];
  /** What was kept of them, and of which folder: whoever is killed before all is put back leaves it to the next one. */
  readonly kept?: string;
  readonly place?: string;
  /** Where the difference and what stood there are kept. */
  readonly evidence: string;
}
