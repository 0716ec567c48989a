import type { AgentAnswer, AgentRequest } from '../../../model/agents/agent.js';
import type { Clock } from '../../../model/ports.js';
import { redact } from '../../../model/secrets/redact.js';
import { printable } from '../../command/printable.js';
import type { CliEnd, CliReader, LineNews } from './cli-dialect.js';
import { LineTail } from './line-tail.js';

export interface CliCallOptions {
  readonly reader: CliReader;
  readonly request: Pick<AgentRequest, 'said'>;
  /** The file that the program prints into; it exists. */
  readonly events: string;
}

/** What one call prints, read while it runs. */
export class CliCall {
  readonly #options: CliCallOptions;
  readonly #tail: LineTail;
  #overrun: LineNews['overrun'];
  #bug: unknown;
  #over = false;

  constructor(options: CliCallOptions) {
    this.#options = options;
    this.#tail = new LineTail(options.events);
  }

  /** The first limit that a line was found to cross. */
  get overrun(): LineNews['overrun'] {
    return this.#overrun;
  }

  /** Looks at the file again and again; calls back once when the program has to be ended. Returns how to stop. */
  follow(clock: Clock, onOverrun: () => void): () => void {
    let told = false;
    const look = (): void => {
      this.#look();
      if (!told && (this.#overrun || this.#bug !== undefined)) {
        told = true;
        onOverrun();
      }
      cancel = clock.after(everyMs, look);
    };
    let cancel = clock.after(everyMs, look);
    return () => cancel();
  }

  /** Everything that is left to read, and what it all comes to. */
  end(end: Omit<CliEnd, 'overrun'>): AgentAnswer {
    this.#look();
    this.#guarded(() => this.#tail.rest((line) => this.#line(line)));
    this.#over = true;
    // A reader that throws is a bug, and is told where the call was asked for rather than from a timer.
    if (this.#bug !== undefined) throw this.#bug;
    return this.#options.reader.end({ ...end, ...(this.#overrun ? { overrun: this.#overrun } : {}) });
  }

  #look(): void {
    this.#guarded(() => {
      this.#tail.look((line) => this.#line(line));
      this.#overrun ??= this.#options.reader.look?.().overrun;
    });
  }

  #line(line: string): void {
    const { said, overrun } = this.#options.reader.line(line);
    this.#overrun ??= overrun;
    const words = said === undefined ? '' : oneLine(said);
    if (words !== '') this.#options.request.said(words);
  }

  #guarded(read: () => void): void {
    // A program that is still dying when nobody waits for it any more says nothing of interest.
    if (this.#over || this.#bug !== undefined) return;
    try {
      read();
    } catch (error) {
      this.#bug = error;
    }
  }
}

const everyMs = 100;

const mostLetters = 300;

function oneLine(text: string): string {
  const line = printable(redact(text.slice(0, 4 * mostLetters)).replace(/\s+/g, ' ')).trim();
  return line.length > mostLetters ? `${line.slice(0, mostLetters - 1)}…` : line;
}
