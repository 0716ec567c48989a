import type { SentBack, WordsState } from '../model/gates/gate.js';
import { feedbackText, sentBackWords } from '../model/gates/gate-words.js';
import type { Task } from '../model/plan.js';
import type { GateKeeper, GateTools } from './gates/gate-keeper.js';
import type { GateEnd, GatePorts } from './gates/gate-ports.js';
import type { WordsDesk, WordsEnd } from './gates/words-desk.js';

type DoorTools = Omit<GateTools, 'gates'> & { gates(): Promise<GatePorts> };

/** The way from the loop to the gates, which are loaded when the first task comes to one: most studies have none. */
export class GateDoor {
  readonly #tools: DoorTools;
  #loading: Promise<Desks> | undefined;
  #keeper: GateKeeper | undefined;

  constructor(tools: DoorTools) {
    this.#tools = tools;
  }

  /** How many tasks wait for a person of whom nobody knows when they answer. */
  get waiting(): number {
    return this.#keeper?.people.waiting ?? 0;
  }

  giveUp(): void {
    this.#keeper?.people.giveUp();
  }

  async pass(task: Task): Promise<GateEnd> {
    return (await this.#opened()).keeper.pass(task);
  }

  /** Asks a person for new words, or goes on waiting for them. `because` opens the question. */
  async askWords(task: Task, because?: string): Promise<WordsEnd> {
    const { words } = await this.#opened();
    if (because !== undefined) words.open(task, because);
    return words.answer(task);
  }

  #opened(): Promise<Desks> {
    this.#loading ??= this.#load();
    return this.#loading;
  }

  async #load(): Promise<Desks> {
    const [{ GateKeeper }, { WordsDesk }, gates] = await Promise.all([
      import('./gates/gate-keeper.js'),
      import('./gates/words-desk.js'),
      this.#tools.gates(),
    ]);
    const keeper = new GateKeeper({ ...this.#tools, gates });
    this.#keeper = keeper;
    // The same people are asked: one question at a time at the terminal.
    return { keeper, words: new WordsDesk({ ...this.#tools, gates, people: keeper.people }) };
  }
}

interface Desks {
  readonly keeper: GateKeeper;
  readonly words: WordsDesk;
}

/** What whoever does a task again is told, if a gate has sent it back, or a person gave new words when the tries were spent. */
export function feedbackOf(
  back: SentBack | undefined,
  { said }: Pick<WordsState, 'said'> = { said: [] },
): { readonly feedback?: string } {
  const parts = [back && feedbackText(back), ...said].filter((part) => part !== undefined);
  return parts.length === 0 ? {} : { feedback: parts.join('\n\n') };
}

export const whyAgain = (back: SentBack | undefined): string | undefined => back && sentBackWords(back);
