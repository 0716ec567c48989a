import type { Outcome, RecordedEvent } from '../model/events/event.js';
import type { Task, TaskId } from '../model/plan.js';
import { Parameters } from './attempt/parameters.js';
import { type PrepareInput, prepare } from './attempt/prepare.js';
import { TaskAttempts } from './attempt/task-attempts.js';
import type { TaskEnd } from './attempt/task-end.js';
import { type LoopDoor, type TaskTools, taskTools } from './attempt/task-tools.js';
import { stopInTime } from './attempt/time-limit.js';
import {
  cachedEvent,
  type Decided,
  type DeciderInput,
  decideTask,
  gatedProduct,
  liveDecider,
  standingProduct,
} from './freshness/decider.js';
import { leftOut, willBeAsked, willRun } from './freshness/freshness.js';
import { keptFrom, LostResults } from './freshness/lost-results.js';
import { StandingResults } from './freshness/standing-results.js';
import { GateDoor, whyAgain } from './gate-door.js';
import { Lanes } from './lanes.js';
import { LivePlan } from './live-plan.js';
import type { LoopInput } from './loop-input.js';
import { breachOf } from './protect/breach.js';
import { Claims } from './protect/claims.js';
import { Redo } from './redo.js';
import { RunBook } from './run-book.js';
import { RunEnds } from './run-ends.js';
import { Slots } from './slots.js';

/**
 * Starts each task when its needs are done, never more than `jobs` at once, and writes down what happens before anyone
 * is told. Knows nothing of terminals, files or processes: those are ports.
 */
export class RunLoop {
  #input: LoopInput;
  readonly #book: RunBook;
  #products = new Map<TaskId, string>();
  #ends = new RunEnds();
  #redo = new Redo((tasks) => this.#reopen(tasks));
  #gates: GateDoor;
  #decider: DeciderInput;
  readonly #plan: LivePlan;
  #lanes = new Lanes();
  #claims = new Claims();
  readonly #lost: LostResults;
  #taskTools: TaskTools;
  #slots: Slots;
  readonly #parameters: Parameters;
  readonly #preparing: PrepareInput;
  #settled!: () => void;
  #broken!: (error: unknown) => void;

  constructor(input: LoopInput) {
    this.#input = input;
    this.#book = new RunBook({ ...input, heard: (entries) => this.#parameters.heard(entries) });
    this.#preparing = { ...input, productOf: (need) => this.#products.get(need) };
    this.#plan = new LivePlan(input);
    this.#slots = new Slots(input.jobs, () => this.#pump());
    const record = (events: readonly RecordedEvent[]): void => this.#book.record(events);
    const book = { ...input.decider, record, state: () => this.#book.state, plan: () => this.#plan.now };
    this.#parameters = new Parameters({ ...book, redo: this.#redo });
    const results = new StandingResults({ ...book, clock: input.ports.clock, claims: this.#claims });
    this.#lost = new LostResults(results, { ...book, ports: input.ports, ends: this.#ends });
    const sentBack = (id: TaskId) => whyAgain(this.#book.state.sentBack.get(id)) ?? this.#parameters.unlike(id);
    this.#decider = liveDecider(input.decider, { sentBack, known: (id) => this.#book.state.tasks.get(id) });
    const door = {
      ...book,
      claims: this.#claims,
      slots: this.#slots,
      parameters: this.#parameters,
      results,
      listed: (task) => this.#plan.growth.read(task),
      askWords: (task, because) => this.#gates.askWords(task, because),
    } satisfies LoopDoor;
    this.#taskTools = taskTools(input, door);
    this.#gates = new GateDoor({ ...input, ...this.#taskTools, ...door, onQuiet: () => this.#pump() });
  }

  /** Resolves with the outcome once nothing runs any more. Rejects when the journal cannot be written. */
  async run(): Promise<Exclude<Outcome, 'running'>> {
    const { stop, ports, journal, reporter } = this.#input;
    const startedAt = ports.clock.now();
    const recorded = this.#input.facts
      .then((facts) => (facts ? this.#book.record([facts]) : undefined))
      .catch((error) => this.#broken(error));
    const ended: (() => void)[] = [];
    await new Promise<void>((resolve, reject) => {
      this.#settled = resolve;
      this.#broken = (error) => {
        stop.kill('SIGTERM');
        reject(error);
      };
      journal.onFailure(this.#broken);
      ended.push(
        stop.onStop((signal) => reporter.ephemeral({ type: 'stopping', signal, running: this.#slots.busy })),
        stop.onStop(() => this.#pump()),
        stopInTime(this.#input.time, stop, {
          clock: ports.clock,
          record: (events) => this.#book.record(events),
          onOver: () => {
            this.#ends.isOutOfTime = true;
          },
          onBroken: this.#broken,
        }),
      );
      this.#parameters.begin();
      this.#pump();
    }).finally(() => {
      for (const end of ended) end();
      ports.discardPrepared();
    });
    await recorded;
    // Once more, every byte of it, when nothing runs any more.
    breachOf(ports.guard, undefined, { ...this.#taskTools, thorough: true });
    if (this.#book.state.found) this.#ends.violated();
    if (this.#ends.outcome(stop.signal) === 'passed') this.#lost.atEnd();
    const outcome = this.#ends.outcome(stop.signal);
    const durationMs = Math.max(0, ports.clock.now() - startedAt);
    const why = outcome === 'cancelled' && stop.signal ? { signal: stop.signal } : {};
    this.#book.record([{ type: 'run-finished', outcome, durationMs, ...why }]);
    await journal.flushed();
    return outcome;
  }

  #pump(): void {
    while (this.#slots.hasFree && !this.#isStopping) {
      const next = this.#lanes.take(() => this.#plan.task(this.#plan.readiness.take() ?? ''));
      if (next === undefined) break;
      if (this.#redo.isHeld(next.id)) continue;
      try {
        this.#redo.begin(next.id);
        this.#begin(next);
      } catch (error) {
        if (!this.#lost.cannotBeRead(next, error)) {
          this.#broken(error);
          return;
        }
        this.#finish(next);
      }
    }
    try {
      this.#book.tellSpared();
    } catch (error) {
      this.#broken(error);
      return;
    }
    const { busy, resting, isQuiet } = this.#slots;
    if (isQuiet && (this.#isStopping || this.#plan.readiness.pending === 0)) this.#settled();
    // Nothing is left to do but to wait for people who are not here.
    else if (busy === 0 && resting > 0 && resting === this.#gates.waiting) this.#gates.giveUp();
  }

  get #isStopping(): boolean {
    return this.#input.stop.signal !== undefined || this.#ends.isHalted;
  }

  #begin(task: Task): void {
    const because = this.#ends.blockedBy(task);
    // Who is not asked for is left alone, whatever became of others.
    if (because.length > 0 && (task.skip || this.#decider.selected.isChosen(task))) {
      this.#ends.miss(because);
      this.#book.skip(task, keptFrom(task, because));
      this.#finish(task);
      return;
    }
    const decided = decideTask(task, this.#decider, (need) => this.#products.get(need) ?? willRun);
    const past = this.#decider.past(task.id);
    if (decided.action === 'run') {
      // Whoever begins asks what its needs have made.
      this.#book.tellSpared();
      this.#slots.take();
      this.#lanes.begin(task);
      this.#attempt(task, decided).catch(this.#broken);
      setImmediate(() => this.#prepareAfter(task));
      return;
    }
    const product = task.gate
      ? gatedProduct(task, decided, { plan: this.#plan.now, input: this.#decider }).product
      : standingProduct(decided, past?.state);
    this.#products.set(task.id, product);
    if (decided.action === 'skip') {
      this.#book.skip(task, { type: 'task-skipped', task: task.id, cause: 'excluded', reasons: decided.reasons });
      // Whoever was not asked for is not asked about either, and nothing goes on from it.
      this.#ends.leave(task, this.#book.state.tasks.get(task.id), product === willBeAsked);
      this.#finish(task);
      return;
    }
    if (task.gate || task.part?.kind === 'list') {
      this.#book.tellSpared();
      this.#slots.take();
      this.#lookAgain(task, decided, product).catch(this.#broken);
      return;
    }
    this.#book.spare(task, cachedEvent(task, decided, past!));
    this.#finish(task);
  }

  /** A task file may be another one than when the plan was made, and a gate may have to be asked again. */
  async #lookAgain(task: Task, decided: Decided, product: string): Promise<void> {
    if (task.part?.kind === 'list' && (await this.#plan.growth.read(task))) return this.#attempt(task, decided);
    this.#book.skip(task, cachedEvent(task, decided, this.#decider.past(task.id)!));
    await this.#conclude(task, { how: 'passed', product });
  }

  /** While a command runs there is nothing to do; what the next one needs is not waited for then. */
  #prepareAfter(task: Task): void {
    const id = this.#input.stop.signal ? undefined : this.#plan.readiness.upcoming(task.id);
    if (id !== undefined) prepare(this.#plan.task(id)!, this.#preparing, this.#book.state.tasks.get(id)?.attempts);
  }

  async #attempt(task: Task, decided: Decided): Promise<void> {
    const lost = this.#lost.before(task, decided.files);
    const because = lost ? await lost : [];
    if (because.length > 0) {
      this.#lanes.end(task);
      this.#book.skip(task, keptFrom(task, because));
      this.#finish(task);
      return this.#slots.give();
    }
    const done = this.#claims.begin(task);
    const tried = new TaskAttempts(task, this.#taskTools).run(decided).finally(done);
    const end = await tried.catch((error) => this.#lost.unlessUnreadable(task, error));
    this.#lanes.end(task);
    await this.#conclude(task, end);
  }

  /** What passed comes to its gate; then those that need it may go on, or know that they cannot. */
  async #conclude(task: Task, own: TaskEnd): Promise<void> {
    const end = own.how === 'passed' && task.gate ? await this.#gates.pass(task) : own;
    if (end.how === 'again') this.#redo.want(end.tasks);
    if (end.how === 'passed') this.#products.set(task.id, end.product);
    if (end.how === 'passed') this.#book.record(this.#plan.extend(task, this.#book.state.planDigest));
    else if (end.how === 'skipped') this.#products.set(task.id, leftOut);
    else this.#ends.block(task.id, end.how);
    if (end.how === 'again' || end.how === 'withdrawn') this.#redo.end(task.id);
    else this.#finish(task);
    this.#slots.give();
  }

  #finish({ id }: Task): void {
    this.#plan.readiness.finish(id);
    this.#redo.end(id);
  }

  /** A gate has sent these back. */
  #reopen(tasks: ReadonlySet<TaskId>): void {
    for (const id of tasks) this.#products.delete(id);
    this.#ends.forget(tasks);
    this.#lanes.drop(tasks);
    this.#plan.readiness.reopen(tasks);
  }
}
