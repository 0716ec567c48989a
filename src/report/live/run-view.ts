import type { JournalEntry, TaskFailed } from '../../model/events/event.js';
import type { GateDecided } from '../../model/events/gate-event.js';
import type { Failure } from '../../model/failure.js';
import type { Plan, Task, TaskId } from '../../model/plan.js';
import type { RunInfo } from '../../model/ports.js';
import { type Left, TimeLeft } from './time-left.js';
import type { EndedTask, GatedTask, RunningTask, WaitingTask } from './viewed-task.js';

/**
 * What a live view knows about a run: counts, what runs, what ended lately. Each event costs the same however many tasks
 * there are; only `waiting` looks around, and at no more than a fixed number of tasks.
 */
export class RunView {
  readonly name: string;
  total: number;
  readonly startedAt: number;
  readonly counts: Record<EndedTask['how'], number> = { passed: 0, cached: 0, failed: 0, skipped: 0, cancelled: 0 };
  readonly running = new Map<TaskId, RunningTask>();
  readonly gates = new Map<TaskId, GatedTask>();
  /** The newest last. */
  readonly recent: EndedTask[] = [];
  readonly failed: EndedTask[] = [];
  #order: readonly TaskId[];
  #tasks: ReadonlyMap<TaskId, Task>;
  readonly #done = new Map<TaskId, EndedTask['how']>();
  /** Everything before it in the order has been touched. */
  #cursor = 0;
  /** How far the needs of a waiting task are known to be done. */
  readonly #met = new Map<TaskId, number>();
  readonly #times: TimeLeft;

  constructor(plan: Plan, info: RunInfo, now: number) {
    this.name = plan.name;
    this.total = plan.tasks.length;
    this.startedAt = now;
    this.#order = plan.waves.flat();
    this.#tasks = new Map(plan.tasks.map((task) => [task.id, task]));
    this.#times = new TimeLeft(plan, info.jobs, info.earlierMs);
    for (const [id, { status }] of info.earlier?.tasks ?? []) {
      // What an earlier go of this run finished is done, unless an event says that it starts again.
      if ((status === 'passed' || status === 'cached') && this.#tasks.has(id)) this.#end({ id, how: 'cached' }, false);
    }
  }

  extend(plan: Plan): void {
    this.total = plan.tasks.length;
    this.#order = plan.waves.flat();
    this.#tasks = new Map(plan.tasks.map((task) => [task.id, task]));
    this.#cursor = 0;
    this.#met.clear();
    this.#times.extend(plan);
  }

  get done(): number {
    return this.#done.size;
  }

  get waitingCount(): number {
    return this.total - this.#done.size - this.running.size;
  }

  /** A run that is over in a moment needs no guess, and one that waits for a person cannot be guessed. */
  timeLeft(now: number): Left | undefined {
    if (now - this.startedAt < shortMs || this.running.size === 0) return undefined;
    return this.#times.left(this.running.values(), now);
  }

  /** How long a task like this one takes; undefined when nobody knows. */
  typicalMs(id: TaskId): number | undefined {
    return this.#times.typicalMs(id);
  }

  /** Takes an event in; answers with the task that it brought to an end, if it did. */
  apply(entry: JournalEntry, now: number): EndedTask | undefined {
    switch (entry.type) {
      case 'run-started':
        if (entry.resumed) for (const id of [...(entry.resumed.stale ?? []), ...(entry.forced ?? [])]) this.#undo(id);
        return undefined;
      case 'task-started':
        this.#undo(entry.task);
        this.running.set(entry.task, { id: entry.task, since: now, attempt: entry.attempt });
        return undefined;
      case 'task-finished':
        return this.#end({
          id: entry.task,
          how: 'passed',
          durationMs: entry.durationMs,
          attempt: entry.attempt,
          ...(entry.summary === undefined ? {} : { summary: entry.summary }),
        });
      case 'task-failed':
        return entry.retrying ? this.#pause(entry, now) : this.#end(failedTask(entry));
      case 'retry-scheduled':
        this.#pauseUntil(entry.task, now + entry.afterMs);
        return undefined;
      case 'task-skipped': {
        const how = entry.cause === 'cached' || entry.cause === 'cancelled' ? entry.cause : 'skipped';
        const { because } = entry;
        const waits = because?.every((id) => this.#done.get(id) === 'passed' || this.#done.get(id) === 'cached');
        return this.#end({ id: entry.task, how, ...(because ? { because } : {}), ...(waits ? { waits } : {}) });
      }
      case 'gate-opened':
        this.gates.set(entry.task, { id: entry.task, since: now, kind: entry.kind });
        this.#met.clear();
        return undefined;
      case 'gate-decided': {
        this.gates.delete(entry.task);
        const failure = rejection(entry);
        if (!failure) return undefined;
        this.#undo(entry.task);
        return this.#end({ id: entry.task, how: 'failed', failure, attempt: entry.attempt });
      }
      case 'revision-requested':
      case 'parameters-changed':
        for (const id of [...entry.to, ...entry.downstream]) this.#undo(id);
        return undefined;
      default:
        return undefined;
    }
  }

  /** A few tasks that wait, in the order of the plan; for what they wait is worth more lines than waiting for a slot. */
  waiting(most: number): WaitingTask[] {
    while (this.#isTouched(this.#order[this.#cursor])) this.#cursor++;
    const blocked: WaitingTask[] = [];
    const ready: WaitingTask[] = [];
    const stop = Math.min(this.#order.length, this.#cursor + lookAhead);
    for (let index = this.#cursor; index < stop && blocked.length < most; index++) {
      const id = this.#order[index]!;
      if (this.#isTouched(id)) continue;
      const need = this.#firstUnmet(id);
      if (need !== undefined)
        blocked.push({
          id,
          need,
          moreNeeds: this.#unmetAfter(id),
          ...(this.gates.has(need) ? { isAtGate: true } : {}),
        });
      else if (ready.length < most) ready.push({ id, need: undefined, moreNeeds: 0 });
    }
    const slots = Math.max(most > 0 ? 1 : 0, most - blocked.length);
    return [...ready.slice(0, slots), ...blocked].slice(0, most);
  }

  #isTouched(id: TaskId | undefined): boolean {
    return id !== undefined && (this.#done.has(id) || this.running.has(id));
  }

  #end(ended: EndedTask, show = true): EndedTask {
    this.running.delete(ended.id);
    this.#met.delete(ended.id);
    this.#undo(ended.id);
    this.#done.set(ended.id, ended.how);
    this.#times.close(ended.id, ended.how === 'passed' ? ended.durationMs : undefined);
    this.counts[ended.how]++;
    if (!show) return ended;
    if (ended.how === 'failed') this.failed.push(ended);
    else if (ended.how === 'passed') {
      this.recent.push(ended);
      if (this.recent.length > mostRecent) this.recent.shift();
    }
    return ended;
  }

  /** It is done again, or has come to another end. */
  #undo(id: TaskId): void {
    const how = this.#done.get(id);
    if (how === undefined) return;
    this.#done.delete(id);
    this.gates.delete(id);
    this.#times.reopen(id);
    this.counts[how]--;
    this.#cursor = 0;
    this.#met.clear();
    const index = this.failed.findIndex((task) => task.id === id);
    if (index !== -1) this.failed.splice(index, 1);
  }

  #pause(entry: TaskFailed, now: number): undefined {
    this.running.set(entry.task, {
      id: entry.task,
      since: now,
      attempt: entry.attempt,
      retry: { dueAt: now, failure: entry.failure },
    });
    return undefined;
  }

  #pauseUntil(id: TaskId, dueAt: number): void {
    const task = this.running.get(id);
    if (task?.retry) this.running.set(id, { ...task, retry: { ...task.retry, dueAt } });
  }

  /** Needs only ever get done, but for those that come to a gate, so the search goes on where it stopped last time. */
  #firstUnmet(id: TaskId): TaskId | undefined {
    const { needs } = this.#tasks.get(id)!;
    let index = this.#met.get(id) ?? 0;
    while (index < needs.length && this.#isOver(needs[index]!)) index++;
    this.#met.set(id, index);
    return needs[index];
  }

  #unmetAfter(id: TaskId): number {
    const { needs } = this.#tasks.get(id)!;
    let count = 0;
    for (let index = this.#met.get(id)! + 1; index < needs.length; index++) if (!this.#isOver(needs[index]!)) count++;
    return count;
  }

  #isOver(id: TaskId): boolean {
    return this.#done.has(id) && !this.gates.has(id);
  }
}

function rejection({ verdict, by, reasons, failed, uncalibrated }: GateDecided): Failure | undefined {
  if (uncalibrated) return { code: 'judge-uncalibrated', agent: by.name, wrong: uncalibrated };
  return verdict === 'reject' ? { code: 'gate-rejected', by, reasons, ...(failed ? { failed } : {}) } : undefined;
}

const lookAhead = 200;
const mostRecent = 8;
const shortMs = 2000;

const failedTask = ({ task, failure, durationMs, attempt }: TaskFailed): EndedTask =>
  failure.code === 'cancelled'
    ? { id: task, how: 'cancelled', durationMs, attempt }
    : { id: task, how: 'failed', failure, durationMs, attempt };
