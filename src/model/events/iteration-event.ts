import type { LoopFiles } from '../fingerprint.js';

/**
 * The record of a loop: above the journals of its runs, hash-chained like them. A series is one loop from its baseline to
 * its end. Names are past tense; fields are only ever added.
 */
export type IterationEvent =
  | SeriesStarted
  | IterationStarted
  | IterationStopped
  | IterationResumed
  | IterationMeasured
  | IterationDecided
  | IterationClosed
  | IterationsFinished;

export interface SeriesStarted {
  readonly type: 'series-started';
  /** Version of the record's format. */
  readonly record: 1;
  readonly series: number;
  /** Of the study. */
  readonly name: string;
  readonly tool: string;
}

export interface IterationStarted {
  readonly type: 'iteration-started';
  /** 0 is the baseline. */
  readonly number: number;
  /** From 1; only the baseline is measured more than once. */
  readonly repeat: number;
  /** `keep: best`: the commit that it began from, and the branch that was checked out. */
  readonly base?: string;
  readonly branch?: string;
  /** Empty folders among the files of the loop, which git does not keep; relative to the project. Absent in old records. */
  readonly folders?: readonly string[];
  /** Repositories of their own that were among them then. */
  readonly repositories?: readonly string[];
}

/** `keep: best`: its runner ended before it was measured. What its files were then, so that nobody changes them unseen. */
export interface IterationStopped {
  readonly type: 'iteration-stopped';
  readonly number: number;
  readonly repeat: number;
  readonly files: LoopFiles;
}

/** It goes on in another process. Absent where its runner was killed and its files are as they were known to be. */
export interface IterationResumed extends EditedMeanwhile {
  readonly type: 'iteration-resumed';
  readonly number: number;
  readonly repeat: number;
}

/** Files of the loop that are measured with an iteration, and are not known to be of it; relative to the project. */
export interface EditedMeanwhile {
  readonly files: readonly string[];
  /** `unknown`: its runner was killed, and nobody noted what it had written by then. */
  readonly by: 'person' | 'unknown';
}

/** What the run of an iteration came to. */
export interface IterationMeasured {
  readonly type: 'iteration-measured';
  readonly number: number;
  readonly repeat: number;
  readonly run: string;
  /** Why it counts as failed; absent when it was measured. */
  readonly failure?: string;
  /** Where the task that failed left what it printed, relative to the project. */
  readonly log?: string;
  /** The number that the loop is about. */
  readonly value?: number;
  /** Everything else that the stage of the metric recorded. */
  readonly metrics?: { readonly [name: string]: number };
  /** What was tried, in the words of whoever did it. */
  readonly tried?: string;
  /** A person rejected it. */
  readonly rejected?: true;
  readonly usd: number;
  readonly unpricedCalls: number;
  readonly workedMs: number;
  /** What the number was made with; two numbers are only compared where it is the same. Absent in old records. */
  readonly measure?: Measure;
  /** Files that it left outside of what it may write, which were put back; the iteration counts all the same. */
  readonly cleared?: readonly string[];
  /** `keep: best`: the empty folders among the files of the loop when they began to be measured. */
  readonly folders?: readonly string[];
  /** What was changed among its files while no runner was at it, or may have been. */
  readonly edited?: readonly EditedMeanwhile[];
  /** What its tasks warned of although they passed, such as a review. */
  readonly warnings?: readonly string[];
  /** Files that it left where nobody may write: they were put back, and the iteration counts for nothing. */
  readonly outside?: readonly string[];
}

/** What decides about a number, each by a digest or in words: the metric, tasks of the baseline, the files they go by. */
export interface Measure {
  readonly [what: string]: string;
}

export type IterationVerdict = 'kept' | 'discarded' | 'failed';

/** Written when what was changed is kept safe, and before any of it is put back. */
export interface IterationDecided {
  readonly type: 'iteration-decided';
  readonly number: number;
  readonly verdict: IterationVerdict;
  readonly progress: boolean;
  readonly why: string;
  /** The best number from here on, and by how much repeats of the same thing differ. */
  readonly value?: number;
  readonly noise?: number;
  readonly changes?: IterationChanges;
  /** Where there are no `changes`, and the project is in a repository. */
  readonly made?: IterationBranch;
  /** `keep: best`: the empty folders among the files of the loop that are to be there then. */
  readonly folders?: readonly string[];
}

/** The commit with the work of an iteration, and the branch that leads there. */
export interface IterationBranch {
  readonly branch: string;
  readonly commit: string;
}

/** What an iteration changed, as it is kept. */
export interface IterationChanges {
  /** The commit that holds it, and the branch that leads there. */
  readonly commit: string;
  readonly branch: string;
  /** The commit that the checkout is to be at then, and the one it was at. */
  readonly target: string;
  readonly head: string;
  /** Relative to the top of the repository. */
  readonly files: readonly string[];
  /** The difference as a file, relative to the state folder, with its sha256. */
  readonly patch: string;
  readonly patchDigest: string;
}

/** The checkout is as the decision says, and the iteration is told of. */
export interface IterationClosed {
  readonly type: 'iteration-closed';
  readonly number: number;
  /** `keep: best`: where it left the checkout; the next one begins there and nowhere else. */
  readonly left?: CheckoutPlace;
  /** Where it was told of; absent in old records, and for a repeat of the baseline. */
  readonly told?: ToldOf;
}

/** Relative to the project. */
export interface ToldOf {
  readonly table: string;
  readonly insights: string;
  /** The name that the number has there. */
  readonly metric?: string;
}

export interface CheckoutPlace {
  /** A ref: `refs/heads/main`. */
  readonly branch: string;
  readonly head: string;
}

export type StopCause = 'until' | 'max' | 'patience' | 'plateau' | 'failures' | 'budget';

export interface IterationsFinished extends LoopEnd {
  readonly type: 'iterations-finished';
  readonly because: StopCause;
  readonly detail: string;
}

/** What a loop that is over counts as; the run that it ended with counts as no better. */
export interface LoopEnd {
  /** Absent in old records. */
  readonly outcome?: 'passed' | 'failed' | 'over-budget';
  /** What it was to reach and did not, as a clause: `best < 0.1 never held`. */
  readonly missed?: string;
}

export type IterationEntry = IterationEvent & {
  readonly seq: number;
  readonly at: string;
  readonly prev: string;
  readonly hash: string;
};
