import { expect, test } from 'vitest';
import { Lanes } from '../../src/run/lanes.js';
import { planOf } from '../compile/study.js';
import { RunRig, settle } from '../support/run-rig.js';

test('no more tasks of a stage are at work than it says, and others go ahead meanwhile', async () => {
  const rig = new RunRig();
  const plan = await planOf({
    stages: { train: { uses: 'fake', matrix: { seed: [1, 2, 3, 4, 5] }, parallel: 2 }, other: { uses: 'fake' } },
  });
  const working = new Map<string, () => void>();
  let most = 0;
  rig.work = ({ task }) =>
    new Promise((done) => {
      working.set(task, () => {
        working.delete(task);
        done({ ok: true });
      });
      most = Math.max(most, [...working.keys()].filter((id) => id.startsWith('train')).length);
    });
  const run = rig.run(plan, { jobs: 4 });
  await settle();
  expect([...working.keys()]).toEqual(['train:seed=1', 'train:seed=2', 'other']);
  while (working.size > 0) {
    [...working.values()][0]!();
    await settle();
  }
  expect(await run).toBe('passed');
  expect(rig.started).toHaveLength(6);
  expect(most).toBe(2);
});

test('a task that failed gives its place to the next one', async () => {
  const rig = new RunRig();
  const plan = await planOf({ stages: { train: { uses: 'fake', matrix: { seed: [1, 2, 3] }, parallel: 1 } } });
  rig.work = async ({ task }) =>
    task === 'train:seed=1' ? { ok: false, failure: { code: 'behaviour-failed', detail: 'no' } } : { ok: true };
  expect(await rig.run(plan, { jobs: 4 })).toBe('failed');
  expect(rig.started).toEqual(['train:seed=1', 'train:seed=2', 'train:seed=3']);
});

test('a stage without a limit is not looked at', () => {
  const lanes = new Lanes();
  const ids = ['a', 'b'];
  expect(lanes.take(() => ({ id: ids.shift(), stage: 's' }) as never)).toEqual({ id: 'a', stage: 's' });
});
