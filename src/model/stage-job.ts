import type { Failure } from './failure.js';
import type { ParameterSet } from './parameters.js';
import type { Resources } from './scheduler.js';

/** What a behaviour wants of its cluster. */
export interface JobWish {
  readonly run: string | readonly string[];
  readonly env?: { readonly [name: string]: string };
  /** Variables that were changed to mend something. */
  readonly set?: ParameterSet;
  /** In place of, or besides, what the stage asks for. */
  readonly resources?: Resources;
  /** Why it follows another job of the attempt, for the record. */
  readonly because?: JobReason;
  /** Looks at the job now and then; what it answers is why the job is to be ended. */
  look?(news: JobNews): string | undefined;
}

export interface JobReason {
  readonly errorClass: string;
  readonly diagnosis: string;
  readonly fix: string;
}

export interface JobNews {
  readonly state: string;
  /** Since it was first seen at work. */
  readonly runningMs?: number;
  /** The end of what it wrote, at most a few hundred lines. */
  lines(): readonly string[];
}

export interface JobFacts {
  readonly id?: string;
  readonly how?: string;
  readonly exitCode?: number;
  readonly requeues: number;
  readonly runMs: number;
  readonly gpuHours: number;
  /** The end of what it wrote. */
  readonly lines: readonly string[];
  /** An earlier runner had seen its end and gone on with another job. */
  readonly followed: boolean;
}

export type JobEnd =
  | { readonly ok: true; readonly job: JobFacts }
  | { readonly ok: false; readonly failure: Failure; readonly job: JobFacts };

/** Variables of jobs that were changed to mend something. What is changed in one arm of a comparison holds for all. */
export interface StageParameters {
  /** What the first job of the attempt has. */
  first(): ParameterSet;
  /** What holds now; another arm may have changed it since. */
  held(): ParameterSet;
  /** From here on it holds for every arm; those that have passed with other values are done again. The diagnosis says why. */
  change(set: ParameterSet, diagnosis?: string): void;
  /** What holds for the arms of a parity check. */
  ofCheck(check: string): ParameterSet;
}

/** The one job that a behaviour hands over. */
export interface OnlyJob {
  readonly run: string | readonly string[];
}
