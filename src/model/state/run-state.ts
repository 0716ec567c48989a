import type { AgentSession } from '../agents/agent.js';
import type { TestResult } from '../agents/published.js';
import type { AmendedOutput } from '../events/amend-event.js';
import type { ConfigSource, Outcome, WorkspaceRecorded } from '../events/event.js';
import type { ProtectionRecorded, ProtectionViolated, StudyChanged } from '../events/protection-event.js';
import type { Planning, TaskFileChanged } from '../events/replan-event.js';
import type { Failure } from '../failure.js';
import type { Fingerprint, OutputRecord } from '../fingerprint.js';
import type { GateState, SentBack, WordsState } from '../gates/gate.js';
import type { Overspent, Spend, SpendRole, SpentCeiling } from '../money/spend.js';
import type { ParameterSet } from '../parameters.js';
import type { Reason, TaskId } from '../plan.js';
import type { AgentMemory } from './agent-memory.js';
import type { RunIteration } from './iteration-state.js';
import type { JobState } from './job-state.js';
import type { Committed, TreeRecord } from './tree-record.js';

/** A run as the journal tells it. Made only by `journal/apply`, live and on resume alike. */
export interface RunState {
  readonly run: string;
  readonly name: string;
  readonly planDigest: string;
  readonly outcome: Outcome;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  /** The same by the clock of the disk that the run is kept on, in nanoseconds. */
  readonly beganNs?: string;
  /** By the same clock: when the run went on with another plan. What no task of that plan made was there before. */
  readonly replannedNs?: string;
  /** The latest time that any record bears: it is later than that now, whatever a clock says that was set back. */
  readonly latestAt: number;
  readonly finishedAt?: number;
  readonly signal?: string;
  readonly workspace?: WorkspaceRecorded;
  readonly source?: ConfigSource;
  /** The iteration that it is, in a study with `iterate`. */
  readonly iteration?: RunIteration;
  readonly settings: { readonly [key: string]: string };
  /** What `--set` said when the run was started, or last went on. */
  readonly set?: readonly string[];
  /** Forced tasks that have not passed since. */
  readonly forced: ReadonlySet<TaskId>;
  /** The marker ids of the processes that have worked on this run. */
  readonly runners: readonly string[];
  /** Time at work, all processes of this run together, up to the last record. */
  readonly workedMs: number;
  /** How often the time at work is written down, while a process of this run does so. */
  readonly everyMs?: number;
  readonly spend: RunSpend;
  /** The same, by what it was for. */
  readonly spentOn: ReadonlyMap<string, SpentOn>;
  /** Calls that have cost more than they may have, in their order; absent where none has. */
  readonly overspent?: readonly OverspentCall[];
  /** Why nothing more was started, when a ceiling was reached. */
  readonly budgetSpent?: SpentCeiling;
  /** The newest session of each agent, and of each agent for each task: see `sessionKey`. */
  readonly sessions: ReadonlyMap<string, AgentSession>;
  /** Absent while no agent has been asked. */
  readonly memory?: AgentMemory;
  /** What nobody may change: see the event. */
  readonly protection?: Omit<ProtectionRecorded, 'type'>;
  /** What was found since the run was last started that it cannot pass with, and that no task has failed of. */
  readonly found?: readonly (ProtectionViolated | StudyChanged)[];
  readonly tasks: ReadonlyMap<TaskId, TaskState>;
  /** Tasks that a gate has sent back, until they have passed since. */
  readonly sentBack: ReadonlyMap<TaskId, SentBack>;
  /** How often planners have changed the task files of a stage, since a person last started the run. */
  readonly replans?: { readonly [stage: string]: number };
  /** How often others had to be done again because of what was mended for a task, since a person last started the run. */
  readonly reopened?: { readonly [task: TaskId]: number };
  /** All changes of task files, in their order. */
  readonly planChanges?: readonly TaskFileChanged[];
  /** Judges that have sorted their samples in this run, by key: what they got wrong. */
  readonly calibrated: ReadonlyMap<string, readonly string[]>;
  /** By tag, in the order in which they were submitted. */
  readonly jobs: ReadonlyMap<string, JobState>;
  /** What was changed to mend jobs, by the group of tasks that it holds for. */
  readonly parameters: ReadonlyMap<string, ParameterSet>;
}

export interface RunSpend extends Spend {
  /** Calls that have ended and of which nobody knows the price. */
  readonly unpricedCalls: number;
}

export interface SpentOn {
  readonly stage: string;
  readonly role: SpendRole;
  readonly agent: string;
  readonly usd: number;
  readonly calls: number;
}

export interface OverspentCall extends Overspent {
  readonly task: TaskId;
  readonly role: SpendRole;
  readonly agent: string;
  readonly usd?: number;
}

export type TaskStatus = 'running' | 'retrying' | 'passed' | 'cached' | 'failed' | 'skipped' | 'cancelled';

/** A task that is not in the map has not been touched yet: it waits. */
export interface TaskState {
  readonly id: TaskId;
  readonly status: TaskStatus;
  /** Attempts started so far. */
  readonly attempts: number;
  readonly reasons: readonly Reason[];
  /**
   * What is said of it is from before the run was last taken up, and nobody has come to it since. `stale`: it had passed, and has to be done
   * again.
   */
  readonly from?: 'before' | 'stale';
  readonly startedAt?: number;
  readonly durationMs?: number;
  readonly failure?: Failure;
  readonly errorClass?: string;
  /** How many attempts failed with each class of error in this run; survives a resume. */
  readonly failures?: { readonly [errorClass: string]: number };
  /** Failures that cost no attempt: waits for a quota. */
  readonly waits?: number;
  /** When the next attempt is due, while it is being waited for. Milliseconds since 1970. */
  readonly dueAt?: number;
  /** How long that is waited for at most, whatever the clock says. */
  readonly pauseMs?: number;
  /** How far along the list of `escalate` the task has come. */
  readonly escalations?: number;
  /** Why the last one of them was asked, in the words that were shown then. */
  readonly escalatedFor?: string;
  /** Task files that a planner may be changing: nobody has looked at them yet. */
  readonly planning?: Planning;
  /** What `instructions` of `escalate` came to, until the task has passed. */
  readonly words?: WordsState;
  /** The failed tasks that kept this one from being tried. */
  readonly because?: readonly TaskId[];
  readonly summary?: string;
  readonly fingerprint?: Fingerprint;
  readonly outputs?: readonly OutputRecord[];
  /** Those of them that somebody has changed since by right, as they are now. */
  readonly amended?: readonly AmendedOutput[];
  readonly product?: string;
  /** What somebody has to know although it passed. */
  readonly warnings?: readonly string[];
  /** The worktree that it works in. */
  readonly tree?: TreeRecord;
  /** What passed in the worktree and is to be merged. */
  readonly committed?: Committed;
  /** The checklist of the newest attempt, and its numbers. */
  readonly tests?: readonly TestResult[];
  readonly metrics?: { readonly [name: string]: number };
  /** What had been changed for the job that it was made by. */
  readonly set?: ParameterSet;
  /** What its gate has come to; absent before the first question. */
  readonly gate?: GateState;
}

export const sessionKey = (agent: string, task?: TaskId): string =>
  task === undefined ? agent : JSON.stringify([agent, task]);
