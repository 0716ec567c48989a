import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { bootstrapInterval, randomNumbers } from '../../stages/compare/bootstrap.js';
import {
  type Interval,
  mean,
  pairedDifference,
  probability,
  studentInterval,
  unbiased,
  unpairedDifference,
  variance,
} from '../../stages/compare/sample.js';
import {
  logGamma,
  normalCdf,
  normalQuantile,
  studentCdf,
  studentQuantile,
  studentTails,
} from '../../stages/compare/special.js';

// Printed by SciPy and statsmodels (Debian's, by reference.py beside it); `made with` in the file says which ones.
const reference = JSON.parse(
  readFileSync(new URL('../fixtures/statistics/reference.json', import.meta.url), 'utf8'),
) as {
  [name in Known]: number[][];
} & { samples: ReferenceSample[] };

type Known =
  | 'logGamma'
  | 'studentCdf'
  | 'studentTails'
  | 'studentQuantile'
  | 'normalCdf'
  | 'normalQuantile'
  | 'unbiased'
  | 'studentTable'
  | 'normalTable';

interface ReferenceSample {
  name: string;
  from: number[];
  to: number[];
  paired: { p: number; interval: Interval; effect: number; bootstrap: Interval };
  unpaired: { p: number; degrees: number; interval: Interval; effect: number; bootstrap: Interval };
}

const near = (actual: number, expected: number, relative = 1e-9): void =>
  expect(Math.abs(actual - expected), `${actual} for ${expected}`).toBeLessThanOrEqual(
    relative * Math.max(Math.abs(expected), 1e-12),
  );

describe('as SciPy has it', () => {
  const functions = {
    ...{ logGamma, studentCdf, studentTails, studentQuantile, normalCdf, normalQuantile, unbiased },
    // The tables of textbooks, with all digits.
    ...{ studentTable: studentQuantile, normalTable: normalQuantile },
  };
  test.each(Object.keys(functions) as (keyof typeof functions)[])('%s', (name) => {
    const rows = reference[name];
    expect(rows.length).toBeGreaterThan(5);
    for (const row of rows) {
      const value = (functions[name] as (...given: number[]) => number)(...row.slice(0, -1));
      const expected = row.at(-1)!;
      if (Math.abs(expected) < 1e-15) expect(Math.abs(value)).toBeLessThan(1e-14);
      else near(value, expected, 1e-10);
    }
  });

  describe.each(reference.samples)('$name', ({ from, to, paired, unpaired }) => {
    const differences = to.map((value, at) => value - from[at]!);

    test('paired: probability, interval, effect', () => {
      const difference = pairedDifference(differences);
      near(probability(difference), paired.p);
      for (const [at, end] of studentInterval(difference, 0.95).entries()) near(end, paired.interval[at]!);
      near(difference.effect, paired.effect);
    });

    test('unpaired (Welch): probability, degrees, interval, effect', () => {
      const difference = unpairedDifference(from, to);
      near(probability(difference), unpaired.p);
      near(difference.degrees, unpaired.degrees);
      for (const [at, end] of studentInterval(difference, 0.95).entries()) near(end, unpaired.interval[at]!);
      near(difference.effect, unpaired.effect);
    });

    // Draws differ, so the ends do a little: by less than three hundredths of the width.
    test('bootstrap (BCa)', () => {
      const options = { confidence: 0.95, samples: 20_000, seed: 1 };
      for (const [groups, expected] of [
        [[differences], paired.bootstrap],
        [[from, to], unpaired.bootstrap],
      ] as const) {
        const found = bootstrapInterval(groups, options);
        for (const [at, end] of found.entries())
          expect(Math.abs(end - expected[at]!)).toBeLessThan(0.03 * (expected[1] - expected[0]));
      }
    });
  });
});

test('published: the soporifics of Cushny and Peebles, as Student compared them in 1908', () => {
  const { from, to } = reference.samples[0]!;
  const difference = pairedDifference(to.map((value, at) => value - from[at]!));
  expect(difference.mean).toBeCloseTo(1.58, 10);
  expect(difference.mean / difference.error).toBeCloseTo(4.0621, 4);
  expect(probability(difference)).toBeCloseTo(0.002833, 6);
  const welch = unpairedDifference(from, to);
  expect(welch.mean / welch.error).toBeCloseTo(1.8608, 4);
  expect(welch.degrees).toBeCloseTo(17.776, 3);
});

/** Numbers of a given mean and standard deviation: half of them as far above as the others are below. */
const sampleOf = (count: number, centre: number, deviation: number): number[] => {
  const half = deviation * Math.sqrt((count - 1) / count);
  return Array.from({ length: count }, (_, at) => centre + (at % 2 === 0 ? half : -half));
};

// Introduction to Meta-Analysis, chapter 4: means 103 and 100, deviations 5.5 and 4.5, 50 in each group.
test('published: d and Hedges’ g of the example of Borenstein, Hedges, Higgins and Rothstein (2009)', () => {
  const { effect, mean: difference } = unpairedDifference(sampleOf(50, 100, 4.5), sampleOf(50, 103, 5.5));
  expect(difference).toBeCloseTo(3, 10);
  expect(effect / unbiased(98)).toBeCloseTo(0.597, 4);
  expect(unbiased(98)).toBeCloseTo(0.9923, 4);
  expect(effect).toBeCloseTo(0.5924, 4);
});

// Hedges (1981): c(m) = Γ(m/2) / (√(m/2) Γ((m − 1)/2)), written out by hand where that can be done.
test.each([
  [2, 1 / Math.sqrt(Math.PI)],
  [3, Math.sqrt(Math.PI / 6)],
  [4, Math.sqrt(2 / Math.PI)],
  [5, (3 / 4) * Math.sqrt(Math.PI / 2.5)],
  [6, 8 / (3 * Math.sqrt(3 * Math.PI))],
])('published: the exact correction for %d degrees of freedom', (degrees, factor) => {
  near(unbiased(degrees), factor, 1e-12);
});

// Tables of Student's t and of the normal distribution, as every textbook prints them; `studentTable` has them from SciPy.
test('published: the tables of textbooks', () => {
  const table: readonly (readonly [degrees: number, t90: number, t95: number, t99: number])[] = [
    [1, 6.314, 12.706, 63.657],
    [4, 2.132, 2.776, 4.604],
    [9, 1.833, 2.262, 3.25],
    [30, 1.697, 2.042, 2.75],
    [120, 1.658, 1.98, 2.617],
  ];
  for (const [degrees, ...expected] of table)
    for (const [at, share] of [0.95, 0.975, 0.995].entries())
      expect(studentQuantile(share, degrees)).toBeCloseTo(expected[at]!, 3);
  for (const [share, z] of [
    [0.9, 1.2816],
    [0.95, 1.6449],
    [0.975, 1.96],
    [0.995, 2.5758],
  ] as const)
    expect(normalQuantile(share)).toBeCloseTo(z, 4);
});

describe('properties', () => {
  const number = fc.integer({ min: -1000, max: 1000 }).map((value) => value / 100);
  const sample = fc.array(number, { minLength: 4, maxLength: 12 }).filter((values) => variance(values) > 1e-6);
  const options = { confidence: 0.95, samples: 300, seed: 3 };

  test('quantiles undo distributions', () => {
    fc.assert(
      fc.property(
        fc.double({ min: 1e-6, max: 1 - 1e-6, noNaN: true }),
        fc.double({ min: 0.5, max: 300, noNaN: true }),
        (share, degrees) => {
          near(studentCdf(studentQuantile(share, degrees), degrees), share, 1e-8);
          near(normalCdf(normalQuantile(share)), share, 1e-8);
        },
      ),
    );
  });

  test('a distribution is symmetric and grows', () => {
    fc.assert(
      fc.property(
        fc.double({ min: -50, max: 50, noNaN: true }),
        fc.double({ min: 0, max: 5, noNaN: true }),
        fc.integer({ min: 1, max: 60 }),
        (t, more, degrees) => {
          expect(studentCdf(t, degrees) + studentCdf(-t, degrees)).toBeCloseTo(1, 12);
          expect(studentCdf(t + more, degrees)).toBeGreaterThanOrEqual(studentCdf(t, degrees) - 1e-15);
          expect(normalCdf(t + more)).toBeGreaterThanOrEqual(normalCdf(t) - 1e-15);
        },
      ),
    );
  });

  test('an interval moves and stretches with the numbers, and holds their mean', () => {
    fc.assert(
      fc.property(
        sample,
        fc.integer({ min: 1, max: 50 }),
        fc.integer({ min: -50, max: 50 }),
        (values, scale, shift) => {
          const changed = values.map((value) => scale * value + shift);
          for (const interval of [
            (group: readonly number[]) => studentInterval(pairedDifference(group), 0.95),
            (group: readonly number[]) => bootstrapInterval([group], options),
          ]) {
            const [before, after] = [interval(values), interval(changed)];
            for (const [at, end] of before.entries()) expect(after[at]).toBeCloseTo(scale * end + shift, 6);
          }
          const [low, high] = studentInterval(pairedDifference(values), 0.95);
          expect(low).toBeLessThan(mean(values));
          expect(high).toBeGreaterThan(mean(values));
        },
      ),
      { numRuns: 40 },
    );
  });

  test('more confidence is a wider interval, and the same seed the same one', () => {
    fc.assert(
      fc.property(sample, fc.integer(), (values, seed) => {
        const at = (confidence: number) => bootstrapInterval([values], { ...options, seed, confidence });
        const [narrow, wide] = [at(0.8), at(0.99)];
        expect(wide[0]).toBeLessThanOrEqual(narrow[0]);
        expect(wide[1]).toBeGreaterThanOrEqual(narrow[1]);
        expect(at(0.8)).toEqual(narrow);
      }),
      { numRuns: 40 },
    );
  });

  test('a probability lies between 0 and 1, does not depend on the unit, and is small where the interval leaves out zero', () => {
    fc.assert(
      fc.property(sample, sample, (from, to) => {
        const difference = unpairedDifference(from, to);
        const p = probability(difference);
        expect(p).toBeGreaterThanOrEqual(0);
        expect(p).toBeLessThanOrEqual(1);
        const scaled = unpairedDifference(
          from.map((value) => 7 * value),
          to.map((value) => 7 * value),
        );
        near(probability(scaled), p, 1e-6);
        const [low, high] = studentInterval(difference, 0.95);
        if (Math.abs(p - 0.05) > 1e-9) expect(low > 0 || high < 0).toBe(p < 0.05);
      }),
    );
  });

  test('the numbers that are drawn are even', () => {
    const random = randomNumbers(42);
    const counts = Array.from({ length: 10 }, () => 0);
    for (let at = 0; at < 100_000; at += 1) counts[Math.floor(random() * 10)]! += 1;
    for (const count of counts) expect(Math.abs(count - 10_000)).toBeLessThan(400);
    expect(randomNumbers(1)()).not.toBe(randomNumbers(2)());
  });
});
