import type { GateQuestion } from '../../model/gates/gate.js';
import { answerProblem, type PersonAnswer } from '../../model/gates/gate-answer.js';
import type { TaskId } from '../../model/plan.js';
import type { Clock } from '../../model/ports.js';
import type { StopSwitch } from '../stop-switch.js';
import type { GatePorts } from './gate-ports.js';

/** `left`: the file that the answer lies in; it is taken away once the answer is in the journal. */
export type PersonEnd = (PersonAnswer & { readonly left?: string }) | 'later' | 'expired' | 'withdrawn' | 'cancelled';

export interface PeopleTools {
  readonly run: string;
  readonly clock: Clock;
  /** By the clock, but never before what is in the journal. */
  now(): number;
  readonly stop: StopSwitch;
  readonly gates: GatePorts;
  /** Told when the last question at the terminal is over. */
  onQuiet(): void;
}

/** How often the run's folder is looked at for answers, while somebody waits for one. */
const lookEveryMs = 400;

/**
 * Questions that wait for a person. An answer comes from the terminal, one question at a time, or from another shell by
 * a file. Without a terminal nobody waits longer than there is other work to do.
 */
export class People {
  readonly #tools: PeopleTools;
  readonly #open = new Map<TaskId, Waiting>();
  #atTerminal: Promise<void> = Promise.resolve();
  #cancelLook: () => void = () => {};

  constructor(tools: PeopleTools) {
    this.#tools = tools;
    tools.stop.onStop(() => this.#endAll('cancelled'));
  }

  /** How many wait for an answer that only another shell can give. */
  get waiting(): number {
    return [...this.#open.values()].filter(({ isAtTerminal }) => !isAtTerminal).length;
  }

  ask(question: GateQuestion): Promise<PersonEnd> {
    const { stop, clock, gates, now } = this.#tools;
    if (stop.signal) return Promise.resolve('cancelled');
    const leftMs = question.expiresAt === undefined ? undefined : question.expiresAt - now();
    if (leftMs !== undefined && leftMs <= 0) return Promise.resolve('expired');
    const answered = this.#answerFor(question);
    if (answered) return Promise.resolve(answered);
    return new Promise((resolve) => {
      const dismissed = new AbortController();
      const endTimer = leftMs === undefined ? () => {} : clock.after(leftMs, () => this.#end(question.task, 'expired'));
      const isAtTerminal = gates.askPerson !== undefined;
      this.#open.set(question.task, { question, isAtTerminal, resolve, dismissed, endTimer });
      if (isAtTerminal) this.#atTerminal = this.#atTerminal.then(() => this.#askAtTerminal(question));
      this.#lookLater();
    });
  }

  /** There is nothing else to do: whoever has not been answered is answered later. */
  giveUp(): void {
    this.#look();
    for (const [task, { isAtTerminal }] of this.#open) if (!isAtTerminal) this.#end(task, 'later');
  }

  /** What these were asked about is being done again. */
  withdraw(tasks: readonly TaskId[]): void {
    for (const task of tasks) this.#end(task, 'withdrawn');
  }

  async #askAtTerminal(question: GateQuestion): Promise<void> {
    const waiting = this.#open.get(question.task);
    if (waiting?.question !== question) return;
    // Whatever goes wrong at a terminal, it is no answer.
    const said = await this.#tools.gates.askPerson!(question, waiting.dismissed.signal).catch(() => 'later' as const);
    if (this.#open.get(question.task)?.question !== question) return;
    if (said !== 'later' && answerProblem(question, said, this.#tools.now()) === undefined) {
      this.#end(question.task, said);
      return;
    }
    waiting.isAtTerminal = false;
    this.#tools.onQuiet();
  }

  #lookLater(): void {
    this.#cancelLook();
    if (this.#open.size > 0) this.#cancelLook = this.#tools.clock.after(lookEveryMs, () => this.#look());
  }

  #look(): void {
    for (const [task, { question }] of this.#open) {
      const answered = this.#answerFor(question);
      if (answered) this.#end(task, answered);
    }
    this.#lookLater();
  }

  /** An answer counts for the one question that it names, of this run, about what was shown. */
  #answerFor(question: GateQuestion): Exclude<PersonEnd, string> | undefined {
    const { gates, run, now } = this.#tools;
    for (const answer of gates.answers()) {
      if (answer.run !== run || answer.task !== question.task || answer.question !== question.question) continue;
      const { id, shown, verdict, by, text } = answer;
      if (shown === question.shown && answerProblem(question, answer, now()) === undefined)
        return { verdict, by, left: id, ...(text === undefined ? {} : { text }) };
      gates.dropAnswer(id);
    }
    return undefined;
  }

  #endAll(end: PersonEnd): void {
    for (const task of [...this.#open.keys()]) this.#end(task, end);
  }

  #end(task: TaskId, end: PersonEnd): void {
    const waiting = this.#open.get(task);
    if (!waiting) return;
    this.#open.delete(task);
    waiting.endTimer();
    // Whoever asks at the terminal says why it is over.
    waiting.dismissed.abort(typeof end === 'string' ? end : 'answered');
    this.#lookLater();
    waiting.resolve(end);
  }
}

interface Waiting {
  readonly question: GateQuestion;
  isAtTerminal: boolean;
  readonly dismissed: AbortController;
  endTimer(): void;
  resolve(end: PersonEnd): void;
}
