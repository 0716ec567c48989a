import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compare, confidenceInterval, createRandom, judge, type Metrics, studentQuantile } from './modules.js';

test.each([
  [0.95, 1, 12.7062],
  [0.95, 2, 4.3027],
  [0.95, 4, 2.7764],
  [0.95, 9, 2.2622],
  [0.99, 5, 4.0321],
  [0.9, 30, 1.6973],
])('Student: %d within ±t for %i degrees is t = %d', (probability, degrees, t) => {
  expect(studentQuantile(probability, degrees)).toBeCloseTo(t, 4);
});

test('the interval holds the true mean as often as it says', () => {
  const random = createRandom(42);
  const studies = Array.from({ length: 2000 }, () => Array.from({ length: 5 }, () => 3 + random.normal()));
  const right = studies.filter((values) => {
    const [low, high] = confidenceInterval(values, 0.95);
    return low < 3 && 3 < high;
  });
  expect(right.length / studies.length).toBeGreaterThan(0.935);
  expect(right.length / studies.length).toBeLessThan(0.965);
});

describe('the verdict', () => {
  test('a clear win is supported, a clear loss is not, noise is inconclusive', () => {
    expect(judge([-0.3, -0.31, -0.29, -0.32, -0.3], 0.95)).toMatchObject({ verdict: 'supported', better: 5, pairs: 5 });
    expect(judge([0.3, 0.31, 0.29, 0.32, 0.3], 0.95)).toMatchObject({ verdict: 'not supported', better: 0 });
    expect(judge([-0.3, 0.31, 0.05, -0.1, 0.02], 0.95)).toMatchObject({ verdict: 'inconclusive', better: 2 });
  });

  test('one lucky seed is not enough', () => {
    expect(judge([-10, 0.01, 0.01, 0.01, 0.02], 0.95).verdict).toBe('inconclusive');
  });

  test('arms that are alike are inconclusive; a seed without effect is an error', () => {
    expect(judge([0, 0, 0], 0.95)).toMatchObject({ verdict: 'inconclusive', interval: [0, 0] });
    expect(() => judge([-0.5, -0.5, -0.5], 0.95)).toThrow(
      'every seed gave the same difference: the seed has no effect',
    );
  });

  test.each([Number.NaN, Number.POSITIVE_INFINITY, null, undefined, '0.1'])(
    '%s among the differences is an error',
    (value) => {
      expect(() => judge([-1, -1.1, value, -0.9], 0.95)).toThrow(`a difference is ${value}, not a number`);
    },
  );

  test('two pairs are too few', () => {
    expect(() => judge([-1, -1.1], 0.95)).toThrow('2 pairs are too few for a verdict: run 3 seeds or more');
  });

  test('turning the arms around turns the verdict around', () => {
    const opposite = { supported: 'not supported', 'not supported': 'supported', inconclusive: 'inconclusive' };
    const difference = fc.integer({ min: -1000, max: 1000 }).map((thousandths) => thousandths / 1000);
    fc.assert(
      fc.property(fc.uniqueArray(difference, { minLength: 3, maxLength: 9 }), (differences) => {
        const turned = judge(
          differences.map((value) => -value),
          0.95,
        );
        expect(turned.verdict).toBe(opposite[judge(differences, 0.95).verdict]);
      }),
    );
  });
});

describe('the comparison', () => {
  const losses: { [arm: string]: readonly (number | null)[] } = { a: [0.5, 0.52, 0.49], b: [0.4, 0.41, 0.4] };
  const run = (arm: string, seed: number, changes: Partial<Metrics> = {}) => ({
    file: `${arm}-${seed}`,
    metrics: { arm, seed, settings: { steps: 10 }, testLoss: losses[arm]![seed - 1]!, testAccuracy: 0.9, ...changes },
  });
  const comparing = (read: typeof run, seeds = [1, 2, 3]) =>
    compare({ control: 'a', treatment: 'b', seeds, confidence: 0.95, read: (arm, seed) => read(arm, seed) });

  test('pairs the arms and says so in one sentence', () => {
    expect(comparing(run).sentence).toBe(
      '"b has a lower test loss than a": supported (mean difference −0.1000, 95 % interval −0.1248 to −0.0752; lower in 3 of 3 seeds)',
    );
  });

  test('a run without a finite number fails and is not counted as zero', () => {
    expect(() => comparing((arm, seed) => run(arm, seed, seed === 2 ? { testLoss: null } : {}))).toThrow(
      'a-2: testLoss is null, not a number',
    );
  });

  test('a run that was trained in another way fails, whichever arm it is of', () => {
    const other = { settings: { steps: 20 } };
    expect(() => comparing((arm, seed) => run(arm, seed, arm === 'a' && seed === 3 ? other : {}))).toThrow(
      'the runs are not alike: steps is 20 in a-3 and 10 in a-1',
    );
    const more = { settings: { steps: 10, dropout: 0.1 } };
    expect(() => comparing((arm, seed) => run(arm, seed, arm === 'b' ? more : {}))).toThrow(
      'the runs are not alike: dropout is 0.1 in b-1 and undefined in a-1',
    );
  });

  test('a file of another run, a seed twice and one arm twice fail', () => {
    expect(() => comparing((arm) => run(arm, 1))).toThrow('a-1 is of arm a and seed 1, not a and 2');
    expect(() => comparing(run, [1, 2, 2])).toThrow('a seed is named twice: 1 2 2');
    expect(() => compare({ control: 'a', treatment: 'a', seeds: [1], confidence: 0.95, read: run })).toThrow(
      'both arms are "a"',
    );
  });
});
