import { describe, expect, it } from 'vitest';
import { apply, replay } from '../../src/journal/apply.js';
import type { RecordedEvent } from '../../src/model/events/event.js';
import type { RunState } from '../../src/model/state/run-state.js';
import { runCounts } from '../../src/report/history/run-counts.js';
import { journalOf, passing, runStarted } from '../support/events.js';

const failing = (task: string): RecordedEvent[] => [
  { type: 'task-started', task, attempt: 1, reasons: [] },
  {
    type: 'task-failed',
    task,
    attempt: 1,
    durationMs: 2,
    failure: { code: 'command-failed', exitCode: 1 },
    retrying: false,
    errorClass: 'exit:1',
    counted: true,
  },
];

const events: RecordedEvent[] = [
  runStarted(4),
  ...passing('a'),
  { type: 'task-started', task: 'b', attempt: 1, reasons: [] },
  {
    type: 'task-failed',
    task: 'b',
    attempt: 1,
    durationMs: 2,
    failure: { code: 'command-failed', exitCode: 1 },
    retrying: true,
    errorClass: 'unknown',
    counted: true,
  },
  { type: 'retry-scheduled', task: 'b', attempt: 2, afterMs: 0, errorClass: 'command-failed:1' },
  { type: 'task-started', task: 'b', attempt: 2, reasons: [] },
  {
    type: 'task-failed',
    task: 'b',
    attempt: 2,
    durationMs: 2,
    failure: { code: 'timed-out', afterMs: 5 },
    retrying: false,
    errorClass: 'unknown',
    counted: true,
  },
  { type: 'task-skipped', task: 'c', cause: 'upstream-failed', reasons: [], because: ['b'] },
  { type: 'task-skipped', task: 'd', cause: 'cached', reasons: [], product: 'p' },
  { type: 'run-finished', outcome: 'failed', durationMs: 9 },
];
const { entries } = journalOf(events);

const plain = (state: RunState | undefined): unknown => state && { ...state, tasks: Object.fromEntries(state.tasks) };

describe('apply', () => {
  it('keeps the tries that were made of a task which is passed over later', () => {
    const passedOver: RecordedEvent = {
      type: 'task-skipped',
      task: 'b',
      cause: 'upstream-failed',
      reasons: [],
      because: ['a'],
    };
    const before = replay(journalOf(events.slice(0, 6)).entries)!.tasks.get('b')!;
    const { status, attempts, failures } = replay(journalOf([...events.slice(0, 6), passedOver]).entries)!.tasks.get(
      'b',
    )!;
    expect({ status, attempts, failures }).toEqual({ status: 'skipped', attempts: 1, failures: before.failures });
    expect(failures).toBeDefined();
  });

  it('tells how each task and the run ended', () => {
    const state = replay(entries)!;
    expect(state.outcome).toBe('failed');
    expect(
      [...state.tasks.values()].map(({ id, status, attempts, failure, because }) => ({
        id,
        status,
        attempts,
        failure,
        because,
      })),
    ).toEqual([
      { id: 'a', status: 'passed', attempts: 1, failure: undefined, because: undefined },
      { id: 'b', status: 'failed', attempts: 2, failure: { code: 'timed-out', afterMs: 5 }, because: undefined },
      { id: 'c', status: 'skipped', attempts: 0, failure: undefined, because: ['b'] },
      { id: 'd', status: 'cached', attempts: 0, failure: undefined, because: undefined },
    ]);
  });

  it('live and replayed state are the same after every event', () => {
    let live: RunState | undefined;
    for (const [index, entry] of entries.entries()) {
      live = apply(live, entry);
      expect(plain(live)).toEqual(plain(replay(entries.slice(0, index + 1))));
    }
  });

  it('what a resumed run knows of tasks that have not passed, or are stale, is from before, until somebody comes to them', () => {
    const { entries } = journalOf([
      runStarted(4),
      ...passing('a'),
      ...passing('b'),
      ...failing('c'),
      { ...runStarted(4), resumed: { changes: [], stale: ['b'] } },
    ]);
    const from = (state: RunState) => [...state.tasks.values()].map((task) => [task.id, task.status, task.from]);
    const state = replay(entries)!;
    expect(from(state)).toEqual([
      ['a', 'passed', undefined],
      ['b', 'passed', 'stale'],
      ['c', 'failed', 'before'],
    ]);
    expect(runCounts(state, undefined).text).toBe('1 passed, 2 not started');
    const on = replay(
      journalOf([
        runStarted(4),
        ...passing('a'),
        ...passing('b'),
        ...failing('c'),
        { ...runStarted(4), resumed: { changes: [], stale: ['b'] } },
        ...passing('b'),
        ...failing('c'),
      ]).entries,
    )!;
    expect(from(on)).toEqual([
      ['a', 'passed', undefined],
      ['b', 'passed', undefined],
      ['c', 'failed', undefined],
    ]);
    // Stopped before anybody came to them: what is stale has to be done, and what failed has failed.
    const stopped = replay(
      journalOf([
        runStarted(4),
        ...passing('b'),
        ...failing('c'),
        { ...runStarted(4), resumed: { changes: [], stale: ['b'] } },
        { type: 'run-finished', outcome: 'cancelled', durationMs: 1 },
      ]).entries,
    )!;
    expect(runCounts(stopped, undefined).text).toBe('1 failed, 1 not started');
  });

  it('a resumed run is running again and keeps what was finished', () => {
    const resumed = journalOf([
      ...events,
      { ...runStarted(4), planDigest: 'other', resumed: { changes: ['b has another options'] } },
    ]);
    const state = replay(resumed.entries)!;
    expect(state).toMatchObject({ outcome: 'running', planDigest: 'other' });
    expect(state.finishedAt).toBeUndefined();
    expect(state.tasks.get('a')?.status).toBe('passed');
  });

  it('a cancelled attempt is not a failed one', () => {
    const cancelled = journalOf([
      runStarted(),
      { type: 'task-started', task: 'a', attempt: 1, reasons: [] },
      {
        type: 'task-failed',
        task: 'a',
        attempt: 1,
        durationMs: 1,
        failure: { code: 'cancelled', signal: 'SIGINT' },
        retrying: false,
        errorClass: 'unknown',
        counted: true,
      },
    ]);
    expect(replay(cancelled.entries)!.tasks.get('a')?.status).toBe('cancelled');
  });

  it.each([
    ['a journal that does not begin with its run', [passing('a')[0]!], 'journal begins with task-started'],
    [
      'the end of a task that never started',
      [runStarted(), passing('a')[1]!],
      'journal ends task a that it never started',
    ],
    [
      'an event of a version to come',
      [runStarted(), { type: 'task-dreamt' } as never],
      'journal holds an event that this version does not know: task-dreamt',
    ],
  ])('refuses %s', (_name, bad, message) => {
    expect(() => replay(journalOf(bad).entries)).toThrow(message);
  });
});
