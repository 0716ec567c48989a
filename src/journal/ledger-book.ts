import type { LedgerCall, LedgerRecord, Runner } from '../model/money/ledger-line.js';
import { type NanoUsd, toNano } from '../model/money/money.js';
import type { Linked } from './chain.js';

/** Adds a line of the ledger to the calls that it tells of. Throws with words when the line cannot follow the others. */
export function book(calls: Map<string, LedgerCall>, line: Linked<LedgerRecord>): void {
  if (line.ledger !== 1) throw new Error('the line is of a version that this program does not know');
  const known = calls.get(line.call);
  if (line.type === 'reserved') {
    if (known) throw new Error(`call ${line.call} is booked twice`);
    const { type: _type, ledger: _ledger, seq: _seq, at, prev: _prev, hash: _hash, ...booking } = line;
    calls.set(line.call, { ...booking, bookedAt: Date.parse(at) });
    return;
  }
  if (line.type !== 'settled') throw new Error('the line is of a type that this program does not know');
  if (!known) throw new Error(`call ${line.call} is settled but was never booked`);
  if (known.settled) throw new Error(`call ${line.call} is settled twice`);
  const { usd, source, tokens, wallMs, gpuHours, tokensUnknown } = line;
  const cost = { ...(usd === undefined ? {} : { usd }), source, tokens, wallMs, gpuHours };
  calls.set(line.call, { ...known, settled: tokensUnknown ? { ...cost, tokensUnknown } : cost });
}

/** What calls have cost together. What is only booked counts as its cap. */
export interface Tally {
  readonly calls: number;
  readonly nanoUsd: NanoUsd;
  /** The part of the money that nobody reported and no price gave: caps. */
  readonly assumedNanoUsd: NanoUsd;
  readonly tokens: number;
  /** Calls that have ended and did not say how many tokens they took. */
  readonly callsWithoutTokens: number;
  /** Calls that have ended, or whose runner died, with neither a report nor a price nor a cap: they cost nobody knows what. */
  readonly unpricedCalls: number;
  /** Calls whose runner died before it knew their cost. */
  readonly unsettledCalls: number;
  readonly runningCalls: number;
  readonly wallMs: number;
  readonly gpuHours: number;
}

export const noTally: Tally = {
  calls: 0,
  nanoUsd: 0,
  assumedNanoUsd: 0,
  tokens: 0,
  callsWithoutTokens: 0,
  unpricedCalls: 0,
  unsettledCalls: 0,
  runningCalls: 0,
  wallMs: 0,
  gpuHours: 0,
};

/** Whether the process that made a booking is surely still there. */
export type IsLive = (by: Runner | undefined) => boolean;

export function tally(calls: Iterable<LedgerCall>, isLive: IsLive): Tally {
  const sum: { -readonly [K in keyof Tally]: Tally[K] } = { ...noTally };
  for (const call of calls) {
    const { settled } = call;
    const running = !settled && isLive(call.by);
    const usd = settled ? settled.usd : call.capUsd;
    // A job costs GPU-hours, and is no call of an agent.
    if (call.role !== 'job') sum.calls += 1;
    sum.nanoUsd += toNano(usd ?? 0);
    if (!settled || settled.source === 'cap') sum.assumedNanoUsd += toNano(usd ?? 0);
    if (usd === undefined && !running) sum.unpricedCalls += 1;
    if (running) sum.runningCalls += 1;
    if (!settled && !running) sum.unsettledCalls += 1;
    if (settled ? settled.tokensUnknown : !running) sum.callsWithoutTokens += 1;
    sum.tokens += settled?.tokens ?? 0;
    sum.wallMs += settled?.wallMs ?? 0;
    sum.gpuHours += settled?.gpuHours ?? 0;
  }
  return sum;
}

/** The UTC day on which a call counts: `2026-01-31`. */
export const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);
