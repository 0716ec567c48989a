import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { JournalEntry } from '../../src/model/events/event.js';
import type { RunState } from '../../src/model/state/run-state.js';
import { RunView } from '../../src/report/live/run-view.js';
import { runStarted } from '../support/events.js';
import { samplePlan, sampleTask, study } from './sample-plan.js';
import { entry, runInfo, taskCached, taskFailed, taskFinished, taskStarted } from './sample-run.js';

const resumedWith = (stale: readonly string[]): JournalEntry =>
  entry({ ...runStarted(), resumed: { changes: [], stale } });

const view = (): RunView => new RunView(study().plan, runInfo(), 0);

describe('waiting', () => {
  test('says what for, and how much more', () => {
    const run = view();
    expect(run.waiting(3)).toEqual([
      { id: 'data', need: undefined, moreNeeds: 0 },
      { id: 'train:arm=constant,seed=1', need: 'data', moreNeeds: 0 },
      { id: 'train:arm=constant,seed=2', need: 'data', moreNeeds: 0 },
    ]);
    run.apply(taskCached('data'), 0);
    run.apply(taskStarted('train:arm=constant,seed=1'), 0);
    run.apply(taskFinished('train:arm=constant,seed=3'), 0);
    expect(run.waiting(2)).toEqual([
      { id: 'train:arm=constant,seed=2', need: undefined, moreNeeds: 0 },
      { id: 'summarise', need: 'train:arm=constant,seed=1', moreNeeds: 8 },
    ]);
  });

  test('nothing waits at the end', () => {
    const run = view();
    for (const { id } of study().plan.tasks) run.apply(taskFinished(id), 0);
    expect(run.waiting(3)).toEqual([]);
    expect(run.waitingCount).toBe(0);
  });
});

test('what an earlier go of the run finished is done, unless it is stale by now', () => {
  const passed = (id: string) => [id, { id, status: 'passed', attempts: 1, reasons: [] }] as const;
  const earlier = { tasks: new Map([passed('data'), passed('train:arm=constant,seed=1')]) } as unknown as RunState;
  const run = new RunView(study().plan, runInfo({ earlier }), 0);
  expect([run.done, run.counts.cached]).toEqual([2, 2]);
  run.apply(resumedWith(['train:arm=constant,seed=1']), 0);
  expect([run.done, run.counts.cached, run.waitingCount]).toEqual([1, 1, study().plan.tasks.length - 1]);
});

test('what a run that goes on is forced to do again is not done', () => {
  const earlier = {
    tasks: new Map([['data', { id: 'data', status: 'passed', attempts: 1, reasons: [] }]]),
  } as unknown as RunState;
  const run = new RunView(study().plan, runInfo({ earlier }), 0);
  run.apply(entry({ ...runStarted(), forced: ['data'] }), 0);
  expect(run.done).toBe(1);
  run.apply(entry({ ...runStarted(), forced: ['data'], resumed: { changes: [] } }), 0);
  expect(run.done).toBe(0);
});

test('what an earlier go of the run finished is done, unless it starts again', () => {
  const earlier = {
    tasks: new Map([
      ['data', { id: 'data', status: 'passed', attempts: 1, reasons: [] }],
      ['train:arm=constant,seed=1', { id: 'train:arm=constant,seed=1', status: 'failed', attempts: 1, reasons: [] }],
      ['no-longer-there', { id: 'no-longer-there', status: 'passed', attempts: 1, reasons: [] }],
    ]),
  } as unknown as RunState;
  const run = new RunView(study().plan, runInfo({ earlier }), 0);
  expect(run.done).toBe(1);
  run.apply(taskStarted('data', 2), 0);
  expect([run.done, run.running.size, run.counts.cached]).toEqual([0, 1, 0]);
  run.apply(taskFinished('data'), 0);
  expect([run.done, run.running.size, run.counts.passed]).toEqual([1, 0, 1]);
});

test('the counts add up after every event', () => {
  const plan = samplePlan([Array.from({ length: 8 }, (_, index) => sampleTask(`t${index}`))]);
  const kinds = [
    taskStarted,
    taskFinished,
    taskCached,
    taskFailed,
    (id: string) => taskFailed(id, undefined, { retrying: true }),
  ];
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.nat(7), fc.nat(kinds.length - 1))), (steps) => {
      const run = new RunView(plan, runInfo(), 0);
      const ended = new Set<string>();
      for (const [task, kind] of steps) {
        const id = `t${task}`;
        if (ended.has(id)) continue;
        if (run.apply(kinds[kind]!(id), 0)) ended.add(id);
        expect(run.done + run.running.size + run.waitingCount).toBe(8);
        expect(Object.values(run.counts).reduce((sum, count) => sum + count, 0)).toBe(run.done);
      }
    }),
  );
});
