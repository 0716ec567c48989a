import type { FileStamp } from '../fingerprint.js';
import type { HeldUp } from '../held-up.js';
import type { ParameterSet } from '../parameters.js';
import type { TaskId } from '../plan.js';
import type { JobHow, JobKey } from '../scheduler.js';

/** Written, and on the disk, before anything is submitted: whoever comes later looks for the tag first. */
export interface JobSubmitting extends JobKey {
  readonly type: 'job-submitting';
  readonly task: TaskId;
  readonly attempt: number;
  /** Which one of the attempt: its first job is 0. */
  readonly job: number;
  readonly cluster: string;
  /** Digest of what is run, where and with what; another order is another job. */
  readonly order: string;
  /** What was found out and done about the job before it. */
  readonly because?: { readonly errorClass: string; readonly diagnosis: string; readonly fix: string };
  /** Variables that were changed to mend something, in this arm or in another one. */
  readonly set?: ParameterSet;
  /** Handed over before its task could begin: the tags of the jobs that have to end well first. */
  readonly after?: readonly string[];
  /** Then: digests of what its task reads, without what those jobs make. */
  readonly inputs?: { readonly [path: string]: string };
  readonly gpus?: number;
  readonly limitMs?: number;
  /** The outputs of the task as they were. What is there afterwards and the same is not its work. */
  readonly before: { readonly [path: string]: FileStamp };
}

/**
 * The scheduler has not taken it yet. Told after the first time that it could not be submitted, and again when the words
 * change or what is known of it.
 */
export interface JobHeldUp extends HeldUp {
  readonly type: 'job-held-up';
  readonly task: TaskId;
  readonly tag: string;
  readonly cluster: string;
}

export interface JobSubmitted {
  readonly type: 'job-submitted';
  readonly task: TaskId;
  readonly tag: string;
  readonly cluster: string;
  readonly id: string;
  /** It was there already, under its tag. */
  readonly found?: true;
}

export interface JobStateChanged {
  readonly type: 'job-state-changed';
  readonly task: TaskId;
  readonly tag: string;
  readonly id: string;
  readonly state: 'waiting' | 'running' | 'ended' | 'no-record' | 'unreachable';
  /** The scheduler's own word. */
  readonly word?: string;
  readonly detail?: string;
}

export interface JobFinished {
  readonly type: 'job-finished';
  readonly task: TaskId;
  readonly tag: string;
  readonly cluster: string;
  readonly id?: string;
  readonly how: JobEndWord;
  /** What the wrapper, or the scheduler, says. */
  readonly exitCode?: number;
  readonly detail?: string;
  /** How often it was started again by the scheduler. */
  readonly requeues: number;
  readonly runMs: number;
  readonly gpuHours: number;
}

/** `lost`: nobody knows how it ended. `refused`: there never was a job. `replaced`: the order changed. `sick`: it was not healthy. */
export type JobEndWord = JobHow | 'lost' | 'refused' | 'replaced' | 'sick';

export type JobEvent = JobSubmitting | JobHeldUp | JobSubmitted | JobStateChanged | JobFinished;
