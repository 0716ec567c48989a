import type { Price } from '../../model/generated/config.js';
import { isAmount, toUsd } from '../../model/money/money.js';
import type { KnownCost, SettledCost } from '../../model/money/spend.js';

/**
 * What a call is booked as when it has ended: what the agent reported, else its tokens at their price, else all that it
 * might have cost. A report above the cap is the truth, and counts.
 */
export function settledCost(
  known: KnownCost,
  capUsd: number | undefined,
  price: Price | undefined,
): SettledCost & { readonly tokensUnknown?: true } {
  const tokens = countedTokens(known);
  const rest = {
    tokens: tokens === undefined ? 0 : tokens.input + tokens.output,
    wallMs: isAmount(known.wallMs) ? known.wallMs : 0,
    gpuHours: isAmount(known.gpuHours) ? known.gpuHours : 0,
    ...(tokens === undefined ? { tokensUnknown: true as const } : {}),
  };
  if (isAmount(known.usd)) return { usd: known.usd, source: known.isPriced ? 'priced' : 'reported', ...rest };
  if (tokens && price) return { usd: pricedUsd(tokens, price), source: 'priced', ...rest };
  return { ...(capUsd === undefined ? {} : { usd: capUsd }), source: 'cap', ...rest };
}

/** Half a count is no count: without one of the two the price is not known. */
function countedTokens({ tokens }: KnownCost): KnownCost['tokens'] {
  return tokens && isAmount(tokens.input) && isAmount(tokens.output) ? tokens : undefined;
}

/** Prices are for a million tokens; a thousandth of that is billionths of a dollar for one. */
export const pricedUsd = (tokens: { readonly input: number; readonly output: number }, price: Price): number =>
  toUsd(Math.ceil(Math.round((tokens.input * price.input + tokens.output * price.output) * 1e6) / 1e3));
