import { expect, test } from 'vitest';
import type { RecordedEvent } from '../../src/model/events/event.js';
import { eventSummary } from '../../src/report/live/event-summary.js';
import { fingerprint, journalOf, runStarted } from '../support/events.js';

const failed = {
  type: 'task-failed',
  task: 'train',
  attempt: 1,
  durationMs: 10,
  failure: { code: 'command-failed', exitCode: 2 },
  errorClass: 'exit:2',
  counted: true,
} as const;

const cases: readonly (readonly [RecordedEvent, string])[] = [
  [runStarted(), 'started'],
  [{ ...runStarted(), resumed: { changes: [] } }, 'goes on'],
  [{ type: 'task-started', task: 'train', attempt: 1, reasons: [] }, 'train started'],
  [{ type: 'task-started', task: 'train', attempt: 2, reasons: [] }, 'train started (attempt 2)'],
  [
    { type: 'task-finished', task: 'train', attempt: 1, durationMs: 61_000, fingerprint, outputs: [], product: 'p' },
    'train passed in 1 m 1 s',
  ],
  [{ ...failed, retrying: true }, 'train exited with code 2; it is tried again'],
  [{ ...failed, retrying: false }, 'train exited with code 2'],
  [{ type: 'task-skipped', task: 'train', cause: 'cached', reasons: [] }, 'train is cached'],
  [{ type: 'task-skipped', task: 'train', cause: 'upstream-failed', reasons: [] }, 'train was skipped'],
  [
    { type: 'retry-scheduled', task: 'train', attempt: 2, afterMs: 30_000, errorClass: 'exit:2' },
    'train is tried again in 30 s',
  ],
  [
    { type: 'escalated', task: 'train', attempt: 3, to: 'human', errorClass: 'exit:2', reason: 'exited with code 2' },
    'train  exited with code 2; a person is asked',
  ],
  [
    { type: 'budget-spent', ceiling: 'budget.usdPerDay', limit: 10, spent: 9.5, wanted: 1 },
    'the budget is spent: budget.usdPerDay is 10 USD, of which 9.5 USD is spent, and what comes next may cost 1 USD',
  ],
  [{ type: 'run-finished', outcome: 'passed', durationMs: 3_600_000 }, 'passed after 1 h'],
  [
    { type: 'run-finished', outcome: 'cancelled', durationMs: 1000, signal: 'SIGINT' },
    'was stopped by SIGINT after 1.0 s',
  ],
];

test.each(cases)('%j', (event, words) => {
  const entry = journalOf([event]).entries[0]!;
  expect(eventSummary(entry, { name: 'study', run: '3-abcd' })).toBe(`study 3-abcd: ${words}`);
});
