import type { Outcome } from '../model/events/event.js';
import { exitCode, failureExitCode } from '../model/exit-code.js';
import type { Failure } from '../model/failure.js';
import { isOpen } from '../model/gates/gate.js';
import type { Task, TaskId } from '../model/plan.js';
import type { TaskState } from '../model/state/run-state.js';

export type BadEnd = 'failed' | 'waiting' | 'over-budget' | 'violated';

/** How tasks ended that did not pass, whom that keeps from being tried, and what it makes of the run. */
export class RunEnds {
  readonly #byTask = new Map<TaskId, BadEnd>();
  readonly #blocked = new Map<TaskId, readonly TaskId[]>();
  /** Would have to pass their gate, and are not asked for this time. */
  readonly #unasked = new Set<TaskId>();
  #isViolated = false;
  #isUnfinished = false;
  isOutOfTime = false;
  /** Nothing more is started. */
  isHalted = false;

  /** Nothing goes on from this task. */
  block(task: TaskId, how: BadEnd | 'cancelled' | 'halted' | 'again' | 'withdrawn'): void {
    // What is done again has not ended.
    if (how === 'again' || how === 'withdrawn') return;
    this.#blocked.set(task, [task]);
    if (how === 'violated') this.#isViolated = true;
    if (how === 'halted') this.isHalted = true;
    if (how !== 'cancelled') this.#byTask.set(task, how === 'halted' ? 'failed' : how);
  }

  /** The tasks at the root of why this one cannot run, which passes them on; a skipped need names its own. */
  blockedBy({ id, needs }: Task): readonly TaskId[] {
    const because = new Set<TaskId>();
    for (const need of needs) for (const root of this.#blocked.get(need) ?? []) because.add(root);
    if (because.size > 0) this.#blocked.set(id, [...because]);
    return [...because];
  }

  /** These keep a task from being tried, and all that needs it. */
  keep(task: TaskId, because: readonly TaskId[]): void {
    this.#blocked.set(task, because);
  }

  /**
   * It is not asked for this time, and stays as this run left it: whoever asks for something else does not make a failure, a breach
   * or an attempt that was stopped undone.
   */
  leave({ id, skip }: Task, known: TaskState | undefined, isWaiting: boolean): void {
    if (skip) return;
    if (known?.status === 'failed') this.#byTask.set(id, badEnd(known.failure));
    else if (known && unfinished.has(known.status)) this.#isUnfinished = true;
    else if (isWaiting && known?.gate && isOpen(known.gate)) this.block(id, 'waiting');
    // Nobody is asked, so nobody is waited for, unless something was asked for that builds on it.
    else if (isWaiting) {
      this.#blocked.set(id, [id]);
      this.#unasked.add(id);
    }
  }

  /** It was asked for, and cannot be tried because of these. */
  miss(because: readonly TaskId[]): void {
    for (const id of because) if (this.#unasked.has(id)) this.#byTask.set(id, 'waiting');
  }

  violated(): void {
    this.#isViolated = true;
  }

  /** It is done again. What was violated stays so. */
  forget(tasks: Iterable<TaskId>): void {
    for (const task of tasks) {
      this.#byTask.delete(task);
      this.#blocked.delete(task);
    }
  }

  outcome(signal: string | undefined): Exclude<Outcome, 'running'> {
    const ends = new Set(this.#byTask.values());
    if (this.#isViolated) return 'violated';
    if (this.isOutOfTime) return 'over-budget';
    if (signal !== undefined) return 'cancelled';
    if (ends.has('over-budget')) return 'over-budget';
    if (ends.has('violated')) return 'violated';
    if (ends.has('failed')) return 'failed';
    if (this.#isUnfinished) return 'cancelled';
    return ends.has('waiting') ? 'waiting' : 'passed';
  }
}

const unfinished: ReadonlySet<string> = new Set<TaskState['status']>(['running', 'retrying', 'cancelled']);

function badEnd(failure: Failure | undefined): BadEnd {
  const code = failure && failureExitCode[failure.code];
  if (code === exitCode.integrity) return 'violated';
  return code === exitCode.overBudget ? 'over-budget' : 'failed';
}
