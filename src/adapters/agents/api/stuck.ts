import { canonicalJson } from '../../../model/json.js';
import type { ToolCall } from './history.js';

/** Notices an agent that turns in circles: the same call three times in a row, or two calls by turns, twice. */
export class Stuck {
  #last: string[] = [];
  #warned = false;

  /** Told before a call is done. The second circle ends it, wherever it begins: one warning has been enough. */
  note({ tool, args }: ToolCall): 'fine' | 'warn' | 'looping' {
    this.#last = [...this.#last.slice(-3), `${tool} ${canonicalJson(args)}`];
    const [a, b, c, d] = [undefined, undefined, undefined, ...this.#last].slice(-4);
    const same = b !== undefined && b === c && c === d;
    const byTurns = a !== undefined && a === c && b === d && a !== b;
    if (!same && !byTurns) return 'fine';
    if (this.#warned) return 'looping';
    this.#warned = true;
    return 'warn';
  }
}
