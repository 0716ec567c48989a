import type { Gate, Retry } from './generated/config.js';
import type { Json, JsonObject } from './json.js';

/** Compiled, immutable, with a digest. Says what would be done; whether it is needed now is a `Decision`. */
export interface Plan {
  readonly version: 1;
  readonly name: string;
  /** sha256 over version, name and tasks. */
  readonly digest: string;
  readonly waves: readonly (readonly TaskId[])[];
  readonly tasks: readonly Task[];
  readonly worstCase: WorstCase;
}

export type TaskId = string;

/** A stage compiled with concrete parameters. */
export interface Task {
  readonly id: TaskId;
  readonly stage: string;
  /** The name the stage `uses`, as written. */
  readonly uses: string;
  /** Digest of the behaviour's name and code; another version makes the task stale. */
  readonly behaviour: string;
  readonly matrix?: { readonly [name: string]: Json };
  /** Options after templates, checked against the behaviour's schema. */
  readonly options: JsonObject;
  readonly needs: readonly TaskId[];
  /** The part of `needs` that follows from inputs and outputs rather than from words. */
  readonly inferred: readonly InferredEdge[];
  readonly inputs: readonly string[];
  readonly outputs: readonly string[];
  /** The outputs of a matrix stage with its values left open: `runs/*.json`. Tells leftovers of other values. */
  readonly outputPatterns?: readonly string[];
  /** Output path → schema file. */
  readonly schema: { readonly [output: string]: string };
  readonly env: { readonly [name: string]: string };
  /** Relative to the project folder; `.` unless stated. */
  readonly cwd: string;
  readonly timeoutMs?: number;
  readonly idleMs?: number;
  readonly retry: Retry;
  readonly gate?: Gate;
  readonly cache: boolean;
  /** What the behaviour says it would do. */
  readonly description: Description;
  /** Set when `when` was false, or when everything a need stands for is skipped. */
  readonly skip?: Reason;
  /** Raw `{{{values}}}` that went into shell text, for `plan` to point out. */
  readonly rawShell?: readonly string[];
}

export interface InferredEdge {
  readonly task: TaskId;
  /** The path or pattern that both share. */
  readonly via: string;
}

/** A behaviour's own words for what it would do, as data. */
export interface Description {
  /** One line for `plan`. */
  readonly summary: string;
  /** Commands it would run, as a person would type them. */
  readonly commands?: readonly string[];
  /** Paths and globs it would write, checked against protected paths. */
  readonly writes?: readonly string[];
  /** Paths and globs it would read, besides the stage's inputs; they count as inputs. */
  readonly reads?: readonly string[];
}

export interface WorstCase {
  /** Most attempts over all tasks when every retry is used once per class. */
  readonly attempts: number;
  readonly agentCalls: number;
  /** `null`: cannot be bounded. Unknown is never zero. */
  readonly usd: number | null;
  /** One attempt after another, all of them; null: cannot be bounded. */
  readonly timeMs: number | null;
}

export type Action = 'run' | 'cached' | 'skip';

/** Whether a task would run now, and why. */
export interface Decision {
  readonly action: Action;
  readonly reasons: readonly Reason[];
}

export type ReasonCode =
  | 'never-ran'
  | 'input-changed'
  | 'option-changed'
  | 'behaviour-changed'
  | 'env-changed'
  | 'output-missing'
  | 'output-changed'
  | 'upstream-stale'
  | 'forced'
  | 'incomplete'
  | 'failed-before'
  | 'not-cached'
  | 'gate-voided'
  | 'unchanged'
  | 'when-false'
  | 'upstream-skipped'
  | 'not-selected';

export interface Reason {
  readonly code: ReasonCode;
  readonly detail: string;
}
