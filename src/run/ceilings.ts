import type { Tally } from '../journal/ledger-book.js';
import { parseDuration } from '../model/duration.js';
import type { Budget, StageBudget } from '../model/generated/config.js';
import { toNano, toUsd } from '../model/money.js';
import type { CeilingName, SpentCeiling } from '../model/spend.js';

export interface Ceilings {
  readonly budget?: Budget | undefined;
  /** Of the stage that is to spend something. */
  readonly stageBudget?: StageBudget | undefined;
}

/** What is spent and booked so far. */
export interface Accounts {
  readonly run: Tally;
  /** The stage in this run. */
  readonly stage: Tally;
  /** This UTC day, over all runs and agent ids. */
  readonly day: Tally;
}

/** A ceiling and how far it is used up. */
export interface CeilingStanding {
  readonly ceiling: CeilingName;
  readonly unit: 'usd' | 'calls' | 'tokens';
  readonly limit: number;
  readonly spent: number;
  /** Calls of unknown cost: nobody can say what they leave of the ceiling. */
  readonly unpricedCalls: number;
}

/** Every ceiling that is set, the narrow ones first. */
export function ceilingStandings({ budget, stageBudget }: Ceilings, accounts: Accounts): CeilingStanding[] {
  const { run, stage, day } = accounts;
  const rows: readonly (readonly [CeilingName, CeilingStanding['unit'], number | undefined, Tally])[] = [
    ['stage budget.usd', 'usd', stageBudget?.usd, stage],
    ['stage budget.calls', 'calls', stageBudget?.calls, stage],
    ['stage budget.tokens', 'tokens', stageBudget?.tokens, stage],
    ['budget.usdPerRun', 'usd', budget?.usdPerRun, run],
    ['budget.usdPerDay', 'usd', budget?.usdPerDay, day],
    ['budget.callsPerRun', 'calls', budget?.callsPerRun, run],
    ['budget.tokensPerRun', 'tokens', budget?.tokensPerRun, run],
  ];
  return rows.flatMap(([ceiling, unit, limit, tally]) => {
    if (limit === undefined) return [];
    const spent = unit === 'usd' ? toUsd(tally.nanoUsd) : tally[unit];
    return [{ ceiling, unit, limit, spent, unpricedCalls: unknownCalls(unit, tally) }];
  });
}

/** Who limits tokens and asks an agent that does not count them cannot be told what is left. */
function unknownCalls(unit: CeilingStanding['unit'], tally: Tally): number {
  if (unit === 'calls') return 0;
  return unit === 'usd' ? tally.unpricedCalls : tally.callsWithoutTokens;
}

/**
 * The first ceiling that leaves no room for one more call; undefined when the call may start. A cap of 0 is for what
 * surely costs nothing, such as a recording: no config can give it, and no ceiling on money stands in its way.
 */
export function spentCeiling(ceilings: Ceilings, accounts: Accounts, capUsd?: number): SpentCeiling | undefined {
  if (capUsd !== undefined && !(capUsd >= 0 && Number.isFinite(capUsd))) throw new Error(`a cap of ${capUsd} USD`);
  for (const { ceiling, unit, limit, spent, unpricedCalls } of ceilingStandings(ceilings, accounts)) {
    const wanted = unit === 'usd' ? (capUsd ?? 0) : unit === 'calls' ? 1 : 0;
    if (unit === 'usd' && capUsd === 0) continue;
    const full = { ceiling, limit, spent, wanted };
    if (unpricedCalls > 0) return { ...full, unpricedCalls };
    if (unit === 'usd' ? isOverUsd(full) : isOver(full)) return full;
  }
  return undefined;
}

/** What has no bound of its own may start while anything is left, and can cross the ceiling by that one call. */
const isOver = ({ limit, spent, wanted }: SpentCeiling): boolean =>
  wanted === 0 ? spent >= limit : spent + wanted > limit;

const isOverUsd = ({ limit, spent, wanted }: SpentCeiling): boolean =>
  wanted === 0 ? toNano(spent) >= toNano(limit) : toNano(spent) + toNano(wanted) > toNano(limit);

/** True when money is limited, so that a call of unknown cost must not start. */
export const limitsMoney = ({ budget, stageBudget }: Ceilings): boolean =>
  (budget?.usdPerRun ?? budget?.usdPerDay ?? stageBudget?.usd) !== undefined;

/** How long the run may still be at work; undefined without such a ceiling. `workedMs` is of all its resumptions together. */
export function timeLeftMs(budget: Budget | undefined, workedMs: number): number | undefined {
  if (budget?.time === undefined) return undefined;
  const limitMs = parseDuration(budget.time);
  if (limitMs === undefined) throw new Error(`budget.time is "${budget.time}"`);
  return Math.max(0, limitMs - Math.max(0, workedMs));
}
