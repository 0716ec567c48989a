import type { AgentRequest } from '../../model/agents/agent.js';
import type { LineNews } from './cli/cli-dialect.js';

/** What follows from a sum that was worked out from tokens, while a call goes on and when it is over. */
export function overCap({ agent }: AgentRequest, usd: number): LineNews['overrun'] {
  const cap = agent.limits?.usd;
  return cap !== undefined && usd > cap ? { why: 'over-cap', detail: `it has cost more than ${cap} USD` } : undefined;
}

/** Of a call that did not come to its own end, only what is more than expected is known for sure. */
export const knownOf = (request: AgentRequest, usd: number): { readonly usd?: number; readonly isPriced?: true } =>
  overCap(request, usd) ? { usd, isPriced: true } : {};
