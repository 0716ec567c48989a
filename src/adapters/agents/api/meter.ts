import type { Tokens } from '../../../model/agents/agent.js';
import type { Price } from '../../../model/generated/config.js';
import { isCount, isJsonObject } from '../../../model/json.js';
import { toNano } from '../../../model/money/money.js';
import { CallEnd } from './call-end.js';

/** What one call has used, its helpers included. Once something is not known, the sum is not known either. */
export class Meter {
  readonly #price: Price | undefined;
  readonly #capUsd: number | undefined;
  #tokens: Tokens | undefined = { input: 0, output: 0 };
  #lastTotal = 0;
  #longestOutput = firstOutput;

  constructor(price: Price | undefined, capUsd: number | undefined) {
    this.#price = price;
    this.#capUsd = capUsd;
  }

  /** `usage` as the endpoint sent it, or nothing. */
  add(usage: unknown): void {
    const used = tokensOf(usage);
    if (!used || !this.#tokens) {
      this.#tokens = undefined;
      return;
    }
    this.#tokens = { input: this.#tokens.input + used.input, output: this.#tokens.output + used.output };
    this.#lastTotal = used.input + used.output;
    this.#longestOutput = Math.max(this.#longestOutput, used.output);
  }

  /** A request that may have cost something was lost on the way. */
  lost(): void {
    this.#tokens = undefined;
  }

  facts(): { tokens?: Tokens; usd?: number; isPriced?: true } {
    if (!this.#tokens) return {};
    return { tokens: this.#tokens, ...(this.#price ? { usd: usdOf(this.#tokens, this.#price), isPriced: true } : {}) };
  }

  /** Throws when a step that sends so many characters might cross the cap. Without a price nobody can say. */
  admit(characters: number): void {
    if (this.#capUsd === undefined || !this.#price) return;
    if (!this.#tokens)
      throw new CallEnd('over-cap', `nobody knows what it has used so far, so $${this.#capUsd} could be crossed`);
    // A conversation grows: what was sent and said last is sent again.
    const input = Math.max(Math.ceil(characters / charactersPerToken), this.#lastTotal);
    const next = { input, output: this.#longestOutput };
    const [spent, wanted] = [usdOf(this.#tokens, this.#price), usdOf(next, this.#price)];
    if (toNano(spent) + toNano(wanted) <= toNano(this.#capUsd)) return;
    throw new CallEnd(
      'over-cap',
      `it has used $${spent.toFixed(4)}, and the next step might cost $${wanted.toFixed(4)} more: that would cross $${this.#capUsd}`,
    );
  }
}

/** Fewer than English has, so that the guess is rather too high. */
const charactersPerToken = 3;
/** A guess at the first reply, before one was seen. */
const firstOutput = 500;

const usdOf = ({ input, output }: Tokens, price: Price): number => (input * price.input + output * price.output) / 1e6;

function tokensOf(usage: unknown): Tokens | undefined {
  if (!isJsonObject(usage)) return undefined;
  const { prompt_tokens: input, completion_tokens: output } = usage;
  return isCount(input) && isCount(output) ? { input, output } : undefined;
}
