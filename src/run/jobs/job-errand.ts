import type { ClusterSettings } from '../../model/cluster.js';
import type { JobFinished } from '../../model/events/job-event.js';
import type { Failure } from '../../model/failure.js';
import type { FileStamp } from '../../model/fingerprint.js';
import type { SpendPlace } from '../../model/money/spend.js';
import type { ParameterSet } from '../../model/parameters.js';
import type { Task } from '../../model/plan.js';
import type { AttemptFolder } from '../../model/ports.js';
import type { ExitFile, Resources, Scheduler } from '../../model/scheduler.js';
import type { JobNews, JobReason } from '../../model/stage-job.js';

/** A job as who wants it sees it. */
export interface JobErrand {
  readonly task: Task;
  readonly attempt: number;
  /** Which one of the attempt. */
  readonly job: number;
  readonly folder: AttemptFolder;
  readonly run: string | readonly string[];
  readonly cwd: string;
  readonly env: { readonly [name: string]: string };
  readonly passed: { readonly [name: string]: string };
  readonly cluster: string;
  readonly resources: Resources;
  /** Digests of what the task reads. A job that was submitted for other inputs is not the one that is wanted. */
  readonly inputs: { readonly [path: string]: string };
  readonly before: { readonly [path: string]: FileStamp };
  readonly because?: JobReason;
  /** A part of `env`: what was changed to mend something. */
  readonly set?: ParameterSet;
  /** Looks at the job now and then; what it answers is why the job is to be ended. */
  look?(news: JobNews): string | undefined;
}

export interface JobSignals {
  /** The runner goes; the job stays. */
  readonly letGo: AbortSignal;
  /** The job is to end. */
  readonly cancel: AbortSignal;
}

export interface JobResult {
  readonly failure?: Failure;
  /** What the journal says of its end; absent when the runner let go, or there never was one. */
  readonly end?: Pick<JobFinished, 'how' | 'exitCode' | 'requeues' | 'runMs' | 'gpuHours'>;
  readonly id?: string;
  readonly tag?: string;
  /** The end of what it wrote. */
  readonly lines?: readonly string[];
  /** Its folder, when there was one. */
  readonly dir?: string;
  /** The outputs as they were before the job that was taken up again was submitted. */
  readonly adopted?: { readonly [path: string]: FileStamp };
  /** A later job of the attempt is in the journal already: an earlier runner had come that far. */
  readonly followed: boolean;
}

/** The line of a job in the ledger. */
export interface JobUse extends SpendPlace {
  readonly call: string;
  readonly wallMs: number;
  readonly gpuHours: number;
}

/** What the desk needs from the outside, besides the journal. */
export interface JobPorts {
  settings(cluster: string): ClusterSettings;
  scheduler(cluster: string): Promise<Scheduler>;
  /** Those of these variables whose values must appear nowhere; none where nobody can say. */
  secretsAmong?(names: readonly string[]): readonly string[];
  /** The folder of a job; it is made when it is not there. */
  folderOf(tag: string): string;
  exitOf(tag: string): ExitFile;
  /** When it began to run, each time. Milliseconds since 1970. */
  startsOf(tag: string): readonly number[];
  /** When the wrapper wrote its last word. */
  exitedAt(tag: string): number | undefined;
  /** The id of the job that began to work under the tag. */
  ownerOf(tag: string): string | undefined;
  /** Ends a program that was submitting the job when its runner was killed. */
  endSubmitter(tag: string): Promise<void>;
  /** Brings what a job wrote into the logs of an attempt, from its beginning; each call goes on where the last one was. */
  follow(tag: string, folder: AttemptFolder): { copy(): void; lines(): readonly string[] };
  /** Writes into the ledger what a job has used; a second time it changes nothing. */
  spend(job: JobUse): Promise<void>;
  /** Everything that was recorded survives the death of the machine. */
  flushed(): Promise<void>;
}
