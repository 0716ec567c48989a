import type { RecordedEvent } from '../model/events/event.js';
import type { Plan } from '../model/plan.js';
import type { JournalWriter, Reporter } from '../model/ports.js';
import type { RunState } from '../model/state/run-state.js';
import type { WorkInput } from './attempt/task-tools.js';
import type { TimeLeft } from './attempt/time-limit.js';
import type { GatePorts } from './gates/gate-ports.js';

export interface LoopInput extends WorkInput {
  readonly jobs: number;
  readonly state: RunState;
  readonly journal: JournalWriter;
  readonly reporter: Reporter;
  /** Loaded when the first task comes to a gate. */
  gates(): Promise<GatePorts>;
  /** What is left of the time that it may be at work; absent without such a ceiling. */
  readonly time?: TimeLeft;
  /** The plan from here on. */
  extended?(plan: Plan): void;
  /** What is worth recording about the project but takes its time; the run does not wait for it. */
  readonly facts: Promise<RecordedEvent | undefined>;
}
