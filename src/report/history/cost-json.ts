import type { CostReport, CostRow } from '../../journal/cost-sheet.js';
import type { Tally } from '../../journal/ledger-book.js';
import { toUsd } from '../../model/money/money.js';
import type { CeilingName } from '../../model/money/spend.js';

/** `cost --json`. Fields are only ever added. */
export interface CostJson {
  readonly version: 1;
  readonly agentId: string;
  /** The run that was asked for with `--run`; null means all runs of the agent id. */
  readonly run: string | null;
  readonly total: CostJsonSum;
  readonly stages: readonly (CostJsonSum & { readonly stage: string })[];
  readonly roles: readonly (CostJsonSum & { readonly role: string })[];
  /** `model` is null for agents that name none. */
  readonly models: readonly (CostJsonSum & { readonly model: string | null })[];
  /** How each agent has done; only runs that were not cleaned away. */
  readonly agents: readonly CostJsonAgent[];
  /** Runs whose journals cannot be trusted; they are not in `agents`. */
  readonly untold: readonly string[];
  /** UTC days, the oldest first. */
  readonly days: readonly (CostJsonSum & { readonly day: string })[];
  /** The UTC day that it is, over all agent ids of the project. */
  readonly today: CostJsonSum & { readonly day: string; readonly agentIds: number };
  /** Null when the config cannot be read. */
  readonly ceilings: readonly CostJsonCeiling[] | null;
}

export interface CostJsonAgent {
  readonly agent: string;
  readonly calls: number;
  readonly succeeded: number;
  /** From 0 to 1; null before the first call. */
  readonly successRate: number | null;
  readonly medianMs: number | null;
  readonly usd: number;
  readonly unpricedCalls: number;
}

export interface CostJsonSum {
  /** Reported, priced and assumed money. Calls of unknown cost are not in it: see `unpricedCalls`. */
  readonly usd: number;
  /** The part of `usd` that nobody told: caps of calls that did not say, or whose runner died. */
  readonly assumedUsd: number;
  readonly calls: number;
  readonly unpricedCalls: number;
  /** Booked, and never settled because the runner died. */
  readonly unsettledCalls: number;
  readonly runningCalls: number;
  readonly tokens: number;
  /** Calls that did not say how many tokens they took. */
  readonly callsWithoutTokens: number;
  readonly wallMs: number;
  readonly gpuHours: number;
}

export interface CostJsonCeiling {
  readonly ceiling: CeilingName;
  /** For a ceiling of a stage. */
  readonly stage: string | null;
  /** For a ceiling of a run; null for one of a day or a loop, and before the first run. */
  readonly run: string | null;
  /** USD, calls, tokens or milliseconds, as the name says. */
  readonly limit: number;
  readonly spent: number;
  /** Null when calls of unknown cost leave nobody knows how much. */
  readonly left: number | null;
}

export const costJson = ({ agentId, run, sheet, agents, untold, today, ceilings }: CostReport): CostJson => ({
  version: 1,
  agentId,
  run: run ?? null,
  total: sumOf(sheet.total),
  stages: sheet.by.stage.map((row) => ({ stage: nameOf(row), ...sumOf(row.tally) })),
  roles: sheet.by.role.map((row) => ({ role: nameOf(row), ...sumOf(row.tally) })),
  models: sheet.by.model.map(({ name, tally }) => ({ model: name ?? null, ...sumOf(tally) })),
  agents: agents.map(({ calls, succeeded, medianMs, ...rest }) => ({
    ...rest,
    calls,
    succeeded,
    successRate: calls === 0 ? null : succeeded / calls,
    medianMs: medianMs ?? null,
  })),
  untold,
  days: sheet.by.day.map((row) => ({ day: nameOf(row), ...sumOf(row.tally) })),
  today: { day: today.day, agentIds: today.agentIds, ...sumOf(today.tally) },
  ceilings:
    ceilings?.list.map(({ ceiling, stage, limit, spent, left }) => ({
      ceiling,
      stage: stage ?? null,
      run: ceiling === 'budget.usdPerDay' || ceiling.startsWith('iterate.') ? null : (ceilings.run ?? null),
      limit,
      spent,
      left: left ?? null,
    })) ?? null,
});

const nameOf = ({ name }: CostRow): string => name ?? '';

const sumOf = ({ nanoUsd, assumedNanoUsd, ...rest }: Tally): CostJsonSum => ({
  usd: toUsd(nanoUsd),
  assumedUsd: toUsd(assumedNanoUsd),
  calls: rest.calls,
  unpricedCalls: rest.unpricedCalls,
  unsettledCalls: rest.unsettledCalls,
  runningCalls: rest.runningCalls,
  tokens: rest.tokens,
  callsWithoutTokens: rest.callsWithoutTokens,
  wallMs: rest.wallMs,
  gpuHours: rest.gpuHours,
});
