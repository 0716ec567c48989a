import type { Agent, Config } from '../../model/generated/config.js';
import { agentsUsed } from '../task/agents-used.js';

/** A cap that does not end a call while it goes on, or does so only by what the program itself tells. */
export interface LooseCap {
  readonly agent: string;
  readonly backend: Agent['backend'];
  /** `no-price`: its tokens are known, and nobody says what they cost. `own-words`: a program of the user's. `never`: it tells nothing before its reply. */
  readonly why: 'no-price' | 'own-words' | 'never';
}

/** What is booked after the call is the truth in any case; these may have cost more than their cap by then. */
export function looseCaps(config: Config): readonly LooseCap[] {
  const { agents = {}, prices = {} } = config;
  return [...agentsUsed(config)].sort().flatMap((name): LooseCap[] => {
    const agent = agents[name];
    const why = agent?.limits?.usd === undefined ? undefined : whyLoose(agent, prices);
    return agent && why ? [{ agent: name, backend: agent.backend, why }] : [];
  });
}

function whyLoose(
  { backend, model, interactive }: Agent,
  prices: NonNullable<Config['prices']>,
): LooseCap['why'] | undefined {
  if (backend === 'command') return interactive ? 'never' : 'own-words';
  const byTokens = backend === 'codex' || backend === 'gemini' || backend === 'api';
  return byTokens && (model === undefined || !prices[model]) ? 'no-price' : undefined;
}
