import { confidenceInterval, mean, standardDeviation } from './statistics.mjs';

/**
 * What paired differences (treatment − control, one per seed, of a number that should be small) say about the claim that
 * the treatment is better. The rule was written before the numbers were seen: a whole interval on one side of zero
 * decides, anything else does not. A number that is missing or not finite is an error, never a zero.
 */
export function judge(differences, confidence) {
  if (differences.length < 3)
    throw new Error(`${differences.length} pairs are too few for a verdict: run 3 seeds or more`);
  for (const value of differences) {
    if (typeof value !== 'number' || !Number.isFinite(value)) throw new Error(`a difference is ${value}, not a number`);
  }
  const spread = standardDeviation(differences);
  if (spread === 0 && differences[0] !== 0)
    throw new Error('every seed gave the same difference: the seed has no effect');
  const interval = confidenceInterval(differences, confidence);
  return {
    verdict: interval[1] < 0 ? 'supported' : interval[0] > 0 ? 'not supported' : 'inconclusive',
    mean: mean(differences),
    standardDeviation: spread,
    confidence,
    interval,
    better: differences.filter((value) => value < 0).length,
    pairs: differences.length,
  };
}
