import { describe, expect, it } from 'vitest';
import { type CostReport, costSheet } from '../../src/journal/cost-sheet.js';
import { noTally, tally } from '../../src/journal/ledger-book.js';
import type { LedgerCall } from '../../src/model/money/ledger-line.js';
import { costJson } from '../../src/report/history/cost-json.js';
import { costText } from '../../src/report/history/cost-text.js';
import { golden } from './golden.js';

const by = { host: 'lab', space: '', pid: 7, started: '1' };
const isLive = (runner: unknown): boolean => runner === by;
const booked = (call: string, more: Partial<LedgerCall>): LedgerCall => ({
  call,
  run: '2-bbbb',
  stage: 'build',
  task: 'build',
  role: 'author',
  agent: 'coder',
  model: 'big-1',
  bookedAt: Date.UTC(2030, 0, 1, 10),
  ...more,
});
const cost = (usd: number | undefined, source: 'reported' | 'priced' | 'cap', tokens = 1200) => ({
  settled: { ...(usd === undefined ? {} : { usd }), source, tokens, wallMs: 61_000, gpuHours: 0 },
});
const calls: readonly LedgerCall[] = [
  booked('1', { run: '1-aaaa', bookedAt: Date.UTC(2029, 11, 31, 23), ...cost(0.1, 'reported') }),
  booked('2', cost(0.2, 'priced')),
  booked('3', { role: 'judge', agent: 'judge', model: 'small-1', capUsd: 1, ...cost(1, 'cap') }),
  booked('4', { stage: 'write', task: 'write', capUsd: 2 }),
  booked('5', { stage: 'write', task: 'write', capUsd: 0.5, by }),
  booked('6', { stage: 'write', task: 'write', role: 'fixer', ...cost(0.000004, 'reported', 3) }),
  {
    ...booked('7', { stage: 'write', task: 'write', role: 'fixer', ...cost(undefined, 'cap', 0) }),
    model: undefined,
  } as unknown as LedgerCall,
];

const report: CostReport = {
  agentId: 'default',
  sheet: costSheet(calls, isLive),
  agents: [
    { agent: 'coder', calls: 6, succeeded: 4, medianMs: 61_000, usd: 0.300004, unpricedCalls: 1 },
    { agent: 'judge', calls: 1, succeeded: 0, usd: 0, unpricedCalls: 0 },
  ],
  untold: ['3-cccc'],
  today: { day: '2030-01-01', agentIds: 2, tally: tally(calls.slice(1, 3), isLive) },
  ceilings: {
    run: '2-bbbb',
    list: [
      { ceiling: 'budget.usdPerRun', limit: 5, spent: 3.8 },
      { ceiling: 'budget.usdPerDay', limit: 10, spent: 1.2, left: 8.8 },
      { ceiling: 'budget.callsPerRun', limit: 7, spent: 6, left: 1 },
      { ceiling: 'budget.tokensPerRun', limit: 10_000, spent: 2403, left: 7597 },
      { ceiling: 'budget.time', limit: 43_200_000, spent: 61_000, left: 43_139_000 },
      { ceiling: 'stage budget.usd', stage: 'build', limit: 2, spent: 1.2, left: 0.8 },
    ],
  },
};
const nothing: CostReport = {
  agentId: 'default',
  sheet: costSheet([], isLive),
  agents: [],
  untold: [],
  today: { day: '2030-01-01', agentIds: 0, tally: noTally },
  ceilings: { list: [] },
};

describe('cost', () => {
  it('shows what was spent on what, what is assumed, and what is left', () =>
    golden('cost.txt', costText(report, { color: false })));

  it('is the same as data', () => golden('cost.json', `${JSON.stringify(costJson(report), null, 2)}\n`));

  it('says when nothing was spent', () => {
    expect(costText(nothing, { color: false })).toBe('Nothing has been spent under agent id default yet\n');
    expect(costText({ ...nothing, run: '1-aaaa' }, { color: false })).toBe(
      'Nothing has been spent in run 1-aaaa of agent id default yet\n',
    );
  });

  it('says why there are no ceilings when the config has mistakes', () => {
    const { ceilings: _, ...broken } = nothing;
    expect(costText(broken, { color: false })).toBe(
      'Nothing has been spent under agent id default yet\n\nThe ceilings are not shown, because no config can be read: autoresearch plan says why\n',
    );
    expect(costJson(broken).ceilings).toBeNull();
  });

  it('adds up to the same in each table', () => {
    const { total, by: tables } = report.sheet;
    for (const rows of Object.values(tables)) {
      for (const key of Object.keys(noTally) as (keyof typeof noTally)[]) {
        expect(rows.reduce((sum, row) => sum + row.tally[key], 0)).toBe(total[key]);
      }
    }
  });
});
