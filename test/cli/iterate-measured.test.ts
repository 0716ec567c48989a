import { expect, test } from 'vitest';
import { measured } from '../../src/cli/iterate/measured.js';
import type { JournalEntry } from '../../src/model/events/event.js';

test('an iteration costs what its calls are known to have cost, and the cap of each that died', async () => {
  const state = {
    run: '1-a',
    outcome: 'failed',
    spend: { usd: 0.01, unpricedCalls: 0 },
    workedMs: 1,
    tasks: new Map(),
  };
  const entries = [
    { type: 'agent-invoked', call: 'a', capUsd: 2 },
    { type: 'agent-invoked', call: 'b', capUsd: 2 },
    { type: 'spend-recorded', call: 'b', usd: 0.01 },
    { type: 'agent-invoked', call: 'c' },
  ] as JournalEntry[];
  const how = await measured({ state, entries } as never, { tasks: [] } as never, {
    iterate: { max: 1 },
    number: 1,
  });
  expect(how).toMatchObject({ usd: 2.01, unpricedCalls: 1, failure: 'the run failed' });
});
