import type { DecidedIn, GateDecision, GateQuestion, GateVote } from '../../model/gates/gate.js';
import type { GateAnswer, PersonAnswer } from '../../model/gates/gate-answer.js';
import type { SpentCeiling } from '../../model/money/spend.js';
import type { TaskId } from '../../model/plan.js';

/** What gates need of the outside world, besides what attempts need. */
export interface GatePorts {
  /** Nobody may be asked: a question for a person is a rejection. */
  readonly autonomous: boolean;
  /** Answers that were left in the run's folder, by whoever owns the file that each lies in. */
  answers(): readonly GateAnswer[];
  /** Takes an answer away that has been dealt with. */
  dropAnswer(id: string): void;
  /** Asks at the terminal; absent where there is none. The reason of the signal is the `PersonEnd`, or `answered`. Silence, the end of the input and anything unclear are `later`. */
  askPerson?(question: GateQuestion, aborted: AbortSignal): Promise<PersonAnswer | 'later'>;
  /**
   * The newest decision of this task's gate about exactly this, in any run of the study whose journal is the one that it ended
   * with; undefined: there is none, or it cannot be believed.
   */
  decidedBefore?(task: TaskId, shown: string): EarlierDecision | undefined;
  /** A name that was never used before. */
  newQuestion(): string;
  /** JSON or YAML, by the name of the file. */
  readData(
    path: string,
  ): Promise<{ readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly why: string }>;
  /** At most so many bytes, and how many there are; undefined for what is no text. */
  readStart(path: string, mostBytes: number): { readonly text: string; readonly bytes: number } | 'binary' | 'missing';
}

export interface EarlierDecision extends GateDecision {
  readonly from: DecidedIn;
}

/** How a gate ended, for the loop. */
export type GateEnd =
  | { readonly how: 'passed'; readonly product: string }
  | { readonly how: 'failed' | 'waiting' | 'cancelled' | 'over-budget' | 'violated' }
  /** Nothing more may be started: whoever decides cannot be trusted. */
  | { readonly how: 'halted' }
  /** Work is sent back: these tasks run again. */
  | { readonly how: 'again'; readonly tasks: readonly string[] }
  /** What it was asked about is being done again. */
  | { readonly how: 'withdrawn' };

/** What checks or a judge say. */
export type Judged =
  | {
      readonly kind: 'verdict';
      readonly verdict: 'pass' | 'revise' | 'reject';
      readonly reasons: readonly string[];
      readonly more?: JudgedMore;
    }
  /** No usable answer: never a pass, and asked again when the run goes on. */
  | { readonly kind: 'failed'; readonly reasons: readonly string[]; readonly more?: JudgedMore }
  | ({ readonly kind: 'ended' } & Ended);

/** It did not come to a verdict, and the loop has to know. */
export interface Ended {
  readonly end: GateEnd;
  readonly spent?: SpentCeiling;
  /** What is to be recorded as the reason. */
  readonly why?: string;
  /** What the judge got wrong. */
  readonly uncalibrated?: readonly string[];
}

export interface JudgedMore {
  readonly rubric?: string;
  readonly votes?: readonly GateVote[];
}
