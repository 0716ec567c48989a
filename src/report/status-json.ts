import type { Outcome, WorkspaceRecorded } from '../model/event.js';
import type { Failure } from '../model/failure.js';
import type { Plan, Reason, TaskId } from '../model/plan.js';
import type { RunState } from '../model/run-state.js';
import { runCounts, type Standing, standingsOf } from './run-counts.js';

/** `status --json`. Fields are only ever added. */
export interface StatusJson {
  readonly run: string;
  readonly name: string;
  readonly outcome: Outcome;
  readonly planDigest: string;
  readonly startedAt: string;
  readonly finishedAt: string | null;
  readonly signal: string | null;
  /** The commit that the run started from; null when it is not known. */
  readonly workspace: Omit<WorkspaceRecorded, 'type'> | null;
  readonly tasks: readonly StatusJsonTask[];
  /** Gates that wait or were decided; none before gates exist. */
  readonly gates: readonly never[];
  readonly spend: { readonly usd: number; readonly unpricedCalls: number };
}

export interface StatusJsonTask {
  readonly id: TaskId;
  readonly status: Standing;
  readonly attempts: number;
  readonly reasons: readonly Reason[];
  readonly startedAt: string | null;
  readonly durationMs: number | null;
  readonly failure: Failure | null;
  readonly because: readonly TaskId[];
  readonly outputs: readonly string[];
}

export const statusJson = (state: RunState, plan: Plan | undefined): StatusJson => ({
  run: state.run,
  name: state.name,
  outcome: state.outcome,
  planDigest: state.planDigest,
  startedAt: isoTime(state.startedAt),
  finishedAt: state.finishedAt === undefined ? null : isoTime(state.finishedAt),
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
    because: task?.because ?? [],
    outputs: task?.outputs?.map(({ path }) => path) ?? [],
  })),
  gates: [],
  spend: { usd: 0, unpricedCalls: 0 },
});

export interface RunJson {
  readonly run: string;
  readonly name: string;
  readonly outcome: Outcome;
  readonly startedAt: string;
  readonly finishedAt: string | null;
  readonly tasks: { readonly [status: string]: number };
}

/** `runs --json`: one object for each run, in the order given. */
export const runsJson = (states: readonly RunState[]): readonly RunJson[] =>
  states.map((state) => ({
    run: state.run,
    name: state.name,
    outcome: state.outcome,
    startedAt: isoTime(state.startedAt),
    finishedAt: state.finishedAt === undefined ? null : isoTime(state.finishedAt),
    tasks: Object.fromEntries(runCounts(state, undefined).by),
  }));

function workspaceOf({ workspace }: RunState): StatusJson['workspace'] {
  if (!workspace) return null;
  const { type: _, ...facts } = workspace;
  return facts;
}

const isoTime = (ms: number): string => new Date(ms).toISOString();
