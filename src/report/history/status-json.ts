import type { TestResult } from '../../model/agents/published.js';
import type { Outcome, WorkspaceRecorded } from '../../model/events/event.js';
import type { TaskFileChanged } from '../../model/events/replan-event.js';
import type { Failure } from '../../model/failure.js';
import type { Plan, Reason, StaleTask, TaskId } from '../../model/plan.js';
import type { AgentMemory } from '../../model/state/agent-memory.js';
import type { RunIteration } from '../../model/state/iteration-state.js';
import type { JobState } from '../../model/state/job-state.js';
import type { RunSpend, RunState } from '../../model/state/run-state.js';
import { type GateJson, gatesJson } from '../gates/gates-json.js';
import { type LoopVerdict, toldOutcome } from '../iterations/loop-outcome.js';
import type { LoopStanding, LoopUnknown } from '../iterations/loop-standing.js';
import { isSubmitted } from './job-text.js';
import { nextCommands } from './next-commands.js';
import { runCounts, type Standing, standingsOf } from './run-counts.js';

/** `status --json`. Fields are only ever added. */
export interface StatusJson {
  readonly run: string;
  readonly name: string;
  readonly outcome: Outcome;
  readonly planDigest: string;
  readonly startedAt: string;
  readonly finishedAt: string | null;
  /** Which iteration of a loop it is. */
  readonly iteration: RunIteration | null;
  /** How that loop stands: what was kept, and why it ended; null for a run of no loop. */
  readonly loop: LoopStanding | LoopUnknown | null;
  readonly signal: string | null;
  /** The commit that the run started from; null when it is not known. */
  readonly workspace: Omit<WorkspaceRecorded, 'type'> | null;
  readonly tasks: readonly StatusJsonTask[];
  /** Gates that wait or were decided. */
  readonly gates: readonly GateJson[];
  /** What planners have changed in task files. */
  readonly planChanges: readonly Omit<TaskFileChanged, 'type' | 'amended'>[];
  readonly spend: RunSpend;
  /** Calls that have cost more than they may have. Absent when there were none. */
  readonly overspent?: RunState['overspent'];
  /** Terminal programs that agents keep open, and how to look at them. */
  readonly sessions: readonly StatusJsonSession[];
  /** Sessions of agents that were gone, and of how many of their calls the new ones were told. Absent when there were none. */
  readonly replacedSessions?: AgentMemory['replaced'];
  /** What `--set` said. */
  readonly set: readonly string[];
  /** Jobs of which the journal knows no end: where they are, and whether their schedulers have them. */
  readonly jobs: readonly StatusJsonJob[];
  /** Finished tasks that `exec` would do again now, and what differs; null when that is not known. */
  readonly stale: readonly StaleTask[] | null;
  /** What to type next, with the values that the run was given. */
  readonly next: readonly string[];
}

export interface StatusJsonSession {
  readonly name: string;
  readonly attach: string;
  readonly ended: boolean;
}

export interface StatusJsonJob {
  readonly task: TaskId;
  readonly cluster: string;
  /** The name under which the scheduler can be asked for it. */
  readonly tag: string;
  readonly id: string | null;
  readonly submitted: 'yes' | 'no' | 'unknown';
  /** What the scheduler last called it. */
  readonly word: string | null;
  /** What keeps it from its scheduler, and until when it is tried again. */
  readonly heldUp: { readonly detail: string; readonly until: string | null } | null;
}

export interface StatusJsonTask {
  readonly id: TaskId;
  readonly status: Standing;
  readonly attempts: number;
  readonly reasons: readonly Reason[];
  readonly startedAt: string | null;
  readonly durationMs: number | null;
  readonly failure: Failure | null;
  /** Of the newest failure. */
  readonly errorClass: string | null;
  /** How many attempts failed with each class of error. */
  readonly failures: { readonly [errorClass: string]: number };
  /** When the next attempt is due, while it is being waited for. */
  readonly dueAt: string | null;
  readonly because: readonly TaskId[];
  readonly outputs: readonly string[];
  /** The checklist of the newest attempt, and its numbers. */
  readonly tests: readonly TestResult[];
  readonly metrics: { readonly [name: string]: number };
}

export interface StatusJsonMore {
  readonly sessions?: readonly StatusJsonSession[];
  readonly stale?: readonly StaleTask[];
  readonly loop?: LoopStanding | LoopUnknown;
  readonly again?: string;
}

export const statusJson = (
  state: RunState,
  plan: Plan | undefined,
  { sessions = [], ...more }: StatusJsonMore = {},
): StatusJson => ({
  run: state.run,
  name: state.name,
  outcome: toldOutcome(state, more.loop),
  planDigest: state.planDigest,
  startedAt: isoTime(state.startedAt),
  finishedAt: state.finishedAt === undefined ? null : isoTime(state.finishedAt),
  iteration: state.iteration ?? null,
  loop: more.loop ?? null,
  signal: state.signal ?? null,
  workspace: workspaceOf(state),
  tasks: standingsOf(state, plan).map(({ id, standing, task }) => ({
    id,
    status: standing,
    attempts: task?.attempts ?? 0,
    reasons: task?.reasons ?? [],
    startedAt: task?.startedAt === undefined ? null : isoTime(task.startedAt),
    durationMs: task?.durationMs ?? null,
    failure: task?.failure ?? null,
    errorClass: task?.errorClass ?? null,
    failures: task?.failures ?? {},
    dueAt: task?.dueAt === undefined ? null : isoTime(task.dueAt),
    because: task?.because ?? [],
    outputs: task?.outputs?.map(({ path }) => path) ?? [],
    tests: task?.tests ?? [],
    metrics: task?.metrics ?? {},
  })),
  gates: gatesJson(state),
  planChanges: (state.planChanges ?? []).map(({ type: _type, amended: _amended, ...change }) => change),
  spend: state.spend,
  ...(state.overspent ? { overspent: state.overspent } : {}),
  sessions: sessions.map(({ name, attach, ended }) => ({ name, attach, ended })),
  ...(state.memory?.replaced.length ? { replacedSessions: state.memory.replaced } : {}),
  set: state.set ?? [],
  jobs: [...state.jobs.values()].filter(({ end }) => end === undefined).map(jobJson),
  stale: more.stale ?? null,
  next: nextCommands({ state, ...(plan ? { plan } : {}), ...more }),
});

export interface RunJson {
  readonly run: string;
  readonly name: string;
  readonly outcome: Outcome;
  readonly startedAt: string;
  readonly finishedAt: string | null;
  /** Which iteration of a loop it is. */
  readonly iteration: RunIteration | null;
  readonly tasks: { readonly [status: string]: number };
  /** What `--set` said. */
  readonly set: readonly string[];
}

/** `runs --json`: one object for each run, in the order given. */
export const runsJson = (states: readonly RunState[], loops?: ReadonlyMap<string, LoopVerdict>): readonly RunJson[] =>
  states.map((state) => ({
    run: state.run,
    name: state.name,
    outcome: toldOutcome(state, loops?.get(state.run)),
    startedAt: isoTime(state.startedAt),
    finishedAt: state.finishedAt === undefined ? null : isoTime(state.finishedAt),
    iteration: state.iteration ?? null,
    tasks: Object.fromEntries(runCounts(state, undefined).by),
    set: state.set ?? [],
  }));

const jobJson = (job: JobState): StatusJsonJob => ({
  task: job.task,
  cluster: job.cluster,
  tag: job.tag,
  id: job.id ?? null,
  submitted: isSubmitted(job),
  word: job.word ?? null,
  heldUp: job.heldUp ? { detail: job.heldUp.detail, until: job.heldUp.until ?? null } : null,
});

function workspaceOf({ workspace }: RunState): StatusJson['workspace'] {
  if (!workspace) return null;
  const { type: _, ...facts } = workspace;
  return facts;
}

const isoTime = (ms: number): string => new Date(ms).toISOString();
