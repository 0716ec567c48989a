import type {
  CheckoutPlace,
  EditedMeanwhile,
  IterationBranch,
  IterationChanges,
  IterationDecided,
  IterationMeasured,
  IterationVerdict,
  LoopEnd,
  Measure,
} from '../events/iteration-event.js';
import type { LoopFiles } from '../fingerprint.js';

/** A series as its record tells. Made only by `journal/apply-iteration`. */
export interface SeriesState {
  readonly series: number;
  readonly name: string;
  /** Decided iterations, oldest first; the baseline is the first where there is one. */
  readonly rows: readonly IterationRow[];
  readonly open?: OpenIteration;
  /** The values of the baseline so far. */
  readonly baseline: readonly number[];
  readonly noise: number;
  readonly best?: BestSoFar;
  /** Since the loop was last ended by failures. */
  readonly failuresInRow: number;
  readonly withoutProgress: number;
  readonly usd: number;
  readonly unpricedCalls: number;
  readonly workedMs: number;
  /** What the numbers so far were made with. */
  readonly measure?: Measure;
  /** Where the newest iteration left the checkout. */
  readonly left?: CheckoutPlace;
  /** How the loop ended; absent while it goes on. */
  readonly finished?: LoopEnd & { readonly because: string; readonly detail: string };
}

export interface BestSoFar {
  readonly number: number;
  readonly value: number;
}

export interface IterationRow {
  readonly number: number;
  readonly run: string;
  readonly verdict: IterationVerdict;
  readonly progress: boolean;
  readonly why: string;
  readonly value?: number;
  readonly metrics?: { readonly [name: string]: number };
  readonly tried?: string;
  readonly log?: string;
  readonly usd: number;
  readonly unpricedCalls: number;
  readonly workedMs: number;
  /** The best number when it had been decided. */
  readonly best?: number;
  readonly rejected?: true;
  readonly changes?: IterationChanges;
  readonly made?: IterationBranch;
  readonly cleared?: readonly string[];
  readonly warnings?: readonly string[];
  readonly edited?: readonly EditedMeanwhile[];
}

/** The iteration that has begun and is not closed. */
export interface OpenIteration {
  /** The hash of the line that it began with; its run bears it, so that no run of another loop is taken for it. */
  readonly record: string;
  readonly number: number;
  readonly repeat: number;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  readonly base?: string;
  readonly branch?: string;
  readonly folders?: readonly string[];
  readonly repositories?: readonly string[];
  /** What its files were when its runner ended; absent while one is at it, and after one was killed. */
  readonly stopped?: LoopFiles;
  readonly edited?: readonly EditedMeanwhile[];
  readonly measured?: IterationMeasured;
  readonly decided?: IterationDecided;
}

/** Which iteration a run belongs to. */
export interface RunIteration {
  readonly series: number;
  readonly number: number;
  readonly repeat: number;
  /** The most there can be. */
  readonly of: number;
  /** The hash of the line of the record that it began with. */
  readonly record: string;
}

/** What templates and expressions may say of the iteration: `{{iteration.number}}`. */
export interface IterationNames {
  readonly number: number;
  readonly max: number;
  readonly dir: string;
  readonly goal: string;
  readonly insights: string;
  readonly best: string;
  readonly baseline: string;
}
