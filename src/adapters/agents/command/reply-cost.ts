import type { AnswerFacts } from '../../../model/agents/agent.js';
import { isCount, isJsonObject, type JsonObject } from '../../../model/json.js';
import { reportedUsd } from '../../../model/money/money.js';

/** What a program that is no known CLI says of its own cost. What is no amount of money is not known, never zero. */
export const costIn = (reply: JsonObject | undefined): Pick<AnswerFacts, 'usd' | 'tokens'> => ({
  ...usdOf(reply),
  ...tokensOf(reply),
});

const usdOf = (reply: JsonObject | undefined): { usd?: number } => {
  const usd = reportedUsd(reply?.usd);
  return usd === undefined ? {} : { usd };
};

/** Both numbers, or one for both together. */
function tokensOf(reply: JsonObject | undefined): { tokens?: { input: number; output: number } } {
  const tokens = reply?.tokens;
  if (isCount(tokens)) return { tokens: { input: 0, output: tokens } };
  if (!isJsonObject(tokens) || !isCount(tokens.input) || !isCount(tokens.output)) return {};
  return { tokens: { input: tokens.input, output: tokens.output } };
}
