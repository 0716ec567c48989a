import type { AgentRequest } from '../../../model/agents/agent.js';
import type { Price } from '../../../model/generated/config.js';
import { isJsonObject, type Json, jsonObjectIn } from '../../../model/json.js';
import type { Clock } from '../../../model/ports.js';
import { pricedUsd } from '../../../run/agents/settled-cost.js';
import { LineTail } from '../cli/line-tail.js';
import { costIn } from './reply-cost.js';

/**
 * What a program says it has cost so far: lines of its standard output that are `{"spent": {"usd": 0.12}}` or `{"spent": {"tokens": …}}`,
 * each the sum over the call. The largest counts, because nothing that was spent comes back.
 */
export class CommandSpending {
  readonly #tail: LineTail;
  readonly #cap: number;
  readonly #price: Price | undefined;
  #usd = 0;
  #isPriced = false;
  #wrong: string | undefined;
  #tokens: Cost['tokens'];

  /** What is in the log already belongs to somebody else. */
  constructor(stdoutFile: string, { agent }: AgentRequest, prices: { readonly [model: string]: Price } = {}) {
    this.#tail = new LineTail(stdoutFile);
    this.#cap = agent.limits?.usd ?? Number.POSITIVE_INFINITY;
    this.#price = agent.model === undefined ? undefined : prices[agent.model];
  }

  get isOver(): boolean {
    return this.#usd > this.#cap;
  }

  /** A sum that cannot be read may be over the cap as well: who has one is not believed to be below it. */
  get unreadable(): { readonly why: 'refused'; readonly detail: string } | undefined {
    if (this.#wrong === undefined) return undefined;
    const detail = `it printed ${this.#wrong}, which says no sum: {"spent": {"usd": 0.04}} would`;
    return { why: 'refused', detail };
  }

  /** What a reply says it has cost, and at least what was told while it ran: nothing that was spent comes back. */
  atLeast({ usd, tokens }: Cost): Cost {
    const told = this.#usd > 0 && !this.#isPriced ? this.#usd : undefined;
    const money = usd === undefined ? told : Math.max(usd, told ?? 0);
    const used = all(tokens) < all(this.#tokens) ? this.#tokens : tokens;
    return { ...(money === undefined ? {} : { usd: money }), ...(used === undefined ? {} : { tokens: used }) };
  }

  /** What it has cost, where that is more than the cap: then the program was ended because of it. */
  get over():
    | { readonly why: 'over-cap'; readonly detail: string; readonly usd: number; readonly isPriced?: true }
    | undefined {
    const detail = `it has cost more than ${this.#cap} USD`;
    const priced = this.#isPriced ? { isPriced: true as const } : {};
    return this.isOver ? { why: 'over-cap', detail, usd: this.#usd, ...priced } : undefined;
  }

  /** Looks again and again; calls back once when the program has to be ended. Returns how to stop. */
  follow(clock: Clock, onOver: () => void): () => void {
    if (this.#cap === Number.POSITIVE_INFINITY) return () => {};
    const look = (): void => {
      this.look();
      if (this.isOver || this.#wrong !== undefined) onOver();
      else cancel = clock.after(everyMs, look);
    };
    let cancel = clock.after(everyMs, look);
    return () => cancel();
  }

  look(): void {
    this.#tail.look((line) => this.#line(line));
  }

  /** When nothing more comes: a last line counts also where nobody ended it. */
  lastLook(): void {
    this.look();
    this.#tail.rest((line) => this.#line(line));
  }

  #line(line: string): void {
    if (line.length > mostLetters || !line.includes('"spent"')) return;
    const spent = spentIn(line);
    if (spent === undefined) return;
    const { usd, tokens } = costIn(isJsonObject(spent) ? spent : {});
    if (usd === undefined && tokens === undefined) this.#wrong ??= line;
    if (all(tokens) > all(this.#tokens)) this.#tokens = tokens;
    const sum = usd ?? (tokens && this.#price ? pricedUsd(tokens, this.#price) : 0);
    if (sum <= this.#usd) return;
    this.#usd = sum;
    this.#isPriced = usd === undefined;
  }
}

/** Undefined: it is another line. */
function spentIn(line: string): Json | undefined {
  const value = jsonObjectIn(line);
  return value && !('outcome' in value) ? value.spent : undefined;
}

type Cost = ReturnType<typeof costIn>;

const all = (tokens: Cost['tokens']): number => (tokens ? tokens.input + tokens.output : -1);

const everyMs = 200;

/** A sum needs no more; what is longer is something else. */
const mostLetters = 1000;
