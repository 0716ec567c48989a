import type { JournalEntry } from '../model/events/event.js';
import type { RunState, TaskState } from '../model/state/run-state.js';
import { applyGate, gateAfterStart } from './apply-gate.js';
import { isJobEvent, noteJobs } from './apply-jobs.js';
import { applyParameters, setOf } from './apply-parameters.js';
import { applyProtection, isOfProtection } from './apply-protection.js';
import { applyChange, withEscalation, withoutPlanning } from './apply-replan.js';
import { keepSession, noteCall } from './apply-session.js';
import { afterSkip } from './apply-skip.js';
import { noteSpend } from './apply-spend.js';
import { started } from './apply-start.js';
import { afterFailure, treeSoFar, withoutCommitted, withTree } from './apply-tree.js';
import type { OpenState } from './open-state.js';
import { failedOnce, triesSoFar, withoutWords } from './tries.js';

/**
 * The one way from events to state, live and on resume alike. It updates the state it is given, because a run of ten
 * thousand tasks must not copy its map ten thousand times; it reads no clock and touches nothing else.
 */
export function apply(state: RunState | undefined, entry: JournalEntry): RunState {
  if (entry.type === 'run-started') return started(state, entry);
  if (!state) throw new Error(`journal begins with ${entry.type}`);
  const open = state as OpenState;
  const atMs = Date.parse(entry.at);
  open.latestAt = Math.max(open.latestAt, atMs);
  if (open.outcome === 'running') workOn(open, atMs);
  // Nobody is at work while a person makes up their mind.
  else open.lastMs = atMs;
  const made = entry.type === 'task-finished' ? setOf(open.jobs, entry.task) : {};
  noteJobs(open.jobs, entry);
  if (isJobEvent(entry)) {
    if (entry.type === 'job-finished') open.spend = { ...open.spend, gpuHours: open.spend.gpuHours + entry.gpuHours };
    return open;
  }
  if (isOfProtection(entry)) return applyProtection(open, entry);
  switch (entry.type) {
    case 'workspace-recorded': {
      const { seq: _seq, at: _at, prev: _prev, hash: _hash, ...workspace } = entry;
      open.workspace = workspace;
      return open;
    }
    case 'parameters-changed':
      applyParameters(open, entry);
      return open;
    case 'plan-extended':
      open.planDigest = entry.planDigest;
      return open;
    case 'task-started':
      return put(open, {
        id: entry.task,
        status: 'running',
        attempts: entry.attempt,
        reasons: entry.reasons,
        startedAt: Date.parse(entry.at),
        ...gateAfterStart(open.tasks.get(entry.task)),
        ...triesSoFar(open.tasks.get(entry.task)),
        ...treeSoFar(open.tasks.get(entry.task)),
      });
    case 'task-finished':
      open.forced.delete(entry.task);
      open.sentBack.delete(entry.task);
      return put(open, {
        ...withoutWords(withoutCommitted(begun(open, entry.task))),
        status: 'passed',
        durationMs: entry.durationMs,
        fingerprint: entry.fingerprint,
        outputs: entry.outputs,
        product: entry.product,
        ...made,
        ...(entry.summary === undefined ? {} : { summary: entry.summary }),
        ...(entry.warnings ? { warnings: entry.warnings } : {}),
      });
    case 'task-failed':
      return put(open, {
        ...afterFailure(begun(open, entry.task), entry.failure),
        status: entry.failure.code === 'cancelled' ? 'cancelled' : entry.retrying ? 'retrying' : 'failed',
        durationMs: entry.durationMs,
        failure: entry.failure,
        ...failedOnce(open.tasks.get(entry.task), entry),
      });
    case 'retry-scheduled':
      return put(open, {
        ...begun(open, entry.task, 'with its failure'),
        status: 'retrying',
        dueAt: Date.parse(entry.at) + entry.afterMs,
        pauseMs: entry.afterMs,
      });
    case 'worktree-created':
    case 'worktree-updated':
    case 'worktree-behind':
    case 'worktree-committed':
    case 'worktree-merged':
    case 'worktree-removed':
    case 'worktree-kept':
      return put(open, withTree(begun(open, entry.task, 'with its failure'), entry));
    case 'outputs-committed':
    case 'checkout-stashed':
    case 'mirror-differed':
    case 'agent-validation-failed':
      return open;
    case 'agent-invoked':
      noteCall(open, entry);
      return open;
    case 'agent-completed':
    case 'agent-failed':
      keepSession(open, entry);
      return open;
    case 'escalated':
      return put(open, withEscalation(begun(open, entry.task, 'with its failure'), entry));
    case 'fix-finished':
      return put(open, withoutPlanning(begun(open, entry.task, 'with its failure')));
    case 'task-file-changed':
    case 'outputs-amended':
      applyChange(open, entry);
      return open;
    case 'spend-recorded':
      noteSpend(open, entry);
      return open;
    case 'tests-recorded':
      return put(open, { ...begun(open, entry.task, 'with its failure'), tests: entry.tests });
    case 'metrics-recorded':
      return put(open, { ...begun(open, entry.task, 'with its failure'), metrics: entry.metrics });
    case 'time-recorded':
      open.everyMs = entry.everyMs;
      return open;
    case 'budget-spent': {
      const { ceiling, limit, spent, wanted, unpricedCalls } = entry;
      open.budgetSpent = { ceiling, limit, spent, wanted, ...(unpricedCalls === undefined ? {} : { unpricedCalls }) };
      return open;
    }
    case 'task-skipped':
      return put(open, afterSkip(entry, open.tasks.get(entry.task)));
    case 'gate-opened':
    case 'gate-decided':
    case 'revision-requested':
    case 'judge-calibrated':
      applyGate(open, entry);
      return open;
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

/**
 * Time at work since the last event. A clock that was set back adds nothing. Where the time is written down regularly, a
 * longer silence was a machine that slept or a clock that was set forward, and does not count.
 */
function workOn(open: OpenState, atMs: number): void {
  const passedMs = Math.max(0, atMs - open.lastMs);
  open.workedMs += open.everyMs === undefined ? passedMs : Math.min(passedMs, 2 * open.everyMs);
  open.lastMs = atMs;
}

function put(state: OpenState, task: TaskState): RunState {
  state.tasks.set(task.id, task);
  return state;
}

function begun(state: OpenState, task: string, failure?: 'with its failure'): TaskState {
  const known = state.tasks.get(task);
  if (!known) throw new Error(`journal ends task ${task} that it never started`);
  const { from: _from, ...since } = known;
  if (failure) return since;
  const { failure: _failure, dueAt: _dueAt, pauseMs: _pauseMs, ...rest } = since;
  return rest;
}

/** Compiles only while every type is handled. A journal of a newer version may still hold one we do not know. */
function unknownEvent(entry: never): never {
  throw new Error(`journal holds an event that this version does not know: ${(entry as { type: string }).type}`);
}
