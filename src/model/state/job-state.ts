import type { JobFinished, JobStateChanged } from '../events/job-event.js';
import type { FileStamp } from '../fingerprint.js';
import type { HeldUp } from '../held-up.js';
import type { ParameterSet } from '../parameters.js';
import type { TaskId } from '../plan.js';
import type { JobKey } from '../scheduler.js';

/** A job as the journal tells it. */
export interface JobState extends JobKey {
  readonly task: TaskId;
  readonly attempt: number;
  readonly job: number;
  readonly cluster: string;
  readonly order: string;
  readonly gpus: number;
  readonly set?: ParameterSet;
  readonly after?: readonly string[];
  readonly inputs?: { readonly [path: string]: string };
  readonly limitMs?: number;
  readonly before: { readonly [path: string]: FileStamp };
  /** Milliseconds since 1970. */
  readonly submittingAt: number;
  readonly id?: string;
  /** As long as it has no id: why. */
  readonly heldUp?: HeldUp;
  readonly runningSince?: number;
  readonly state?: JobStateChanged['state'];
  readonly word?: string;
  readonly end?: Pick<JobFinished, 'how' | 'exitCode' | 'detail' | 'requeues' | 'runMs' | 'gpuHours'>;
  /** The attempt that it belonged to came to its end: nobody takes it up again. */
  readonly spent?: true;
}
