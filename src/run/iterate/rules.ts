import { parseDuration } from '../../model/duration.js';
import type { Iterate, IterateMetric } from '../../model/generated/config.js';

/** `iterate` of a config, with what is meant where nothing is stated. */
export interface IterateRules {
  readonly max: number;
  readonly until?: string;
  readonly metric?: IterateMetric;
  readonly minEffect: number;
  /** How often the baseline is measured; 0: there is none. */
  readonly repeats: number;
  readonly patience?: number;
  readonly plateau?: { readonly over: number; readonly gain: number };
  readonly failures: number;
  readonly keep: 'best' | 'all';
  readonly usd?: number;
  readonly timeMs?: number;
}

export const defaultFailures = 3;

export function rulesOf(iterate: Iterate): IterateRules {
  const { max, until, metric, minEffect = 0, patience, plateau, failures = defaultFailures, keep = 'all' } = iterate;
  const { usd, time } = iterate.budget ?? {};
  return {
    max,
    ...(until === undefined ? {} : { until }),
    ...(metric ? { metric } : {}),
    minEffect,
    repeats: iterate.repeats ?? (keep === 'best' ? 1 : 0),
    ...(patience === undefined ? {} : { patience }),
    ...(plateau ? { plateau } : {}),
    failures,
    keep,
    ...(usd === undefined ? {} : { usd }),
    ...(time === undefined ? {} : { timeMs: parseDuration(time)! }),
  };
}
