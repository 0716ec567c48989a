import type { ErrorVerdict } from '../../model/errors/error-verdict.js';
import type { Task } from '../../model/plan.js';
import type { AttemptFolder } from '../../model/ports.js';
import type { TaskState } from '../../model/state/run-state.js';
import { classify } from '../errors/error-class.js';
import { escalatedEvent, failedAgain, type Seen, wordsOwed } from '../errors/escalation.js';
import type { Trouble } from '../errors/mend-prompt.js';
import { brokenOff, logMended } from '../errors/mended-end.js';
import { fixName, nextWords, whoIsNextWords } from '../errors/next-words.js';
import { nextStep } from '../errors/retry.js';
import { earlierTrouble, troubleOf } from '../errors/trouble-of.js';
import type { Decided } from '../freshness/decider.js';
import { productDigest } from '../freshness/fingerprint.js';
import { attemptAmends, fixAmends } from './attempt-amends.js';
import { type Failed, finalEnd, isViolation } from './final-end.js';
import { oneAttempt } from './one-attempt.js';
import type { TaskEnd } from './task-end.js';
import type { TaskTools } from './task-tools.js';

/**
 * Tries one task until it passes or its tries are spent. What happened so far comes from the journal: a resumed task
 * goes on waiting for what it waited for, and has the tries left that it had.
 */
export class TaskAttempts {
  readonly #task: Task;
  readonly #tools: TaskTools;

  constructor(task: Task, tools: TaskTools) {
    this.#task = task;
    this.#tools = tools;
  }

  async run(decided: Decided): Promise<TaskEnd> {
    // Now, because the first attempt is made from what there is now.
    decided.fingerprint();
    const { run, record } = this.#tools;
    const task = this.#task;
    const ended = await this.#goOn();
    if (ended) return ended;
    const first = (this.#state?.attempts ?? 0) + 1;
    for (let attempt = first; ; attempt += 1) {
      if (attempt > first && !this.#tools.stands(task)) return this.#lookAgain;
      // What was mended meanwhile is what it is made from.
      const wish = { attempt, decided, isAnew: attempt > first };
      const { folder, result, durationMs, fingerprint } = await oneAttempt(task, wish, this.#tools);
      const amends = attemptAmends(task, attempt, this.#tools);
      const again = amends && (await amends);
      if (result.ok && again) return this.#doneAgain(again, attempt);
      if (result.ok) {
        const { ok: _ok, product: came, tests: _tests, metrics: _metrics, ...made } = result;
        const product = productDigest(result.outputs, came ?? `${run}#${task.id}#${attempt}`);
        record([{ type: 'task-finished', task: task.id, attempt, durationMs, fingerprint, product, ...made }]);
        return { how: 'passed', product };
      }
      const failed = { type: 'task-failed', task: task.id, attempt, durationMs, failure: result.failure } as const;
      const end = await this.#afterFailure(failed, folder);
      if (end) return end;
    }
  }

  /** What it builds on is not what it was: the loop finds out what that means, and tells everybody. */
  get #lookAgain(): TaskEnd {
    return { how: 'again', tasks: [this.#task.id] };
  }

  #doneAgain(tasks: readonly string[], attempt: number): TaskEnd {
    const errorClass = this.#state?.errorClass ?? 'result-changed';
    const task = this.#task.id;
    this.#tools.record([{ type: 'retry-scheduled', task, attempt: attempt + 1, afterMs: 0, errorClass }]);
    return { how: 'again', tasks };
  }

  get #state(): TaskState | undefined {
    return this.#tools.stateOf(this.#task);
  }

  /** Undefined: another attempt follows. */
  async #afterFailure(failed: Failed, folder: AttemptFolder): Promise<TaskEnd | undefined> {
    const { record, stop, ports } = this.#tools;
    if (failed.failure.code === 'cancelled') {
      record([{ ...failed, retrying: false, errorClass: 'cancelled', counted: false }]);
      return { how: 'cancelled' };
    }
    const ended = await this.#endedBy(failed);
    if (ended) return ended;
    const said = ports.said(folder);
    const options = {
      nowMs: ports.clock.now(),
      ...(this.#task.retry.classes ? { own: this.#task.retry.classes } : {}),
    };
    const verdict = classify(failed.failure, said, options);
    const soFar = { failures: this.#state?.failures ?? {}, waits: this.#state?.waits ?? 0 };
    const step = nextStep(this.#task.retry, soFar, verdict, { nowMs: options.nowMs, random: ports.random });
    const seenIn = { folder, lines: [...said.stdout, ...said.stderr], history: this.#state };
    const trouble = troubleOf(this.#task, failed, { ...verdict, ...seenIn }, ports);
    ports.logError({
      ...trouble,
      task: this.#task.id,
      next: nextWords(step, verdict, this.#whoIsNext, this.#task.retry),
      dir: folder.dir,
    });
    const seen = { ...failed, errorClass: verdict.errorClass, ...signatureOf(verdict), counted: step.kind !== 'wait' };
    if (stop.signal && step.kind !== 'wait') {
      record([{ ...seen, retrying: false }]);
      return { how: 'failed' };
    }
    if (step.kind === 'spent') return this.#escalate(seen, trouble);
    record([{ ...seen, retrying: true }]);
    return step.kind === 'again'
      ? this.#mendAndPause(step.afterMs, trouble)
      : this.#pause(step.untilMs - options.nowMs, trouble);
  }

  async #endedBy(failed: Failed): Promise<TaskEnd | undefined> {
    const end = finalEnd(failed, this.#tools);
    // Nobody was there to be asked: its worktree goes, if there is nothing in it.
    if (end?.how === 'skipped' && this.#task.isolation) await this.#tools.close?.(this.#task);
    if (end) this.#tools.record(end.events);
    return end && { how: end.how };
  }

  get #whoIsNext(): string {
    return whoIsNextWords(this.#tools.escalate[this.#state?.escalations ?? 0]);
  }

  async #mendAndPause(afterMs: number, trouble: Trouble): Promise<TaskEnd | undefined> {
    const { fix } = this.#task.retry;
    if (fix === undefined) return this.#pause(afterMs, trouble);
    if (!this.#tools.stands(this.#task)) return this.#lookAgain;
    const mended = await this.#tools.mender.mend({ ...trouble, history: this.#state }, fix);
    const again = await fixAmends(trouble, fix, this.#tools);
    const next = mended.kind === 'escalate' ? this.#whoIsNext : 'another try';
    logMended(mended, { trouble, next }, this.#tools);
    if (!('summary' in mended)) return brokenOff(mended, trouble, this.#tools);
    // It fixes, it does not redesign: who says that the design is wrong ends the loop.
    if (mended.kind === 'escalate')
      return this.#escalate(failedAgain(trouble, this.#state), {
        ...trouble,
        what: `${fixName(fix)} says: ${mended.summary}`,
      });
    return this.#pause(afterMs, trouble, again);
  }

  /** `again`: what has to be done again before that, because of what was mended. The pause is kept then, too. */
  async #pause(
    afterMs: number,
    { attempt, errorClass }: Trouble,
    again?: readonly string[],
  ): Promise<TaskEnd | undefined> {
    const { record } = this.#tools;
    record([{ type: 'retry-scheduled', task: this.#task.id, attempt: attempt + 1, afterMs, errorClass }]);
    if (again) return { how: 'again', tasks: again };
    return (await this.#rest(afterMs)) ? undefined : cancelled;
  }

  /** The tries are spent: the next one in the list is asked, until one of them has mended the cause or none is left. */
  async #escalate(failed: Seen, trouble: Trouble): Promise<TaskEnd | undefined> {
    const { record, escalate, mender } = this.#tools;
    const index = this.#state?.escalations ?? 0;
    const to = escalate[index];
    const isPerson = to === 'human';
    const isLast = to === undefined || to === 'fail' || isPerson;
    // A failure that was counted needs no second record, unless it turns out to be the last word.
    if (failed.counted || isLast) record([{ ...failed, retrying: !isLast }]);
    const turn =
      isLast || to === 'instructions' ? undefined : await this.#tools.plannerTurn(this.#task, failed.attempt, to);
    if (to !== undefined && to !== 'fail') record([{ ...escalatedEvent(failed, trouble, to), ...turn?.planning }]);
    if (to === 'instructions') return this.#takeWords(trouble, trouble.what);
    if (isLast) return { how: isPerson ? 'waiting' : isViolation(failed.failure) ? 'violated' : 'failed' };
    const about = { ...trouble, history: this.#state };
    const mended = turn ? await turn.ask(about, to) : await mender.mend(about, to, true);
    if (mended.kind === 'replanned') return { how: 'again', tasks: mended.tasks };
    const again = turn ? undefined : await fixAmends(trouble, to, this.#tools);
    const next = mended.kind === 'done' ? 'another try' : this.#whoIsNext;
    logMended(mended, { trouble, next }, this.#tools);
    if (!('summary' in mended)) return brokenOff(mended, trouble, this.#tools);
    return mended.kind === 'done'
      ? this.#pause(0, trouble, again)
      : this.#escalate(failedAgain(trouble, this.#state), trouble);
  }

  /** New words of a person begin the tries anew. Without an answer the run ends, and waits for one. */
  async #takeWords(trouble: Trouble, because?: string): Promise<TaskEnd | undefined> {
    const end = await this.#tools.askWords(this.#task, because);
    if (end === 'given' || end === 'again') return this.#pause(0, trouble);
    if (end === 'later') this.#tools.record([{ ...failedAgain(trouble, this.#state), retrying: false }]);
    return { how: end === 'later' ? 'waiting' : end };
  }

  /**
   * Goes on where an earlier process was interrupted after a failure: what was to be mended is mended, and a pause is
   * waited for to its end. A clock that was set back makes it no longer. Undefined: now comes the next attempt.
   */
  async #goOn(): Promise<TaskEnd | undefined> {
    const state = this.#state;
    const words = wordsOwed(state, this.#tools.escalate);
    if (words) return this.#takeWords(earlierTrouble(this.#task, state!, this.#tools.ports), words.because);
    if (state?.status !== 'retrying') return undefined;
    if (state.dueAt === undefined) return this.#mendAfterAll(state);
    const leftMs = Math.min(state.dueAt - this.#tools.ports.clock.now(), state.pauseMs ?? 0);
    return leftMs <= 0 || (await this.#rest(leftMs)) ? undefined : cancelled;
  }

  /** Whoever was asked when the tries were spent has been asked and paid; they are not asked twice. */
  async #mendAfterAll(state: TaskState): Promise<TaskEnd | undefined> {
    if (this.#task.retry.fix === undefined || state.escalatedFor !== undefined || !state.failure) return undefined;
    return this.#mendAndPause(0, earlierTrouble(this.#task, state, this.#tools.ports));
  }

  /** True after the time has passed, false when the run is stopped meanwhile. */
  #rest(ms: number): Promise<boolean> {
    const { stop, ports, rest } = this.#tools;
    return ms <= 0 ? stop.pause(ms, ports.clock) : rest(stop.pause(ms, ports.clock));
  }
}

/** Told to stop in a pause: the journal knows what was waited for. */
const cancelled: TaskEnd = { how: 'cancelled' };

const signatureOf = ({ signature }: ErrorVerdict): { signature?: string } =>
  signature === undefined ? {} : { signature };
