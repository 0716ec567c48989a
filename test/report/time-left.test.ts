import { describe, expect, test } from 'vitest';
import { leftText, roughly, TimeLeft } from '../../src/report/live/time-left.js';
import { samplePlan, sampleTask } from './sample-plan.js';

const seeds = [1, 2, 3, 4];
const train = seeds.map((seed) => sampleTask(`train:seed=${seed}`, { stage: 'train' }));
const compare = sampleTask('compare', { needs: train.map(({ id }) => id) });
const plan = samplePlan([train, [compare]]);
const minute = 60_000;
const words = (left: ReturnType<TimeLeft['left']>): string => (left ? leftText(left) : 'nothing is known');

describe('time left', () => {
  test('nobody guesses before something was measured', () => {
    expect(new TimeLeft(plan, 2).left([{ id: 'train:seed=1', since: 0 }], 5000)).toBeUndefined();
  });

  test('is the median of finished tasks of the same stage for each that is to come, two at a time', () => {
    const times = new TimeLeft(plan, 2, (stage) => (stage === 'compare' ? minute : undefined));
    times.close('train:seed=1', 4 * minute);
    times.close('train:seed=2', 2 * minute);
    // Two of three minutes each at once, then the comparison.
    expect(words(times.left([], 0))).toBe('about 4 m left');
    expect(times.typicalMs('train:seed=3')).toBe(3 * minute);
  });

  test('at least so long when a stage has no measure yet', () => {
    const times = new TimeLeft(plan, 1);
    times.close('train:seed=1', minute);
    expect(words(times.left([], 0))).toBe('at least 3 m left');
  });

  test('what runs already needs only the rest of its time, and what waits to try again all of it', () => {
    const times = new TimeLeft(plan, 4, () => 2 * minute);
    for (const seed of [1, 2, 3]) times.close(`train:seed=${seed}`);
    expect(words(times.left([{ id: 'train:seed=4', since: 0 }], minute))).toBe('about 3 m left');
    const retry = { id: 'train:seed=4', since: 0, retry: { dueAt: 3 * minute } };
    expect(words(times.left([retry], 2 * minute))).toBe('about 5 m left');
  });

  test('this run counts more than earlier ones', () => {
    const times = new TimeLeft(plan, 1, () => 60 * minute);
    times.close('train:seed=1', minute);
    expect(times.typicalMs('train:seed=2')).toBe(minute);
    expect(times.typicalMs('compare')).toBe(60 * minute);
  });

  test('a task that is done again counts again, a task twice done once', () => {
    const times = new TimeLeft(plan, 1, () => minute);
    for (const { id } of train) times.close(id);
    times.close('train:seed=1');
    expect(words(times.left([], 0))).toBe('about 1 m left');
    times.reopen('train:seed=1');
    times.reopen('train:seed=1');
    expect(words(times.left([], 1000))).toBe('about 2 m left');
  });

  test('knows what a plan grows by, and keeps what is done', () => {
    const times = new TimeLeft(samplePlan([train]), 1, () => minute);
    for (const { id } of train) times.close(id);
    expect(words(times.left([], 0))).toBe('nothing is known');
    times.extend(plan);
    expect(words(times.left([], 1000))).toBe('about 1 m left');
  });

  test('a task that takes longer than all before it is not told to be done at once', () => {
    const times = new TimeLeft(samplePlan([[compare]]), 1, () => minute);
    expect(times.left([{ id: 'compare', since: 0 }], 2 * minute)).toBeUndefined();
  });

  test('ten thousand stages in a chain are a matter of milliseconds', () => {
    const chain = Array.from({ length: 10_000 }, (_, index) => [
      sampleTask(`s${index}`, index === 0 ? {} : { needs: [`s${index - 1}`] }),
    ]);
    const times = new TimeLeft(samplePlan(chain), 8, () => 1000);
    expect(words(times.left([], 0))).toBe('about 2 h 45 m left');
  });
});

test.each([
  [1200, '1 s'],
  [19_400, '19 s'],
  [33_000, '35 s'],
  [61_000, '1 m'],
  [127_000, '2 m 10 s'],
  [1_000_000, '17 m'],
  [5_000_000, '1 h 25 m'],
  [200_000_000, '2 d 7 h'],
])('%d ms are roughly %s', (ms, text) => {
  expect(roughly(ms)).toBe(text);
});
