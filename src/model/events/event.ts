import type { TestResult } from '../agents/published.js';
import type { Failure } from '../failure.js';
import type { Fingerprint, LoopFiles, OutputRecord } from '../fingerprint.js';
import type { GateState } from '../gates/gate.js';
import type { DiskMoment, Machine } from '../machine.js';
import type { SpentCeiling } from '../money/spend.js';
import type { ParameterSet, ParametersChanged } from '../parameters.js';
import type { Reason, TaskId } from '../plan.js';
import type { RunIteration } from '../state/iteration-state.js';
import type { AgentCompleted, AgentFailed, AgentInvoked, AgentValidationFailed, SpendRecorded } from './agent-event.js';
import type { AmendedOutput, OutputsAmended } from './amend-event.js';
import type { GateDecided, GateOpened, JudgeCalibrated, RevisionRequested } from './gate-event.js';
import type { GoingOn } from './going-on.js';
import type { JobEvent } from './job-event.js';
import type { ProtectionRecorded, ProtectionViolated, StudyChanged } from './protection-event.js';
import type { MetricsRecorded, TestsRecorded } from './published-event.js';
import type { Planning, TaskFileChanged } from './replan-event.js';
import type { TimeRecorded } from './time-event.js';
import type { TreeEvent } from './tree-event.js';

/**
 * The journal's contract. Recorded events change state, survive a crash and are appended before anyone is told.
 * Names are kebab-case and past tense; fields are only ever added.
 */
export type RecordedEvent =
  | RunStarted
  | PlanExtended
  | TaskFileChanged
  | OutputsAmended
  | WorkspaceRecorded
  | TaskStarted
  | TaskFinished
  | TaskFailed
  | MirrorDiffered
  | TaskSkipped
  | RetryScheduled
  | FixFinished
  | Escalated
  | ProtectionRecorded
  | ProtectionViolated
  | StudyChanged
  | TreeEvent
  | AgentInvoked
  | AgentCompleted
  | AgentFailed
  | AgentValidationFailed
  | SpendRecorded
  | TestsRecorded
  | MetricsRecorded
  | BudgetSpent
  | TimeRecorded
  | GateOpened
  | GateDecided
  | RevisionRequested
  | JudgeCalibrated
  | JobEvent
  | ParametersChanged
  | RunFinished;

export interface RunStarted extends DiskMoment {
  readonly type: 'run-started';
  /** Version of the journal's format. */
  readonly journal: 1;
  readonly run: string;
  readonly name: string;
  readonly planDigest: string;
  readonly tasks: number;
  readonly tool: string;
  readonly host: string;
  readonly machine?: Machine;
  readonly pid: number;
  /** Begins the marker in the environment of every command this process starts, so that stragglers can be found later. */
  readonly runner?: string;
  /** Stages that were to run although nothing changed; an interrupted run remembers them. */
  readonly forced?: readonly TaskId[];
  /** Those of them that a person asked for when the run went on: nothing that was begun of them counts. */
  readonly anew?: readonly TaskId[];
  /** The one text that the plan follows from, when there is one: tells without compiling that nothing changed. */
  readonly source?: ConfigSource;
  /** What `--set` said, as it was written. */
  readonly set?: readonly string[];
  /** Digests of what the run goes by besides its plan: agents, budgets, notifications. */
  readonly settings?: { readonly [key: string]: string };
  /** The iteration that the run is, in a study with `iterate`. */
  readonly iteration?: RunIteration;
  /** Present when an unfinished run goes on. */
  readonly resumed?: GoingOn;
}

/** A task file is there now, and its tasks are part of the plan from here on. */
export interface PlanExtended {
  readonly type: 'plan-extended';
  /** The task that read the file. */
  readonly task: TaskId;
  readonly planDigest: string;
  /** Of the whole plan. */
  readonly tasks: number;
  readonly added: readonly TaskId[];
  readonly dropped?: readonly TaskId[];
}

export interface ConfigSource {
  /** The name of the config file. */
  readonly file: string;
  /** sha256 of its text. */
  readonly digest: string;
  /** Of the program that compiled it. */
  readonly build: string;
}

/** The commit a run started from. Comes soon after `run-started`, because nobody should wait for git. */
export interface WorkspaceRecorded {
  readonly type: 'workspace-recorded';
  /** Absent before the first commit. */
  readonly commit?: string;
  readonly branch?: string;
  /** Files that differ from the commit, untracked ones included. */
  readonly changedFiles?: number;
  /** Why the repository could not be read. */
  readonly problem?: string;
}

export interface TaskStarted {
  readonly type: 'task-started';
  readonly task: TaskId;
  readonly attempt: number;
  readonly reasons: readonly Reason[];
  readonly given?: LoopFiles;
}

export interface TaskFinished {
  readonly type: 'task-finished';
  readonly task: TaskId;
  readonly attempt: number;
  readonly durationMs: number;
  readonly fingerprint: Fingerprint;
  readonly outputs: readonly OutputRecord[];
  /** One digest for all that came out. Dependants compare it; equal products do not make them stale. */
  readonly product: string;
  readonly summary?: string;
  /** What somebody has to know although it passed. */
  readonly warnings?: readonly string[];
}

/** An attempt that failed of something else has left a source and its copy different. Comes before its `task-failed`. */
export interface MirrorDiffered {
  readonly type: 'mirror-differed';
  readonly task: TaskId;
  readonly attempt: number;
  readonly count: number;
  /** The first of them, as they are shown. */
  readonly lines: readonly string[];
}

export interface TaskFailed {
  readonly type: 'task-failed';
  readonly task: TaskId;
  readonly attempt: number;
  readonly durationMs: number;
  readonly failure: Failure;
  /** True when another attempt follows. */
  readonly retrying: boolean;
  /** Failures of one class are thought to have one cause; each class has its own count of tries. */
  readonly errorClass: string;
  /** The message without what differs from time to time: numbers, paths, addresses. */
  readonly signature?: string;
  /** False for what costs no attempt: a quota that is waited for, or an interruption. */
  readonly counted: boolean;
}

export interface TaskSkipped {
  readonly type: 'task-skipped';
  readonly task: TaskId;
  /** `cached`: an earlier result still holds. `upstream-failed`: it could not be tried. `excluded`: the plan says so. */
  readonly cause: 'cached' | 'upstream-failed' | 'excluded' | 'cancelled' | 'agent-unreachable';
  readonly reasons: readonly Reason[];
  /** The tasks that failed, when that is the cause. */
  readonly because?: readonly TaskId[];
  /** Carried along from the run that did the work, when cached. */
  readonly fingerprint?: Fingerprint;
  readonly outputs?: readonly OutputRecord[];
  /** Those of them that a planner has changed since. */
  readonly amended?: readonly AmendedOutput[];
  readonly product?: string;
  readonly warnings?: readonly string[];
  readonly tests?: readonly TestResult[];
  readonly metrics?: { readonly [name: string]: number };
  readonly set?: ParameterSet;
  readonly gate?: GateState;
}

export interface RetryScheduled {
  readonly type: 'retry-scheduled';
  readonly task: TaskId;
  readonly attempt: number;
  readonly afterMs: number;
  readonly errorClass: string;
}

/** What was done between two attempts to mend the cause. A fix that failed does not end the task: the next try decides. */
export interface FixFinished {
  readonly type: 'fix-finished';
  readonly task: TaskId;
  /** The failed attempt that it was for. */
  readonly attempt: number;
  /** The agent's name, or the command. */
  readonly by: string;
  readonly ok: boolean;
  /** It says that another try cannot help. */
  readonly escalates?: true;
  readonly summary: string;
  readonly durationMs: number;
}

/** The tries of a task are spent: the next one in the list is asked. With files: a planner, who may change them. */
export interface Escalated extends Partial<Planning> {
  readonly type: 'escalated';
  readonly task: TaskId;
  readonly attempt: number;
  /** An agent's name, `instructions` or `human`. */
  readonly to: string;
  readonly errorClass: string;
  readonly reason: string;
}

/** A ceiling leaves no room for what was to come next, so it was not started. */
export interface BudgetSpent extends SpentCeiling {
  readonly type: 'budget-spent';
  /** The task that was to go on; absent when the time of the run is over. */
  readonly task?: TaskId;
}

export type Outcome = 'running' | 'passed' | 'failed' | 'waiting' | 'cancelled' | 'over-budget' | 'violated';

export interface RunFinished {
  readonly type: 'run-finished';
  readonly outcome: Exclude<Outcome, 'running'>;
  /** Of this process; a resumed run adds them up. */
  readonly durationMs: number;
  readonly signal?: string;
}

/** A recorded event as it stands in the journal. */
export type JournalEntry = RecordedEvent & {
  readonly seq: number;
  /** ISO 8601, UTC. */
  readonly at: string;
  readonly prev: string;
  readonly hash: string;
};

/** Only shown, never stored. */
export type EphemeralEvent =
  | { readonly type: 'output'; readonly task: TaskId; readonly line: string }
  | { readonly type: 'stopping'; readonly signal: string; readonly running: number }
  | { readonly type: 'notice'; readonly text: string };
