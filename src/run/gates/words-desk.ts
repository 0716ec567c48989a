import type { RecordedEvent } from '../../model/events/event.js';
import { type GateQuestion, wantedWords } from '../../model/gates/gate.js';
import type { Plan, Task } from '../../model/plan.js';
import type { RunState } from '../../model/state/run-state.js';
import type { AttemptPorts } from '../attempt/attempt-ports.js';
import type { GatePorts } from './gate-ports.js';
import type { People } from './people.js';
import { coverOf } from './shown.js';

export interface WordsTools {
  readonly people: People;
  readonly gates: GatePorts;
  readonly ports: AttemptPorts;
  plan(): Plan;
  state(): RunState;
  record(events: readonly RecordedEvent[]): void;
  rest<T>(wait: Promise<T>): Promise<T>;
}

/** `again`: the task is not the one any more that a person was asked about, and is tried as it is now. */
export type WordsEnd = 'given' | 'again' | 'later' | 'withdrawn' | 'cancelled';

/** Asks a person for new words when the tries of a task are spent. They decide nothing: whatever they say, it is tried again. */
export class WordsDesk {
  readonly #tools: WordsTools;

  constructor(tools: WordsTools) {
    this.#tools = tools;
  }

  /** The question stands in the journal before anybody waits for its answer. */
  open({ id }: Task, because: string): void {
    const { gates, record, state, plan } = this.#tools;
    const covers = coverOf(plan(), id);
    const about = { evidence: [], patterns: [], product: '', gate: 'instructions', covers, shown: covers };
    const attempt = Math.max(1, state().tasks.get(id)!.attempts);
    const asked = { task: id, attempt, kind: 'instructions', question: gates.newQuestion(), because } as const;
    record([{ type: 'gate-opened', ...asked, ...about, planDigest: plan().digest }]);
  }

  async answer(task: Task): Promise<WordsEnd> {
    const { people, rest, state, plan } = this.#tools;
    const question = wantedWords(state().tasks.get(task.id)?.words);
    if (!question) return 'given';
    if (question.shown !== coverOf(plan(), task.id)) return 'again';
    const said = await rest(people.ask(question));
    if (said === 'expired') return 'later';
    if (typeof said === 'string') return said;
    this.#take(question, said.by, said);
    return 'given';
  }

  #take(
    { task, attempt, question, shown, gate, covers }: GateQuestion,
    name: string,
    { text = '', left }: { readonly text?: string; readonly left?: string },
  ): void {
    const { record, gates, plan } = this.#tools;
    const decided = {
      task,
      attempt,
      question,
      verdict: 'revise',
      by: { kind: 'person', name },
      reasons: [text],
    } as const;
    const answer = left === undefined ? {} : { answer: left };
    record([{ type: 'gate-decided', ...decided, ...answer, shown, gate, covers, planDigest: plan().digest }]);
    // Only now: killed in between, the next one finds it again.
    if (left !== undefined) gates.dropAnswer(left);
  }
}
