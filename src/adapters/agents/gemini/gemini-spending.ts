import type { AgentRequest } from '../../../model/agents/agent.js';
import { pricedUsd } from '../../../run/agents/settled-cost.js';
import type { LineNews, ReaderAround } from '../cli/cli-dialect.js';
import { knownOf, overCap } from '../over-cap.js';
import { GeminiChat } from './gemini-chat.js';

/** What one call of gemini has cost so far, where the config says what tokens cost and how much it may be. */
export class GeminiSpending {
  readonly #request: AgentRequest;
  readonly #around: ReaderAround;
  #chat: GeminiChat | undefined;
  #usd = 0;

  /** Made before the program starts. */
  constructor(request: AgentRequest, around: ReaderAround) {
    this.#request = request;
    this.#around = around;
    if (request.session) {
      this.#chat = this.#chatOf(request.session.id);
      this.#chat?.passOver();
    }
  }

  overCap(session: string): LineNews['overrun'] {
    this.#chat ??= this.#chatOf(session);
    const used = this.#chat?.usage(Date.now());
    if (used) this.#usd = pricedUsd(used, this.#around.price!);
    return overCap(this.#request, this.#usd);
  }

  known(): ReturnType<typeof knownOf> {
    return knownOf(this.#request, this.#usd);
  }

  /** Nobody has to look where nothing could follow from it. */
  #chatOf(session: string): GeminiChat | undefined {
    const { env, price } = this.#around;
    const home = env.GEMINI_CLI_HOME ?? env.HOME;
    if (this.#request.agent.limits?.usd === undefined || !price || home === undefined) return undefined;
    return new GeminiChat(home, session);
  }
}
