import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { earlierTimes } from '../../src/cli/history/earlier-times.js';
import type { History } from '../../src/cli/history/history.js';
import { FailureError } from '../../src/model/failure.js';

const dir = mkdtempSync(join(tmpdir(), 'earlier-times-'));
afterAll(() => rmSync(dir, { recursive: true }));

type Task = readonly [id: string, status: string, durationMs?: number];

/** Runs by id, the newest first, and which of them were read. */
function historyOf(runs: Readonly<Record<string, readonly Task[] | 'broken'>>): { history: History; read: string[] } {
  const read: string[] = [];
  const stateOf = (id: string) => {
    const tasks = runs[id]!;
    if (tasks === 'broken') throw new FailureError({ code: 'run-not-found', run: id });
    return { tasks: new Map(tasks.map(([task, status, durationMs]) => [task, { id: task, status, durationMs }])) };
  };
  const ids = Object.keys(runs);
  for (const id of ids) writeFileSync(join(dir, id), '');
  const newest = ids[0] === undefined ? undefined : { id: ids[0], reading: { state: stateOf(ids[0]) } };
  const store = {
    ids: () => ids,
    journalFile: (id: string) => join(dir, id),
    read(id: string) {
      read.push(id);
      return { state: stateOf(id) };
    },
  };
  return { history: { store, newest } as unknown as History, read };
}

test('the newest run that did some of a stage tells its median; the one that goes on now does not count', () => {
  const { history, read } = historyOf({
    '4-now': [['train:seed=1', 'passed', 1]],
    '3-last': [
      ['train:seed=1', 'cached'],
      ['train:seed=2', 'failed', 7],
      ['compare', 'passed', 50],
    ],
    '2-before': [
      ['train:seed=1', 'passed', 100],
      ['train:seed=2', 'passed', 400],
      ['train:seed=3', 'passed', 200],
    ],
    '1-first': [['train:seed=1', 'passed', 9999]],
  });
  const earlier = earlierTimes(history, '4-now');
  expect(read).toEqual([]);
  expect([earlier('compare'), earlier('train'), earlier('train'), earlier('other')]).toEqual([50, 200, 200, undefined]);
  expect(read).toEqual(['3-last', '2-before', '1-first']);
});

test('what is in memory is not read again, and a journal that cannot be trusted is passed over', () => {
  const { history, read } = historyOf({ '3-a': [['a', 'passed', 5]], '2-b': 'broken', '1-c': [['b', 'passed', 6]] });
  const earlier = earlierTimes(history, '4-new');
  expect([earlier('a'), read]).toEqual([5, []]);
  expect([earlier('b'), read]).toEqual([6, ['2-b', '1-c']]);
});
