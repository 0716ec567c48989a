import { formatDuration } from '../../model/duration.js';
import type { CeilingName, SpentCeiling } from '../../model/money/spend.js';
import type { SpentOn } from '../../model/state/run-state.js';
import { plural } from '../words/phrase.js';

/** `budget.usdPerRun is 5 USD, 4.20 USD are spent, and the next call may cost 2 USD`. */
export function ceilingText({ ceiling, limit, spent, wanted, unpricedCalls = 0 }: SpentCeiling): string {
  const amount = amountOf(ceiling);
  if (unpricedCalls > 0) {
    const isTokens = ceiling.includes('tokens');
    const unknown = `${plural(unpricedCalls, 'call')} of which nobody knows the ${isTokens ? 'tokens' : 'cost'}`;
    const bound = isTokens ? '"tokens" in the reply would tell' : 'limits.usd would bound it';
    return `${ceiling} is ${amount(limit)}, of which ${amount(spent)} is spent, and there ${unpricedCalls === 1 ? 'is' : 'are'} ${unknown} (${bound})`;
  }
  const next = wanted > 0 ? `, and what comes next may cost ${amount(wanted)}` : '';
  return `${ceiling} is ${amount(limit)}, of which ${amount(spent)} is spent${next}`;
}

/** What the money went to, the most first: `train  fixer coder  2 USD in 2 calls`. */
export function spentOnLines(spent: readonly SpentOn[]): string[] {
  const sorted = [...spent].sort((a, b) => b.usd - a.usd || b.calls - a.calls);
  const shown = sorted.slice(0, mostSpent).map(({ stage, role, agent, usd, calls }) => {
    return `    ${stage}  ${role} ${agent}  ${round(usd)} USD in ${plural(calls, 'call')}`;
  });
  const more = sorted.length - shown.length;
  return more > 0 ? [...shown, `    and ${more} more (autoresearch cost)`] : shown;
}

const mostSpent = 6;

export function amountOf(ceiling: CeilingName): (value: number) => string {
  if (ceiling.endsWith('.time')) return formatDuration;
  if (ceiling === 'budget.gpuHours') return (value) => `${round(value)} GPU-hours`;
  if (ceiling.includes('calls')) return (value) => `${value} ${value === 1 ? 'call' : 'calls'}`;
  if (ceiling.includes('tokens')) return (value) => `${value} tokens`;
  return (value) => `${round(value)} USD`;
}

const round = (value: number): string => String(Math.round(value * 10_000) / 10_000);
