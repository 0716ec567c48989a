import type { AnswerFacts, Tokens } from '../../../model/agents/agent.js';
import { isJsonObject, type Json, type JsonObject } from '../../../model/json.js';
import { reportedUsd } from '../../../model/money/money.js';

/**
 * What a call cost, from its result lines: usually one. Newer versions count the whole session in `total_cost_usd` and
 * `modelUsage`, calls before this one included, and say in a field of its own what came since the last line.
 */
export function claudeCost(
  results: readonly JsonObject[],
  resumed: boolean,
): Pick<AnswerFacts, 'usd' | 'tokens' | 'turns'> {
  const last = results.at(-1);
  if (!last) return {};
  const since = results.map((result) => perModel(result.model_usage_since_last_result));
  const own = since.every((models) => models !== undefined) ? since.flat() : undefined;
  const usd = resumed && own ? moneyOf(own) : reportedUsd(last.total_cost_usd);
  const tokens = tokensOf(own ?? perModel(last.modelUsage) ?? []) ?? usageOf(results);
  const turns = sum(results.map(({ num_turns }) => num_turns));
  return {
    ...(usd === undefined ? {} : { usd }),
    ...(tokens ? { tokens } : {}),
    ...(turns === undefined ? {} : { turns }),
  };
}

function perModel(value: Json | undefined): readonly Json[] | undefined {
  return isJsonObject(value) ? Object.values(value) : undefined;
}

const moneyOf = (models: readonly Json[]): number | undefined =>
  reportedUsd(sum(models.map((model) => (isJsonObject(model) ? model.costUSD : undefined))));

/** With those of the helpers, and with what came from the cache. */
function tokensOf(models: readonly Json[]): Tokens | undefined {
  if (models.length === 0) return undefined;
  const each = models.map((model) => (isJsonObject(model) ? model : {}));
  const input = sum(each.flatMap((m) => [m.inputTokens, m.cacheReadInputTokens ?? 0, m.cacheCreationInputTokens ?? 0]));
  const output = sum(each.map(({ outputTokens }) => outputTokens));
  return input === undefined || output === undefined ? undefined : { input, output };
}

function usageOf(results: readonly JsonObject[]): Tokens | undefined {
  const each = results.map(({ usage }) => (isJsonObject(usage) ? usage : {}));
  const input = sum(
    each.flatMap((u) => [u.input_tokens, u.cache_read_input_tokens ?? 0, u.cache_creation_input_tokens ?? 0]),
  );
  const output = sum(each.map(({ output_tokens }) => output_tokens));
  return input === undefined || output === undefined ? undefined : { input, output };
}

/** Undefined when one of them is no number: a sum with a hole in it is not known. */
function sum(values: readonly (Json | undefined)[]): number | undefined {
  let total = 0;
  for (const value of values) {
    if (typeof value !== 'number' || !Number.isFinite(value) || value < 0) return undefined;
    total += value;
  }
  return total;
}
