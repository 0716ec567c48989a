import { join } from 'node:path';
import type { AgentRequest } from '../../../model/agents/agent.js';
import { pricedUsd } from '../../../run/agents/settled-cost.js';
import type { LineNews, ReaderAround } from '../cli/cli-dialect.js';
import { knownOf, overCap } from '../over-cap.js';
import { CodexRollout, difference } from './codex-rollout.js';

/** What one call of codex has cost so far, where the config says what tokens cost and how much it may be. */
export class CodexSpending {
  readonly #request: AgentRequest;
  readonly #around: ReaderAround;
  #rollout: CodexRollout | undefined;
  #usd = 0;

  constructor(request: AgentRequest, around: ReaderAround) {
    this.#request = request;
    this.#around = around;
  }

  overCap(thread: string): LineNews['overrun'] {
    const { env, price } = this.#around;
    const home = env.CODEX_HOME ?? (env.HOME === undefined ? undefined : join(env.HOME, '.codex'));
    if (this.#request.agent.limits?.usd === undefined || !price || home === undefined) return undefined;
    this.#rollout ??= new CodexRollout(home, thread);
    const { session } = this.#request;
    const before = (session?.id === thread ? session.tokens : undefined) ?? { input: 0, output: 0 };
    const sum = this.#rollout.usage(Date.now());
    const used = sum && difference(sum, before);
    if (used) this.#usd = pricedUsd(used, price);
    return overCap(this.#request, this.#usd);
  }

  known(): ReturnType<typeof knownOf> {
    return knownOf(this.#request, this.#usd);
  }
}
