import type { Failure } from '../../model/failure.js';
import type { GateKind } from '../../model/gates/gate.js';
import type { TaskId } from '../../model/plan.js';

/** A task that has come to an end, as a view shows it. */
export interface EndedTask {
  readonly id: TaskId;
  readonly how: 'passed' | 'cached' | 'failed' | 'skipped' | 'cancelled';
  readonly durationMs?: number;
  readonly failure?: Failure;
  readonly attempt?: number;
  readonly because?: readonly TaskId[];
  /** What keeps it from being tried waits at a gate. */
  readonly waits?: boolean;
  /** What the behaviour says it did. */
  readonly summary?: string;
}

export interface RunningTask {
  readonly id: TaskId;
  readonly since: number;
  readonly attempt: number;
  /** Set while it pauses before another attempt. */
  readonly retry?: { readonly dueAt: number; readonly failure: Failure };
}

export interface WaitingTask {
  readonly id: TaskId;
  /** The first need that is not done; undefined when only a free slot is missing. */
  readonly need: TaskId | undefined;
  /** The need is done, and stands before its gate. */
  readonly isAtGate?: true;
  readonly moreNeeds: number;
}

/** A task that is done, and whose gate has not decided yet. */
export interface GatedTask {
  readonly id: TaskId;
  readonly since: number;
  readonly kind: GateKind;
}
