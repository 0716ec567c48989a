import type { JournalEntry, RecordedEvent } from '../../src/model/events/event.js';
import type { Failure } from '../../src/model/failure.js';
import type { GateKind, Verdict } from '../../src/model/gates/gate.js';
import type { Plan, TaskId } from '../../src/model/plan.js';
import type { Clock, RunInfo } from '../../src/model/ports.js';
import type { ReportTarget } from '../../src/report/live/report-target.js';

/** A clock that stands still until a test moves it. */
export class HandClock implements Clock {
  #now = Date.parse('2030-01-01T10:00:00Z');
  #timers: { due: number; callback: () => void }[] = [];

  now(): number {
    return this.#now;
  }

  after(ms: number, callback: () => void): () => void {
    const timer = { due: this.#now + ms, callback };
    this.#timers.push(timer);
    return () => {
      this.#timers = this.#timers.filter((other) => other !== timer);
    };
  }

  get pending(): number {
    return this.#timers.length;
  }

  move(ms: number): void {
    const end = this.#now + ms;
    for (;;) {
      const next = this.#timers.filter(({ due }) => due <= end).sort((a, b) => a.due - b.due)[0];
      if (!next) break;
      this.#timers = this.#timers.filter((timer) => timer !== next);
      this.#now = Math.max(this.#now, next.due);
      next.callback();
    }
    this.#now = end;
  }
}

export interface TestTarget extends ReportTarget {
  readonly writes: string[];
  readonly text: string;
}

export function testTarget(
  options: { columns?: number; rows?: number; color?: boolean; unicode?: boolean } = {},
): TestTarget {
  const writes: string[] = [];
  return {
    writes,
    get text() {
      return writes.join('');
    },
    write: (text) => void writes.push(text),
    columns: () => options.columns ?? 80,
    rows: () => options.rows ?? 24,
    color: options.color ?? false,
    unicode: options.unicode ?? true,
  };
}

export const runInfo = (more: Partial<RunInfo> = {}): RunInfo => ({
  run: '4-k3xw',
  dir: '/lab/.autoresearch/default/runs/4-k3xw',
  jobs: 2,
  resumed: false,
  lastLine: () => undefined,
  ...more,
});

let seq = 0;

export function entry(event: RecordedEvent): JournalEntry {
  seq += 1;
  return { ...event, seq, at: '2030-01-01T10:00:00.000Z', prev: '', hash: '' };
}

export const started = (plan: Plan, changes?: readonly string[]): JournalEntry =>
  entry({
    type: 'run-started',
    journal: 1,
    run: '4-k3xw',
    name: plan.name,
    planDigest: plan.digest,
    tasks: plan.tasks.length,
    tool: '0.1.0',
    host: 'lab',
    pid: 1,
    ...(changes ? { resumed: { changes } } : {}),
  });

export const taskStarted = (task: TaskId, attempt = 1): JournalEntry =>
  entry({ type: 'task-started', task, attempt, reasons: [{ code: 'never-ran', detail: '' }] });

export const taskFinished = (task: TaskId, durationMs = 2100, attempt = 1): JournalEntry =>
  entry({
    type: 'task-finished',
    task,
    attempt,
    durationMs,
    fingerprint: { v: 1, behaviour: '', options: '', env: '', inputs: {}, upstream: {} },
    outputs: [],
    product: '',
  });

export const taskFailed = (
  task: TaskId,
  failure: Failure = { code: 'command-failed', exitCode: 1 },
  more: { attempt?: number; retrying?: boolean } = {},
): JournalEntry =>
  entry({
    type: 'task-failed',
    task,
    attempt: more.attempt ?? 1,
    durationMs: 1500,
    failure,
    retrying: more.retrying ?? false,
    errorClass: 'unknown',
    counted: true,
  });

export const taskSkipped = (task: TaskId, because: readonly TaskId[]): JournalEntry =>
  entry({ type: 'task-skipped', task, cause: 'upstream-failed', reasons: [], because });

export const taskCached = (task: TaskId): JournalEntry =>
  entry({ type: 'task-skipped', task, cause: 'cached', reasons: [{ code: 'unchanged', detail: '' }] });

export const retryScheduled = (task: TaskId, attempt: number, afterMs: number): JournalEntry =>
  entry({ type: 'retry-scheduled', task, attempt, afterMs, errorClass: 'exit 1' });

const shown = { shown: 's', product: 'p', evidence: [], gate: 'g', covers: 'c', planDigest: 'd', patterns: [] };

export const gateOpened = (task: TaskId, kind: GateKind): JournalEntry =>
  entry({ type: 'gate-opened', task, attempt: 1, kind, question: `${task}-1`, ...shown });

export const gateDecided = (task: TaskId, verdict: Verdict): JournalEntry =>
  entry({
    ...{ type: 'gate-decided', task, attempt: 1, question: `${task}-1`, verdict, by: { kind: 'person', name: 'me' } },
    ...{ reasons: [], shown: 's', gate: 'g', covers: 'c', planDigest: 'd' },
  });
