import { type Interval, mean } from './sample.js';
import { normalCdf, normalQuantile } from './special.js';

export interface BootstrapOptions {
  readonly confidence: number;
  readonly samples: number;
  readonly seed: number;
}

/**
 * The bias-corrected and accelerated bootstrap interval (Efron 1987) of a mean, or of the difference of two means. The same
 * seed gives the same interval: a verdict must not change because it was asked for again.
 */
export function bootstrapInterval(groups: readonly (readonly number[])[], options: BootstrapOptions): Interval {
  const { confidence, samples, seed } = options;
  const observed = statistic(groups);
  const random = randomNumbers(seed);
  const drawn = Array.from({ length: samples }, () => statistic(groups.map((group) => resampled(group, random)))).sort(
    (a, b) => a - b,
  );
  // Draws that are the sample itself in another order differ from it by rounding alone; which way must not matter.
  const blur = 1e-12 * Math.max(...groups.flat().map(Math.abs));
  const below = drawn.reduce(
    (count, value) => count + (Math.abs(value - observed) <= blur ? 0.5 : value < observed ? 1 : 0),
    0,
  );
  const bias = normalQuantile(below / samples);
  const acceleration = accelerationOf(groups);
  const tail = (1 - confidence) / 2;
  const at = (share: number): number => {
    const z = bias + normalQuantile(share);
    // All draws on one side: nothing is known of the bias, and the widest answer is the careful one.
    if (!Number.isFinite(z)) return z < 0 ? drawn[0]! : drawn.at(-1)!;
    return percentile(drawn, normalCdf(bias + z / (1 - acceleration * z)));
  };
  return [at(tail), at(1 - tail)];
}

/** Of one group its mean; of two what the second has more. */
const statistic = (groups: readonly (readonly number[])[]): number =>
  groups.length === 1 ? mean(groups[0]!) : mean(groups[1]!) - mean(groups[0]!);

function resampled(group: readonly number[], random: () => number): number[] {
  return group.map(() => group[Math.floor(random() * group.length)]!);
}

/** From leaving out one value at a time. For several groups as in SciPy: the influence values of all of them together. */
function accelerationOf(groups: readonly (readonly number[])[]): number {
  let [cubes, squares] = [0, 0];
  for (const [index, group] of groups.entries()) {
    const left = group.map((_, out) =>
      statistic(groups.map((each, at) => (at === index ? each.filter((_value, place) => place !== out) : each))),
    );
    const centre = mean(left);
    const influences = left.map((value) => (group.length - 1) * (centre - value));
    cubes += influences.reduce((sum, value) => sum + value ** 3, 0) / group.length ** 3;
    squares += influences.reduce((sum, value) => sum + value ** 2, 0) / group.length ** 2;
  }
  return squares === 0 ? 0 : cubes / (6 * squares ** 1.5);
}

/** Between two draws where it falls between them. */
function percentile(sorted: readonly number[], share: number): number {
  const at = share * (sorted.length - 1);
  const [low, high] = [sorted[Math.floor(at)]!, sorted[Math.ceil(at)]!];
  return low + (high - low) * (at - Math.floor(at));
}

/** xoshiro128**, seeded by splitmix32: small, and good enough for drawing (Blackman and Vigna 2018). */
export function randomNumbers(seed: number): () => number {
  let mixed = seed | 0;
  const split = (): number => {
    mixed = (mixed + 0x9e3779b9) | 0;
    let z = mixed;
    z = Math.imul(z ^ (z >>> 16), 0x21f0aaad);
    z = Math.imul(z ^ (z >>> 15), 0x735a2d97);
    return (z ^ (z >>> 15)) >>> 0;
  };
  const state = [split(), split(), split(), split()] as [number, number, number, number];
  const turned = (value: number, by: number): number => ((value << by) | (value >>> (32 - by))) >>> 0;
  return () => {
    const [a, b, c, d] = state;
    const drawn = Math.imul(turned(Math.imul(b, 5), 7), 9) >>> 0;
    const shifted = (b << 9) >>> 0;
    const [c1, d1] = [(c ^ a) >>> 0, (d ^ b) >>> 0];
    state[1] = (b ^ c1) >>> 0;
    state[0] = (a ^ d1) >>> 0;
    state[2] = (c1 ^ shifted) >>> 0;
    state[3] = turned(d1, 11);
    return drawn / 2 ** 32;
  };
}
