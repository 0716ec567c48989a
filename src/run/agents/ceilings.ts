import type { Tally } from '../../journal/ledger-book.js';
import { parseDuration } from '../../model/duration.js';
import type { Budget, StageBudget } from '../../model/generated/config.js';
import { toNano, toUsd } from '../../model/money/money.js';
import type { CeilingName, Overspent, SpentCeiling } from '../../model/money/spend.js';

export interface Ceilings {
  readonly budget?: Budget | undefined;
  /** Of the stage that is to spend something. */
  readonly stageBudget?: StageBudget | undefined;
  /** Of the loop that the run is an iteration of. */
  readonly loop?: LoopBudget | undefined;
}

/** `iterate.budget`, and what iterations before this one have used of it. */
export interface LoopBudget {
  readonly usd?: { readonly limit: number; readonly before: number };
  readonly time?: { readonly limitMs: number; readonly beforeMs: number };
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
export function ceilingStandings({ budget, stageBudget, loop }: Ceilings, accounts: Accounts): CeilingStanding[] {
  const { run, stage, day } = accounts;
  const ofLoop = { ...run, nanoUsd: run.nanoUsd + toNano(loop?.usd?.before ?? 0) };
  const rows: readonly (readonly [CeilingName, CeilingStanding['unit'], number | undefined, Tally])[] = [
    ['stage budget.usd', 'usd', stageBudget?.usd, stage],
    ['stage budget.calls', 'calls', stageBudget?.calls, stage],
    ['stage budget.tokens', 'tokens', stageBudget?.tokens, stage],
    ['budget.usdPerRun', 'usd', budget?.usdPerRun, run],
    ['iterate.budget.usd', 'usd', loop?.usd?.limit, ofLoop],
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

/** What a call that is settled now has gone beyond; undefined: nothing. */
export function overspent(
  { usd, capUsd }: { readonly usd?: number | undefined; readonly capUsd?: number | undefined },
  before: readonly CeilingStanding[],
  after: readonly CeilingStanding[],
): Overspent | undefined {
  // A cap of 0 is that of a recording, which nobody has set.
  const isOverCap = usd !== undefined && capUsd !== undefined && capUsd > 0 && toNano(usd) > toNano(capUsd);
  const held = new Set(before.filter((one) => !isCrossed(one)).map(({ ceiling }) => ceiling));
  const ceilings = after
    .filter((one) => isCrossed(one) && held.has(one.ceiling))
    .map(({ ceiling, limit, spent }) => ({ ceiling, limit, spent }));
  if (!isOverCap && ceilings.length === 0) return undefined;
  return { ...(isOverCap ? { capUsd } : {}), ...(ceilings.length === 0 ? {} : { ceilings }) };
}

const isCrossed = ({ unit, limit, spent }: CeilingStanding): boolean =>
  unit === 'usd' ? toNano(spent) > toNano(limit) : spent > limit;

/** What has no bound of its own may start while anything is left, and can cross the ceiling by that one call. */
const isOver = ({ limit, spent, wanted }: SpentCeiling): boolean =>
  wanted === 0 ? spent >= limit : spent + wanted > limit;

const isOverUsd = ({ limit, spent, wanted }: SpentCeiling): boolean =>
  wanted === 0 ? toNano(spent) >= toNano(limit) : toNano(spent) + toNano(wanted) > toNano(limit);

/** True when money is limited, so that a call of unknown cost must not start. */
export const limitsMoney = ({ budget, stageBudget, loop }: Ceilings): boolean =>
  (budget?.usdPerRun ?? budget?.usdPerDay ?? stageBudget?.usd ?? loop?.usd) !== undefined;

/** The ceiling on time that is reached first; undefined without one. */
export function timeCeiling(
  { budget, loop }: Pick<Ceilings, 'budget' | 'loop'>,
  workedMs: number,
): TimeCeiling | undefined {
  const leftMs = timeLeftMs(budget, workedMs);
  const own = leftMs === undefined ? undefined : { leftMs, limitMs: parseDuration(budget!.time!)! };
  const ofLoop = loop?.time && {
    leftMs: Math.max(0, loop.time.limitMs - loop.time.beforeMs - Math.max(0, workedMs)),
    limitMs: loop.time.limitMs,
  };
  if (ofLoop && (!own || ofLoop.leftMs < own.leftMs)) return { ceiling: 'iterate.budget.time', ...ofLoop };
  return own && { ceiling: 'budget.time', ...own };
}

export interface TimeCeiling {
  readonly ceiling: 'budget.time' | 'iterate.budget.time';
  readonly leftMs: number;
  readonly limitMs: number;
}

/** How long the run may still be at work; undefined without such a ceiling. `workedMs` is of all its resumptions together. */
export function timeLeftMs(budget: Budget | undefined, workedMs: number): number | undefined {
  if (budget?.time === undefined) return undefined;
  const limitMs = parseDuration(budget.time);
  if (limitMs === undefined) throw new Error(`budget.time is "${budget.time}"`);
  return Math.max(0, limitMs - Math.max(0, workedMs));
}
