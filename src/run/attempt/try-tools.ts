import type { RecordedEvent } from '../../model/events/event.js';
import type { Failure } from '../../model/failure.js';
import type { Json } from '../../model/json.js';
import type { Plan, Task, TaskId } from '../../model/plan.js';
import type { Behaviour } from '../../model/stage.js';
import type { RunState, TaskState } from '../../model/state/run-state.js';
import type { Committed } from '../../model/state/tree-record.js';
import type { AskDesk } from '../agents/ask-desk.js';
import type { Turns } from '../agents/turns.js';
import type { Measured } from '../freshness/measured-by.js';
import type { JobDesk } from '../jobs/job-desk.js';
import type { Claims } from '../protect/claims.js';
import type { Suspects } from '../protect/suspects.js';
import type { StopSwitch } from '../stop-switch.js';
import type { AttemptPorts, Try } from './attempt-ports.js';
import type { Parameters } from './parameters.js';
import type { Places } from './places.js';

/** What trying a task once takes. */
export interface TryTools {
  readonly run: string;
  /** Of the study. */
  readonly name: string;
  readonly agentId?: string;
  readonly vars: { readonly [name: string]: Json };
  readonly behaviours: ReadonlyMap<string, Behaviour>;
  readonly ports: AttemptPorts;
  readonly stop: StopSwitch;
  readonly desk: AskDesk;
  readonly places: Places;
  readonly claims: Claims;
  readonly turns: Turns;
  readonly suspects: Suspects;
  readonly parameters: Parameters;
  /** Absent where no task runs on a cluster. */
  jobDesk?(): Promise<JobDesk>;
  committedOf(task: Task): Committed | undefined;
  /** Files that tasks of the plan measure by. */
  mustBeNew(): Measured;
  /** As it is now: task files may add to it. */
  plan(): Plan;
  /** Takes the tasks of a file that was read into the plan; answers with why that is not possible. */
  listed(task: Task): Promise<Failure | undefined>;
  /** The standing result of a task, of this run or an earlier one. */
  past(id: TaskId): TaskState | undefined;
  state(): Pick<RunState, 'startedAt' | 'tasks' | 'iteration'>;
  record(events: readonly RecordedEvent[]): void;
}

export interface TaskTry {
  readonly task: Task;
  readonly one: Try;
}
