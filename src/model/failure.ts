import type { AgentTrouble } from './agents/agent.js';
import type { ScopeViolated } from './files/scope-violated.js';
import type { DecidedBy } from './gates/gate.js';
import type { SpentCeiling } from './money/spend.js';
import type { JobHow } from './scheduler.js';

/**
 * The world said no while something ran. Plain data, because it goes into the journal.
 * A new code does not compile until `exit-code.ts` gives it a number and `report/failure-text.ts` gives it words.
 */
export type Failure =
  | ({ readonly code: 'command-failed'; readonly exitCode: number } & CheckedBare)
  | { readonly code: 'command-killed'; readonly signal: string }
  | { readonly code: 'command-not-found'; readonly command: string }
  | { readonly code: 'command-not-started'; readonly detail: string }
  | { readonly code: 'timed-out'; readonly afterMs: number }
  | { readonly code: 'idle-timed-out'; readonly afterMs: number }
  | { readonly code: 'output-missing'; readonly outputs: readonly string[] }
  | { readonly code: 'output-empty'; readonly outputs: readonly string[] }
  | { readonly code: 'output-not-written'; readonly outputs: readonly string[] }
  | { readonly code: 'output-invalid'; readonly output: string; readonly detail: string }
  | { readonly code: 'input-missing'; readonly inputs: readonly string[] }
  | ({ readonly code: 'behaviour-failed'; readonly detail: string } & CheckedBare)
  /** Checks that did not hold, a line each. */
  | { readonly code: 'checks-failed'; readonly checked: number; readonly lines: readonly string[] }
  /** Numbers that were wanted and are not there, or cannot be believed; a line each. */
  | { readonly code: 'metrics-unusable'; readonly lines: readonly string[] }
  /** The baseline does not give the numbers that were reported of it. */
  | {
      readonly code: 'baseline-not-reproduced';
      readonly arm: string;
      readonly metric: string;
      readonly reported: number;
      readonly found: number;
      /** As a share. */
      readonly tolerance: number;
      /** What the config says is to follow: it is mended, or a person decides. */
      readonly decision: 'debug' | 'ask';
      /** How many of its runs failed. */
      readonly missing?: number;
    }
  /** The arms of a comparison are not set up alike. One line for each difference. */
  | {
      readonly code: 'parity-broken';
      readonly check: string;
      /** How many parameters were compared. */
      readonly checked: number;
      readonly lines: readonly string[];
    }
  | { readonly code: 'behaviour-crashed'; readonly detail: string }
  /** No answer came from an agent. Milliseconds since 1970 for a quota that says when it is full again. */
  | {
      readonly code: 'agent-failed';
      readonly agent: string;
      readonly why: Exclude<AgentTrouble, 'cancelled'>;
      readonly detail: string;
      readonly resetAt?: number;
    }
  /** It answered, but never in the form that was asked for. */
  | { readonly code: 'agent-reply-unusable'; readonly agent: string; readonly detail: string }
  /** It says itself that it failed. */
  | { readonly code: 'agent-gave-up'; readonly agent: string; readonly summary: string }
  /** It says that it must not go on: the design is wrong, other files would have to be changed, something is missing. */
  | {
      readonly code: 'agent-escalated';
      readonly agent: string;
      readonly reason: 'design' | 'scope' | 'environment' | 'none';
      readonly summary: string;
      readonly files: readonly string[];
    }
  | {
      readonly code: 'review-failed';
      readonly agent: string;
      readonly verdict: 'revise' | 'reject';
      readonly reasons: readonly string[];
    }
  /** What must be true in the end is not, or nobody could show that it is. */
  | { readonly code: 'gaps-found'; readonly score: string; readonly gaps: readonly string[] }
  /** A reviewer found something that must not stand, and it still does after all rounds of mending. */
  | {
      readonly code: 'review-critical';
      readonly agent: string;
      readonly rounds: number;
      readonly issues: readonly string[];
    }
  /** Whoever decides at the gate said no, or nobody did in time. */
  | {
      readonly code: 'gate-rejected';
      readonly by: DecidedBy;
      readonly reasons: readonly string[];
      /** No usable answer came: it is asked again when the run goes on. */
      readonly failed?: true;
    }
  /** A judge took bad samples for good ones, or good ones for bad. */
  | { readonly code: 'judge-uncalibrated'; readonly agent: string; readonly wrong: readonly string[] }
  /** What it made, or what its gate was passed with, is not there any more as it was, and nobody had a right to change it. */
  | {
      readonly code: 'result-changed';
      readonly files: readonly ChangedFile[];
      /** What was decided at its gate, and does not hold any more: by whom, and why. */
      readonly gate?: { readonly by: DecidedBy; readonly why: string };
    }
  | ScopeViolated
  /** There is more that an agent could spoil than can be put back, so it is not asked. `largest` is where most of it is. */
  | {
      readonly code: 'scope-too-large';
      readonly files: number;
      readonly bytes: number;
      readonly most: { readonly files: number; readonly bytes: number };
      readonly largest: string;
    }
  /** What cannot be read cannot be guarded. */
  | { readonly code: 'cannot-protect'; readonly detail: string }
  /** A folder holds a name that is not UTF-8, where it could be an input, an output or evidence: it would not be seen. */
  | { readonly code: 'name-unreadable'; readonly folder: string; readonly detail: string }
  /** Git, or the state of the repository, does not allow what a worktree needs. Nothing is lost then. */
  | {
      readonly code: 'worktree-failed';
      readonly detail: string;
      readonly fix: string;
      readonly files?: readonly string[];
    }
  /** What was written is not what a commit would give back, and cannot be made so. Whoever wrote it can write it otherwise. */
  | {
      readonly code: 'cannot-keep';
      readonly files: readonly string[];
      readonly detail: string;
      readonly fix: string;
    }
  /** Objects of git that are not what their names say: somebody has exchanged them. Nothing was written from them. */
  | { readonly code: 'object-forged'; readonly objects: readonly { readonly id: string; readonly path: string }[] }
  /** The work of a task cannot be brought together with what others have done. Branch and worktree stay. */
  | {
      readonly code: 'merge-conflict';
      readonly branch: string;
      readonly path: string;
      readonly files: readonly string[];
    }
  /** Something was written in the checkout that people work in, while an agent was to work in its own. */
  | {
      readonly code: 'checkout-written';
      readonly files: readonly string[];
      readonly agent?: string;
      /** Another branch or commit was checked out, or the branch was moved. */
      readonly head?: { readonly from: string; readonly to: string };
      /** Tasks that worked in the checkout at the same time. */
      readonly beside?: readonly string[];
    }
  /** Somebody wrote in the worktree of a task that was not at work in it. */
  | {
      readonly code: 'worktree-written';
      readonly path: string;
      readonly files: readonly string[];
      /** Tasks that were at work then. */
      readonly beside?: readonly string[];
    }
  /** What a stage wrote down as tasks cannot be planned. */
  | { readonly code: 'plan-invalid'; readonly problems: readonly string[] }
  /** A source and its installed copy are not the same. */
  | { readonly code: 'mirror-differs'; readonly count: number; readonly lines: readonly string[] }
  /** Files were changed, added or removed that nobody may touch. */
  | {
      readonly code: 'protect-violated';
      readonly files: readonly string[];
      /** Absent when nothing is known of who did it. */
      readonly agent?: string;
      /** Tasks that were at work at the same time, and may have done it as well. */
      readonly beside?: readonly string[];
      /** What could not be put back. */
      readonly problems?: readonly string[];
      /** Where the difference and what stood there are kept. */
      readonly evidence?: string;
    }
  /** A job ended otherwise than by its own exit code. */
  | {
      readonly code: 'job-failed';
      readonly cluster: string;
      readonly id: string;
      readonly how: Exclude<JobHow, 'completed'>;
      readonly word: string;
      readonly detail?: string;
    }
  /** Nobody can say how the job ended, or whether it goes on. */
  | { readonly code: 'job-lost'; readonly cluster: string; readonly id: string; readonly detail: string }
  /** Nobody can say whether there is a job. */
  | { readonly code: 'job-unsure'; readonly cluster: string; readonly tag: string; readonly detail: string }
  | { readonly code: 'job-refused'; readonly cluster: string; readonly detail: string }
  /** It ran, and was not healthy. */
  | { readonly code: 'job-sick'; readonly cluster: string; readonly id: string; readonly detail: string }
  | { readonly code: 'budget-spent'; readonly spent: SpentCeiling }
  | { readonly code: 'cancelled'; readonly signal: string }
  | { readonly code: 'disk-full'; readonly file: string }
  | { readonly code: 'not-writable'; readonly file: string; readonly detail: string }
  | { readonly code: 'journal-corrupt'; readonly file: string; readonly line: number; readonly detail: string }
  | { readonly code: 'run-not-found'; readonly run: string }
  | {
      readonly code: 'plan-mismatch';
      readonly expected: string;
      readonly actual: string;
      readonly changes: readonly string[];
    }
  | { readonly code: 'locked'; readonly holder: string; readonly file: string }
  | { readonly code: 'lock-lost'; readonly file: string };

/** What was checked as its commit would be, and not as it was written. */
export interface CheckedBare {
  /** What was there and would be in no commit, so that it was taken away before. */
  readonly without?: readonly string[];
  /** What git keeps otherwise than it was written, so that it was there as git keeps it. */
  readonly otherwise?: readonly string[];
}

/** Digests of its content. */
export interface ChangedFile {
  readonly path: string;
  /** Absent for one that is new. */
  readonly was?: string;
  /** Absent for one that is gone. */
  readonly is?: string;
}

/** The task itself has passed; what it made is kept. */
export const isOfGate = (failure: Failure | undefined): boolean =>
  failure?.code === 'gate-rejected' || failure?.code === 'judge-uncalibrated';

/** It had passed, and whether its result still holds is seen by looking at it. */
export const isOfResult = (failure: Failure | undefined): boolean =>
  isOfGate(failure) || failure?.code === 'result-changed';

export type FailureCode = Failure['code'];

/** Carries a failure through code that throws, such as a port; caught where the attempt or the command ends. */
export class FailureError extends Error {
  /** The bundle may hold this class more than once, so what it carries counts, not which class made it. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    return value instanceof Error && value.name === 'FailureError' && 'failure' in value;
  }

  constructor(readonly failure: Failure) {
    super('detail' in failure ? failure.detail : failure.code);
    this.name = 'FailureError';
  }
}

export type MirrorFailure = Extract<Failure, { code: 'mirror-differs' }>;
