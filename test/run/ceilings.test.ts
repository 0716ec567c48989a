import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { noTally, type Tally, tally } from '../../src/journal/ledger-book.js';
import type { Budget, StageBudget } from '../../src/model/generated/config.js';
import type { LedgerCall } from '../../src/model/money/ledger-line.js';
import { toNano, toUsd } from '../../src/model/money/money.js';
import {
  type Accounts,
  ceilingStandings,
  limitsMoney,
  overspent,
  spentCeiling,
  timeCeiling,
  timeLeftMs,
} from '../../src/run/agents/ceilings.js';

const spent = (usd: number, more: Partial<Tally> = {}): Tally => ({ ...noTally, nanoUsd: toNano(usd), ...more });
const accounts = (more: Partial<Accounts> = {}): Accounts => ({ run: noTally, stage: noTally, day: noTally, ...more });
const check = (budget: Budget, more: Partial<Accounts> = {}, capUsd?: number) =>
  spentCeiling({ budget }, accounts(more), capUsd);

describe('ceilings', () => {
  it('compares money to the cent, not to the floating point', () => {
    const run = tally([call({ capUsd: 0.1 }), call({ capUsd: 0.2 })], () => false);
    expect(toUsd(run.nanoUsd)).toBe(0.3);
    expect(check({ usdPerRun: 0.4 }, { run }, 0.1)).toBeUndefined();
    expect(check({ usdPerRun: 0.3 }, { run: spent(0.2) }, 0.1)).toBeUndefined();
    expect(check({ usdPerRun: 0.3 }, { run: spent(0.2) }, 0.100000001)).toEqual({
      ceiling: 'budget.usdPerRun',
      limit: 0.3,
      spent: 0.2,
      wanted: 0.100000001,
    });
  });

  it('a call without a bound of its own may start while anything is left', () => {
    expect(check({ usdPerRun: 1 }, { run: spent(0.999999999) })).toBeUndefined();
    expect(check({ usdPerRun: 1 }, { run: spent(1) })).toMatchObject({ ceiling: 'budget.usdPerRun', wanted: 0 });
    expect(check({ usdPerRun: 1 }, { run: spent(1.7) })).toMatchObject({ spent: 1.7 });
  });

  it('looks at the stage, the run and the day, each in its own account', () => {
    const budget: Budget = { usdPerRun: 2, usdPerDay: 3, callsPerRun: 4, tokensPerRun: 5 };
    const stageBudget: StageBudget = { usd: 1, calls: 2, tokens: 3 };
    const name = (more: Partial<Accounts>): unknown =>
      spentCeiling({ budget, stageBudget }, accounts(more), 0.5)?.ceiling;
    expect(name({})).toBeUndefined();
    expect(name({ stage: spent(0.6) })).toBe('stage budget.usd');
    expect(name({ stage: spent(0.5) })).toBeUndefined();
    expect(name({ stage: spent(0, { calls: 2 }) })).toBe('stage budget.calls');
    expect(name({ stage: spent(0, { calls: 1 }) })).toBeUndefined();
    expect(name({ stage: spent(0, { tokens: 3 }) })).toBe('stage budget.tokens');
    expect(name({ stage: spent(0, { tokens: 2 }) })).toBeUndefined();
    expect(name({ run: spent(1.6) })).toBe('budget.usdPerRun');
    expect(name({ day: spent(2.6) })).toBe('budget.usdPerDay');
    expect(name({ run: spent(0, { calls: 4 }) })).toBe('budget.callsPerRun');
    expect(name({ run: spent(0, { tokens: 5 }) })).toBe('budget.tokensPerRun');
  });

  it('what a settled call has crossed is what held before it', () => {
    const standing = (usd: number) => ceilingStandings({ budget: { usdPerRun: 1 } }, accounts({ run: spent(usd) }));
    expect(overspent({ usd: 0.5, capUsd: 0.5 }, standing(0.5), standing(1))).toBeUndefined();
    expect(overspent({ usd: 0.6 }, standing(0.5), standing(1.1))).toEqual({
      ceilings: [{ ceiling: 'budget.usdPerRun', limit: 1, spent: 1.1 }],
    });
    expect(overspent({ usd: 0.6, capUsd: 0.5 }, standing(1.5), standing(1.6))).toEqual({ capUsd: 0.5 });
    // Of a recording, and of what nobody knows.
    expect(overspent({ usd: 0.6, capUsd: 0 }, [], [])).toBeUndefined();
    expect(overspent({ capUsd: 0.5 }, [], [])).toBeUndefined();
  });

  it('of a loop: by its own name, with what earlier iterations have spent', () => {
    const loop = { usd: { limit: 1, before: 0.6 } };
    const run = spent(0.2);
    expect(spentCeiling({ loop }, accounts({ run }), 0.2)).toBeUndefined();
    expect(spentCeiling({ loop }, accounts({ run }), 0.3)).toEqual({
      ...{ ceiling: 'iterate.budget.usd', limit: 1, spent: 0.8, wanted: 0.3 },
    });
    expect(limitsMoney({ loop })).toBe(true);
    expect(limitsMoney({ loop: { time: { limitMs: 1, beforeMs: 0 } } })).toBe(false);
  });

  it('of time, the one that is reached first', () => {
    const loop = { time: { limitMs: 10_000, beforeMs: 6000 } };
    expect(timeCeiling({}, 0)).toBeUndefined();
    expect(timeCeiling({ budget: { time: '5s' } }, 1000)).toEqual({
      ...{ ceiling: 'budget.time', leftMs: 4000, limitMs: 5000 },
    });
    expect(timeCeiling({ budget: { time: '5s' }, loop }, 1000)).toEqual({
      ...{ ceiling: 'iterate.budget.time', leftMs: 3000, limitMs: 10_000 },
    });
    expect(timeCeiling({ budget: { time: '2s' }, loop }, 1000)).toMatchObject({ ceiling: 'budget.time' });
    expect(timeCeiling({ loop }, 5000)).toMatchObject({ leftMs: 0 });
  });

  it('unknown cost is never nothing: nobody knows what it leaves of the money', () => {
    const run = spent(0.1, { unpricedCalls: 1 });
    expect(check({ usdPerRun: 100 }, { run }, 1)).toEqual({
      ceiling: 'budget.usdPerRun',
      limit: 100,
      spent: 0.1,
      wanted: 1,
      unpricedCalls: 1,
    });
    expect(check({ callsPerRun: 9, tokensPerRun: 9 }, { run }, 1)).toBeUndefined();
  });

  it('what costs nothing for sure needs no money, but is a call like any other', () => {
    const run = { ...noTally, nanoUsd: 2e9, calls: 9, unpricedCalls: 1 };
    expect(check({ usdPerRun: 1, usdPerDay: 1 }, { run, day: run }, 0)).toBeUndefined();
    expect(check({ usdPerRun: 1, callsPerRun: 9 }, { run }, 0)).toMatchObject({ ceiling: 'budget.callsPerRun' });
  });

  it.each([-1, Number.NaN, Number.POSITIVE_INFINITY])('a cap of %s is a bug, not a way past the ceiling', (cap) => {
    expect(() => check({ usdPerRun: 1 }, {}, cap)).toThrow('a cap of');
  });

  it('says how much time a run has left', () => {
    expect(timeLeftMs(undefined, 5)).toBeUndefined();
    expect(timeLeftMs({ usdPerRun: 1 }, 5)).toBeUndefined();
    expect(timeLeftMs({ time: '2s' }, 500)).toBe(1500);
    expect(timeLeftMs({ time: '2s' }, 2000)).toBe(0);
    expect(timeLeftMs({ time: '2s' }, 9000)).toBe(0);
    expect(timeLeftMs({ time: '2s' }, -1)).toBe(2000);
    expect(() => timeLeftMs({ time: '{{vars.t}}' }, 0)).toThrow('budget.time');
  });
});

describe('what is booked', () => {
  const step = fc.record({
    cap: fc.integer({ min: 1, max: 400 }).map((cents) => cents / 100),
    stage: fc.constantFrom('a', 'b'),
    day: fc.integer({ min: 0, max: 2 }),
    /** A part of the cap, nothing known, or the death of the runner. */
    end: fc.oneof(fc.double({ min: 0, max: 1, noNaN: true }), fc.constantFrom('unknown', 'crash', 'later')),
  });

  it('never crosses a ceiling, whatever the order of booking, settling and dying', () => {
    const limits = fc.record({ run: cents, day: cents, stage: cents, calls: fc.integer({ min: 1, max: 20 }) });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), limits, (steps, limit) => {
        const budget: Budget = { usdPerRun: limit.run, usdPerDay: limit.day, callsPerRun: limit.calls };
        const calls: LedgerCall[] = [];
        const today: number[] = [];
        for (const { cap, stage, day, end } of steps) {
          const of = (accept: (one: LedgerCall, index: number) => boolean) => tally(calls.filter(accept), () => false);
          const now: Accounts = {
            run: of(() => true),
            stage: of((one) => one.stage === stage),
            day: of((_, index) => today[index] === day),
          };
          if (spentCeiling({ budget, stageBudget: { usd: limit.stage } }, now, cap)) continue;
          today.push(day);
          const usd = typeof end === 'number' ? end * cap : cap;
          const settled = { usd, source: 'reported', tokens: 0, wallMs: 0, gpuHours: 0 } as const;
          calls.push(call({ stage, capUsd: cap, ...(end === 'crash' || end === 'later' ? {} : { settled }) }));
          const sum = (accept: (one: LedgerCall, index: number) => boolean): number =>
            tally(calls.filter(accept), () => false).nanoUsd;
          expect(sum(() => true)).toBeLessThanOrEqual(toNano(limit.run));
          expect(sum((one) => one.stage === stage)).toBeLessThanOrEqual(toNano(limit.stage));
          expect(sum((_, index) => today[index] === day)).toBeLessThanOrEqual(toNano(limit.day));
          expect(calls.length).toBeLessThanOrEqual(limit.calls);
        }
      }),
    );
  });
});

const cents = fc.integer({ min: 1, max: 1000 }).map((value) => value / 100);

function call(more: Partial<LedgerCall>): LedgerCall {
  return { call: 'c', run: 'r', stage: 'a', task: 'a', role: 'author', agent: 'x', bookedAt: 0, ...more };
}
