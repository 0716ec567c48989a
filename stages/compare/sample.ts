import { logGamma, studentQuantile, studentTails } from './special.js';

export const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

/** Of a sample: divided by one less than its size. */
export function variance(values: readonly number[]): number {
  const centre = mean(values);
  return values.reduce((sum, value) => sum + (value - centre) ** 2, 0) / (values.length - 1);
}

/** What two samples differ by, as a mean with its error. Paired samples are one sample: that of their differences. */
export interface Difference {
  readonly mean: number;
  readonly error: number;
  readonly degrees: number;
  /** Hedges' g: the difference in standard deviations, without the bias that small samples have. */
  readonly effect: number;
}

export function pairedDifference(differences: readonly number[]): Difference {
  const degrees = differences.length - 1;
  const deviation = Math.sqrt(variance(differences));
  const centre = mean(differences);
  return {
    mean: centre,
    error: deviation / Math.sqrt(differences.length),
    degrees,
    effect: (centre / deviation) * unbiased(degrees),
  };
}

/** Welch's: the variances need not be equal. */
export function unpairedDifference(from: readonly number[], to: readonly number[]): Difference {
  const [a, b] = [variance(from) / from.length, variance(to) / to.length];
  const pooledDegrees = from.length + to.length - 2;
  const pooled = Math.sqrt(((from.length - 1) * variance(from) + (to.length - 1) * variance(to)) / pooledDegrees);
  const centre = mean(to) - mean(from);
  return {
    mean: centre,
    error: Math.sqrt(a + b),
    degrees: (a + b) ** 2 / (a ** 2 / (from.length - 1) + b ** 2 / (to.length - 1)),
    effect: (centre / pooled) * unbiased(pooledDegrees),
  };
}

/** Hedges' exact correction. */
export const unbiased = (degrees: number): number =>
  Math.exp(logGamma(degrees / 2) - logGamma((degrees - 1) / 2)) / Math.sqrt(degrees / 2);

/** How probable a difference as far from `expected` or farther would be by chance. */
export const probability = ({ mean: centre, error, degrees }: Difference, expected = 0): number =>
  studentTails((centre - expected) / error, degrees);

export type Interval = readonly [number, number];

export function studentInterval({ mean: centre, error, degrees }: Difference, confidence: number): Interval {
  const half = studentQuantile((1 + confidence) / 2, degrees) * error;
  return [centre - half, centre + half];
}
