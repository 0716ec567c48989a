import type { JournalEntry } from '../model/event.js';
import type { RunState, TaskState } from '../model/run-state.js';

type Mutable<T> = { -readonly [K in keyof T]: T[K] };
type OpenState = Mutable<Omit<RunState, 'tasks'>> & { tasks: Map<string, TaskState> };

/**
 * The one way from events to state, live and on resume alike. It updates the state it is given, because a run of ten
 * thousand tasks must not copy its map ten thousand times; it reads no clock and touches nothing else.
 */
export function apply(state: RunState | undefined, entry: JournalEntry): RunState {
  if (entry.type === 'run-started') return started(state, entry);
  if (!state) throw new Error(`journal begins with ${entry.type}`);
  const open = state as OpenState;
  switch (entry.type) {
    case 'workspace-recorded': {
      const { seq: _seq, at: _at, prev: _prev, hash: _hash, ...workspace } = entry;
      open.workspace = workspace;
      return open;
    }
    case 'task-started':
      return put(open, {
        id: entry.task,
        status: 'running',
        attempts: entry.attempt,
        reasons: entry.reasons,
        startedAt: Date.parse(entry.at),
      });
    case 'task-finished':
      return put(open, {
        ...begun(open, entry.task),
        status: 'passed',
        durationMs: entry.durationMs,
        fingerprint: entry.fingerprint,
        outputs: entry.outputs,
        product: entry.product,
        ...(entry.summary === undefined ? {} : { summary: entry.summary }),
      });
    case 'task-failed':
      return put(open, {
        ...begun(open, entry.task),
        status: entry.failure.code === 'cancelled' ? 'cancelled' : entry.retrying ? 'retrying' : 'failed',
        durationMs: entry.durationMs,
        failure: entry.failure,
      });
    case 'retry-scheduled':
      return put(open, { ...begun(open, entry.task), status: 'retrying' });
    case 'task-skipped':
      return put(open, {
        id: entry.task,
        status: entry.cause === 'cached' ? 'cached' : entry.cause === 'cancelled' ? 'cancelled' : 'skipped',
        attempts: 0,
        reasons: entry.reasons,
        ...(entry.because ? { because: entry.because } : {}),
        ...(entry.fingerprint ? { fingerprint: entry.fingerprint } : {}),
        ...(entry.outputs ? { outputs: entry.outputs } : {}),
        ...(entry.product ? { product: entry.product } : {}),
      });
    case 'run-finished':
      open.outcome = entry.outcome;
      open.finishedAt = Date.parse(entry.at);
      if (entry.signal !== undefined) open.signal = entry.signal;
      return open;
    default:
      return unknownEvent(entry);
  }
}

/** The state that a whole journal tells; undefined for an empty one. */
export function replay(entries: readonly JournalEntry[]): RunState | undefined {
  let state: RunState | undefined;
  for (const entry of entries) state = apply(state, entry);
  return state;
}

function started(state: RunState | undefined, entry: JournalEntry & { type: 'run-started' }): RunState {
  if (!state) {
    return {
      run: entry.run,
      name: entry.name,
      planDigest: entry.planDigest,
      outcome: 'running',
      startedAt: Date.parse(entry.at),
      tasks: new Map(),
    };
  }
  const open = state as OpenState;
  open.outcome = 'running';
  open.planDigest = entry.planDigest;
  delete open.finishedAt;
  delete open.signal;
  return open;
}

function put(state: OpenState, task: TaskState): RunState {
  state.tasks.set(task.id, task);
  return state;
}

function begun(state: OpenState, task: string): TaskState {
  const known = state.tasks.get(task);
  if (!known) throw new Error(`journal ends task ${task} that it never started`);
  const { failure: _failure, ...rest } = known;
  return rest;
}

/** Compiles only while every type is handled. A journal of a newer version may still hold one we do not know. */
function unknownEvent(entry: never): never {
  throw new Error(`journal holds an event that this version does not know: ${(entry as { type: string }).type}`);
}
