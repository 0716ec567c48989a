import { Readiness } from '../graph/readiness.js';
import { apply } from '../journal/apply.js';
import type { Outcome, RecordedEvent } from '../model/event.js';
import type { Failure } from '../model/failure.js';
import type { Fingerprint } from '../model/fingerprint.js';
import type { Json } from '../model/json.js';
import type { Plan, Reason, Task, TaskId } from '../model/plan.js';
import type { JournalWriter, Reporter } from '../model/ports.js';
import type { RunState } from '../model/run-state.js';
import type { Behaviour } from '../model/stage.js';
import { type AttemptResult, runAttempt } from './attempt.js';
import type { AttemptPorts } from './attempt-ports.js';
import { type DeciderInput, decideTask, standingProduct } from './decider.js';
import { productDigest } from './fingerprint.js';
import { willRun } from './freshness.js';
import { RetryCount } from './retry.js';
import type { StopSwitch } from './stop-switch.js';

export interface LoopInput {
  readonly plan: Plan;
  readonly run: string;
  readonly jobs: number;
  readonly vars: { readonly [name: string]: Json };
  readonly behaviours: ReadonlyMap<string, Behaviour>;
  readonly state: RunState;
  readonly journal: JournalWriter;
  readonly reporter: Reporter;
  readonly decider: DeciderInput;
  readonly ports: AttemptPorts;
  readonly stop: StopSwitch;
  /** What is worth recording about the project but takes its time; the run does not wait for it. */
  readonly facts: Promise<RecordedEvent | undefined>;
}

/**
 * Starts each task when its needs are done, never more than `jobs` at once, and writes down what happens before anyone
 * is told. Knows nothing of terminals, files or processes: those are ports.
 */
export class RunLoop {
  #input: LoopInput;
  #tasks: ReadonlyMap<TaskId, Task>;
  #readiness: Readiness;
  #state: RunState;
  #products = new Map<TaskId, string>();
  #blocked = new Map<TaskId, readonly TaskId[]>();
  #failed = false;
  #running = 0;
  /** Tasks that have ended but whose end is not on the disk yet. */
  #unflushed = 0;
  #settled!: () => void;
  #broken!: (error: unknown) => void;

  constructor(input: LoopInput) {
    this.#input = input;
    this.#state = input.state;
    this.#tasks = new Map(input.plan.tasks.map((task) => [task.id, task]));
    this.#readiness = new Readiness(input.plan.tasks);
  }

  /** Resolves with the outcome once nothing runs any more. Rejects when the journal cannot be written. */
  async run(): Promise<Exclude<Outcome, 'running'>> {
    const { stop, ports } = this.#input;
    const startedAt = ports.clock.now();
    const recorded = this.#recordFacts();
    await new Promise<void>((resolve, reject) => {
      this.#settled = resolve;
      this.#broken = (error) => {
        stop.kill('SIGTERM');
        reject(error);
      };
      stop.onStop((signal) => this.#input.reporter.ephemeral({ type: 'stopping', signal, running: this.#running }));
      stop.onStop(() => this.#pump());
      this.#pump();
    });
    await recorded;
    const outcome = stop.signal ? 'cancelled' : this.#failed ? 'failed' : 'passed';
    const told = this.#record([
      {
        type: 'run-finished',
        outcome,
        durationMs: ports.clock.now() - startedAt,
        ...(stop.signal ? { signal: stop.signal } : {}),
      },
    ]);
    this.#input.journal.hurry();
    await told;
    return outcome;
  }

  async #recordFacts(): Promise<void> {
    const facts = await this.#input.facts;
    if (facts) await this.#record([facts]).catch(this.#broken);
  }

  #pump(): void {
    while (this.#running < this.#input.jobs && !this.#input.stop.signal) {
      const id = this.#readiness.take();
      if (id === undefined) break;
      try {
        this.#begin(this.#tasks.get(id)!);
      } catch (error) {
        this.#broken(error);
        return;
      }
    }
    if (this.#running + this.#unflushed > 0) return;
    if (this.#input.stop.signal || this.#readiness.pending === 0) this.#settled();
  }

  #begin(task: Task): void {
    const because = this.#failedNeeds(task);
    if (because.length > 0) {
      this.#blocked.set(task.id, because);
      const reasons: Reason[] = [{ code: 'upstream-skipped', detail: `${because.join(', ')} did not pass` }];
      this.#skip(task, { type: 'task-skipped', task: task.id, cause: 'upstream-failed', reasons, because });
      return;
    }
    const decided = decideTask(task, this.#input.decider, (need) => this.#products.get(need) ?? willRun);
    const past = this.#input.decider.past(task.id)?.state;
    if (decided.action === 'run') {
      this.#running += 1;
      this.#attempts(task, decided.fingerprint(), decided.reasons).catch(this.#broken);
      return;
    }
    this.#products.set(task.id, standingProduct(decided, past));
    if (decided.action === 'skip') {
      this.#skip(task, { type: 'task-skipped', task: task.id, cause: 'excluded', reasons: decided.reasons });
    } else {
      const { outputs, product } = past!;
      this.#skip(task, {
        type: 'task-skipped',
        task: task.id,
        cause: 'cached',
        reasons: decided.reasons,
        fingerprint: decided.fingerprint(),
        ...(outputs ? { outputs } : {}),
        ...(product === undefined ? {} : { product }),
      });
    }
  }

  /** A task that this very run has finished already, before it was interrupted, needs no second record. */
  #skip(task: Task, event: RecordedEvent): void {
    const known = this.#state.tasks.get(task.id)?.status;
    const standing =
      event.type === 'task-skipped' && event.cause === 'cached' && (known === 'passed' || known === 'cached');
    if (!standing) this.#record([event]).catch(this.#broken);
    this.#readiness.finish(task.id);
  }

  async #attempts(task: Task, fingerprint: Fingerprint, reasons: readonly Reason[]): Promise<void> {
    const { stop, ports, run } = this.#input;
    const retries = new RetryCount(task.retry);
    let attempt = this.#state.tasks.get(task.id)?.attempts ?? 0;
    for (;;) {
      attempt += 1;
      // In the file before the work begins; the disk may follow, because work that nobody knows of is simply done again.
      this.#record([{ type: 'task-started', task: task.id, attempt, reasons }]).catch(this.#broken);
      const startedAt = ports.clock.now();
      const result = await this.#tryOnce(task, attempt);
      const durationMs = ports.clock.now() - startedAt;
      if (result.ok) {
        const product = productDigest(result.outputs, `${run}#${task.id}#${attempt}`);
        this.#products.set(task.id, product);
        const { outputs, summary } = result;
        const said = summary === undefined ? {} : { summary };
        this.#end(task, [
          { type: 'task-finished', task: task.id, attempt, durationMs, fingerprint, outputs, product, ...said },
        ]);
        return;
      }
      const again = stop.signal ? undefined : retries.next(result.failure);
      const failed: RecordedEvent = {
        type: 'task-failed',
        task: task.id,
        attempt,
        durationMs,
        failure: result.failure,
        retrying: again !== undefined,
      };
      if (!again) {
        this.#fail(task, result.failure);
        this.#end(task, [failed]);
        return;
      }
      await this.#record([failed, { type: 'retry-scheduled', task: task.id, attempt: attempt + 1, ...again }]);
      if (!(await stop.pause(again.afterMs, ports.clock))) {
        this.#fail(task, { code: 'cancelled', signal: stop.signal ?? 'SIGTERM' });
        this.#end(task, []);
        return;
      }
    }
  }

  #tryOnce(task: Task, attempt: number): Promise<AttemptResult> {
    const { stop, vars, run, behaviours, ports } = this.#input;
    const behaviour = behaviours.get(task.uses)!;
    return runAttempt({ task, behaviour, attempt, run, vars, stop: stop.stopping, kill: stop.killing }, ports);
  }

  #fail(task: Task, failure: Failure): void {
    this.#blocked.set(task.id, [task.id]);
    if (failure.code !== 'cancelled') this.#failed = true;
  }

  /** Others may start at once; what builds on this task waits until the disk has its end, and if that is all, it hurries. */
  #end(task: Task, events: readonly RecordedEvent[]): void {
    this.#running -= 1;
    this.#unflushed += 1;
    this.#record(events).then(() => {
      this.#unflushed -= 1;
      this.#readiness.finish(task.id);
      this.#pump();
    }, this.#broken);
    this.#pump();
    if (this.#running < this.#input.jobs) this.#input.journal.hurry();
  }

  /** Throws when the events cannot be written. State changes, and everyone is told, once they are on the disk. */
  #record(events: readonly RecordedEvent[]): Promise<void> {
    const { entries, durable } = this.#input.journal.append(events);
    return durable.then(() => {
      for (const entry of entries) {
        this.#state = apply(this.#state, entry);
        this.#input.reporter.recorded(entry);
      }
    });
  }

  /** The failed tasks at the root of why this one cannot run; a skipped need names its own. */
  #failedNeeds(task: Task): readonly TaskId[] {
    const because = new Set<TaskId>();
    for (const need of task.needs) for (const id of this.#blocked.get(need) ?? []) because.add(id);
    return [...because];
  }
}
