import type { Tokens } from '../../../model/agents/agent.js';
import { isJsonObject, type JsonObject } from '../../../model/json.js';

/** Adds up what the steps of one call took. */
export class OpencodeUsage {
  #input = 0;
  #output = 0;
  #counted = false;
  #spent = 0;
  #priced = true;

  add({ tokens, cost }: JsonObject): void {
    if (isCost(cost)) this.#spent += cost;
    // A step of a model without prices costs 0 as it seems. Then the price of the whole is not known.
    if (!isCost(cost) || cost === 0) this.#priced = false;
    if (!isJsonObject(tokens)) return;
    const cache = isJsonObject(tokens.cache) ? tokens.cache : {};
    const input = count(tokens.input) + count(cache.read) + count(cache.write);
    const output = count(tokens.output) + count(tokens.reasoning);
    if (input + output === 0) return;
    this.#counted = true;
    this.#input += input;
    this.#output += output;
  }

  forgetMoney(): void {
    this.#priced = false;
  }

  /** What is known to have been spent; it may have been more. */
  get spent(): number {
    return this.#spent;
  }

  get usd(): number | undefined {
    return this.#priced && this.#spent > 0 ? this.#spent : undefined;
  }

  get tokens(): Tokens | undefined {
    return this.#counted ? { input: this.#input, output: this.#output } : undefined;
  }
}

const isCost = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value) && value >= 0;

const count = (value: unknown): number =>
  Number.isSafeInteger(value) && (value as number) > 0 ? (value as number) : 0;
