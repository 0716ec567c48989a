import { describe, expect, it } from 'vitest';
import type { Outcome } from '../../src/model/events/event.js';
import { noSpend } from '../../src/model/money/spend.js';
import type { RunState, TaskState, TaskStatus } from '../../src/model/state/run-state.js';
import { type CleanRule, type KeptRun, planClean } from '../../src/run/clean/old-runs.js';

const day = 86_400_000;
const now = 100 * day;

/** `tasks`: task → how it ended; only what passed or was cached holds a product. */
function run(id: number, outcome: Outcome, tasks: Record<string, TaskStatus> = {}): KeptRun {
  const states = Object.entries(tasks).map(([task, status]): [string, TaskState] => [
    task,
    { id: task, status, attempts: 1, reasons: [], ...(/passed|cached/.test(status) ? { product: 'p' } : {}) },
  ]);
  const state: RunState = {
    run: `${id}-aaaa`,
    name: 'study',
    planDigest: '',
    outcome,
    startedAt: id * day,
    latestAt: id * day,
    forced: new Set(),
    runners: [],
    settings: {},
    spentOn: new Map(),
    sessions: new Map(),
    sentBack: new Map(),
    calibrated: new Map(),
    jobs: new Map(),
    parameters: new Map(),
    workedMs: 0,
    spend: { ...noSpend, unpricedCalls: 0 },
    tasks: new Map(states),
  };
  return { id: `${id}`, state, isUnsure: false, lastAt: id * day };
}

function cleaned(runs: readonly KeptRun[], rule: CleanRule, tasks: readonly string[] = []): unknown {
  const { remove, spared } = planClean(runs, () => tasks, rule);
  return { remove: remove.map(({ id }) => id), spared: spared.map(({ run: { id }, why }) => `${id} ${why}`) };
}

describe('clean', () => {
  const five = [5, 4, 3, 2, 1].map((id) => run(id, 'passed'));

  it('keeps the newest by count', () => {
    expect(cleaned(five, { keep: 2 })).toEqual({ remove: ['3', '2', '1'], spared: [] });
    expect(cleaned(five, { keep: 0 })).toEqual({ remove: ['4', '3', '2', '1'], spared: ['5 newest'] });
    expect(cleaned(five, { keep: 9 })).toEqual({ remove: [], spared: [] });
  });

  it('goes by age, and with both only where both agree', () => {
    expect(cleaned(five, { endedBefore: 3 * day })).toEqual({ remove: ['2', '1'], spared: [] });
    expect(cleaned(five, { endedBefore: 3 * day, keep: 4 })).toEqual({ remove: ['1'], spared: [] });
    expect(cleaned(five, { endedBefore: now, keep: 4 })).toEqual({ remove: ['1'], spared: [] });
  });

  it('keeps the last that passed and all that is newer', () => {
    const runs = [run(5, 'cancelled'), run(4, 'failed'), run(3, 'passed'), run(2, 'failed'), run(1, 'passed')];
    expect(cleaned(runs, { keep: 0 })).toEqual({
      remove: ['2', '1'],
      spared: ['5 newest', '4 last-passed', '3 last-passed'],
    });
    const none = [run(3, 'failed'), run(2, 'failed'), run(1, 'running')];
    expect(cleaned(none, { keep: 0 })).toEqual({ remove: ['2', '1'], spared: ['3 newest'] });
  });

  it('keeps the same of each of several studies in one folder', () => {
    const other = (one: KeptRun): KeptRun => ({ ...one, state: { ...one.state!, name: 'other' } });
    const empty: KeptRun = { ...run(6, 'failed'), state: undefined };
    const runs = [
      run(7, 'passed'),
      empty,
      run(5, 'failed'),
      run(4, 'passed'),
      other(run(3, 'failed')),
      other(run(2, 'passed')),
      other(run(1, 'passed')),
    ];
    expect(cleaned(runs, { keep: 0 })).toEqual({
      remove: ['6', '5', '4', '1'],
      spared: ['7 newest', '3 newest', '2 last-passed'],
    });
  });

  it('keeps what holds a result in use, and what made it', () => {
    const runs = [
      run(6, 'passed', { a: 'cached', b: 'skipped' }),
      run(5, 'passed', { a: 'cached', b: 'failed' }),
      run(4, 'passed', { b: 'cached' }),
      run(3, 'passed', { a: 'passed', b: 'failed' }),
      run(2, 'passed', { a: 'passed', b: 'passed' }),
      run(1, 'passed', { a: 'passed', b: 'passed', gone: 'passed' }),
    ];
    expect(cleaned(runs, { keep: 0 }, ['a', 'b'])).toEqual({
      remove: ['5', '1'],
      spared: ['6 newest', '4 in-use', '3 in-use', '2 in-use'],
    });
  });

  it('keeps what waits for a person and what cannot be believed', () => {
    const unsure: KeptRun = { id: '2', state: undefined, isUnsure: true, lastAt: 0 };
    const empty: KeptRun = { id: '1', state: undefined, isUnsure: false, lastAt: 0 };
    expect(cleaned([run(4, 'passed'), run(3, 'waiting'), unsure, empty], { keep: 0 })).toEqual({
      remove: ['1'],
      spared: ['4 newest', '3 waiting', '2 unsure'],
    });
  });
});
