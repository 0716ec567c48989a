import { expect, test } from 'vitest';
import type { JournalEntry } from '../../../src/model/events/event.js';
import { unsettled } from '../../../src/run/iterate/unsettled.js';

const entries = (...events: readonly object[]): JournalEntry[] => events as JournalEntry[];

test('a call that nobody saw the end of counts as its cap, and without a cap as one without a price', () => {
  const invoked = (call: string, capUsd?: number) => ({
    type: 'agent-invoked',
    call,
    ...(capUsd === undefined ? {} : { capUsd }),
  });
  const settled = (call: string) => ({ type: 'spend-recorded', call, usd: 0.01 });
  expect(unsettled(entries(invoked('a', 2), settled('a')))).toEqual({ usd: 0, unpricedCalls: 0 });
  expect(unsettled(entries(invoked('a', 2), invoked('b', 3), settled('b'), invoked('c')))).toEqual({
    usd: 2,
    unpricedCalls: 1,
  });
});
