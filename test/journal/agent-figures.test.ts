import { expect, test } from 'vitest';
import { agentFigures } from '../../src/journal/agent-figures.js';
import type { JournalEntry, RecordedEvent } from '../../src/model/events/event.js';

const place = { run: '1-a', stage: 'a', task: 'a', role: 'author' } as const;
const journal = (...events: readonly RecordedEvent[]): readonly JournalEntry[] => events as readonly JournalEntry[];
const invoked = (call: string, agent: string): RecordedEvent => ({
  type: 'agent-invoked',
  ...place,
  agent,
  call,
  attempt: 1,
});
const completed = (call: string, durationMs: number): RecordedEvent => ({
  type: 'agent-completed',
  call,
  task: 'a',
  durationMs,
  outcome: 'done',
});
const spent = (call: string, agent: string, usd?: number): RecordedEvent => ({
  type: 'spend-recorded',
  ...place,
  agent,
  call,
  ...(usd === undefined ? {} : { usd }),
  source: 'reported',
  tokens: 0,
  wallMs: 0,
  gpuHours: 0,
});

test('counts calls, successes, money and the middle of the times', () => {
  const first = journal(
    invoked('1', 'coder'),
    spent('1', 'coder', 0.5),
    completed('1', 1000),
    invoked('2', 'coder'),
    spent('2', 'coder'),
    { type: 'agent-failed', call: '2', task: 'a', durationMs: 3000, detail: 'x' },
    invoked('3', 'judge'),
    completed('3', 5000),
    { type: 'agent-validation-failed', call: '3', task: 'a', detail: 'no', again: true },
  );
  // The runner died while the second call went on.
  const second = journal(invoked('4', 'coder'), completed('4', 9000), invoked('5', 'coder'));
  expect(agentFigures([first, second])).toEqual([
    { agent: 'coder', calls: 4, succeeded: 2, medianMs: 3000, usd: 0.5, unpricedCalls: 1 },
    { agent: 'judge', calls: 1, succeeded: 0, medianMs: 5000, usd: 0, unpricedCalls: 0 },
  ]);
  expect(agentFigures([journal(invoked('1', 'b'))])).toEqual([
    { agent: 'b', calls: 1, succeeded: 0, usd: 0, unpricedCalls: 0 },
  ]);
});

test('who says itself that it failed has not succeeded, however often that is found out', () => {
  const failed = { ...completed('1', 10), outcome: 'failed' } as RecordedEvent;
  const wrong: RecordedEvent = { type: 'agent-validation-failed', call: '1', task: 'a', detail: 'no', again: false };
  const rejected = { ...completed('2', 10), outcome: 'reject' } as RecordedEvent;
  expect(agentFigures([journal(invoked('1', 'a'), failed, wrong, wrong, invoked('2', 'a'), rejected)])).toEqual([
    { agent: 'a', calls: 2, succeeded: 1, medianMs: 10, usd: 0, unpricedCalls: 0 },
  ]);
});

test('of an even number of times, half way between the two in the middle', () => {
  const calls = [10, 40, 20, 30].flatMap((ms, index) => [invoked(String(index), 'a'), completed(String(index), ms)]);
  expect(agentFigures([journal(...calls)])[0]).toMatchObject({ medianMs: 25 });
});
