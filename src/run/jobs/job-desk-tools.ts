import type { RecordedEvent } from '../../model/events/event.js';
import type { Budget } from '../../model/generated/config.js';
import type { Task } from '../../model/plan.js';
import type { Clock } from '../../model/ports.js';
import type { RunState } from '../../model/state/run-state.js';
import type { ChainedErrand } from './job-chain.js';
import type { JobPorts } from './job-errand.js';

/** What the desk needs of the run that it belongs to. */
export interface JobDeskTools {
  readonly run: string;
  /** The project's folder. */
  readonly root: string;
  readonly clock: Clock;
  readonly budget?: Budget;
  reach(): Promise<JobPorts>;
  state(): RunState;
  record(events: readonly RecordedEvent[]): void;
  /** Waits without keeping others from working. */
  rest<T>(wait: Promise<T>): Promise<T>;
  /** Tasks that may be handed over already, behind the jobs of this one. */
  chained?(task: Task): ChainedErrand[];
  /** How many jobs are waited for now. */
  watching(jobs: number): void;
}
