import { bootstrapInterval } from './bootstrap.js';
import type { Runs } from './runs-table.js';
import {
  type Difference,
  type Interval,
  mean,
  pairedDifference,
  probability,
  studentInterval,
  unpairedDifference,
  variance,
} from './sample.js';

export type Verdict = 'supported' | 'not supported' | 'inconclusive';

export interface Rules {
  readonly better: 'lower' | 'higher';
  readonly paired: boolean;
  /** In the unit of the metric. */
  readonly minEffect: number;
  readonly confidence: number;
  readonly minSeeds: number;
  readonly maxMissing: number;
  readonly correction: 'holm' | 'bonferroni' | 'none';
  readonly samples: number;
  /** How many variants there are, those that nobody asks about too. */
  readonly tried: number;
}

export interface Candidate {
  readonly name: string;
  readonly runs: Runs;
  /** Decides by itself: there is nothing to compare. */
  readonly noChange?: string;
}

export interface Pair {
  readonly seed: string;
  readonly baseline: number;
  readonly variant: number;
  /** More than zero is better, whichever way the metric goes. */
  readonly improvement: number;
}

export interface Judgement {
  readonly variant: string;
  readonly verdict: Verdict;
  /** Why it is not more, where it is not the interval that says so. */
  readonly reasons: readonly string[];
  readonly seeds: number;
  readonly missing: readonly string[];
  readonly pairs: readonly Pair[];
  readonly baselineMean: number | null;
  readonly variantMean: number | null;
  readonly improvement: number | null;
  /** What decides: the wider one, at either end, of Student's and the bootstrap's. */
  readonly interval: Interval | null;
  readonly student: Interval | null;
  readonly bootstrap: Interval | null;
  /** Of this interval, after the correction for several variants. */
  readonly confidence: number;
  /** Hedges' g. */
  readonly effect: number | null;
  /** Of a difference as far from the least effect, by chance. */
  readonly p: number | null;
}

/**
 * What the numbers say about "the variant is better than the baseline by more than the least effect". The whole interval
 * beyond it: supported; the whole interval below: not supported; anything else, or too little to tell: inconclusive.
 */
export function judge(baseline: Runs, variants: readonly Candidate[], rules: Rules): Judgement[] {
  const prepared = variants.map((variant) => prepare(baseline, variant, rules));
  const alpha = 1 - rules.confidence;
  const byChance = prepared.filter(({ difference }) => difference).sort((a, b) => a.p! - b.p!);
  const judged = new Map<string, Judgement>();
  let stopped = false;
  for (const [rank, one] of byChance.entries()) {
    const share =
      rules.correction === 'none' ? 1 : rules.correction === 'bonferroni' ? rules.tried : rules.tried - rank;
    const judgement = decided(one, { ...rules, confidence: 1 - alpha / share });
    // Holm's rule: who comes after one that could not be told cannot be told either.
    const isHeld = stopped && judgement.verdict !== 'inconclusive';
    judged.set(
      one.name,
      isHeld
        ? {
            ...judgement,
            verdict: 'inconclusive',
            reasons: ['a variant with a clearer difference is inconclusive (Holm)'],
          }
        : judgement,
    );
    if (rules.correction === 'holm' && judgement.verdict === 'inconclusive') stopped = true;
  }
  return prepared.map((one) => judged.get(one.name) ?? undecided(one, rules));
}

interface Prepared extends Pick<Judgement, 'seeds' | 'missing' | 'pairs'> {
  readonly name: string;
  readonly noChange?: string;
  readonly blocks: readonly string[];
  /** Oriented: a larger mean of the last group is better. */
  readonly groups: readonly (readonly number[])[];
  readonly means: readonly [number | null, number | null];
  readonly difference?: Difference;
  readonly p?: number;
}

function prepare(baseline: Runs, { name, runs, noChange }: Candidate, rules: Rules): Prepared {
  const sign = rules.better === 'lower' ? -1 : 1;
  const seeds = [...new Set([...baseline.keys(), ...runs.keys()])];
  const missing = rules.paired
    ? seeds.flatMap((seed) => lacking(seed, baseline, runs))
    : [...failedIn(baseline), ...failedIn(runs)];
  const pairs = seeds.flatMap((seed): Pair[] => {
    const [a, b] = [baseline.get(seed), runs.get(seed)];
    return typeof a === 'number' && typeof b === 'number'
      ? [{ seed, baseline: a, variant: b, improvement: sign * (b - a) }]
      : [];
  });
  const [base, own] = rules.paired
    ? [pairs.map((pair) => pair.baseline), pairs.map((pair) => pair.variant)]
    : [numbersOf(baseline), numbersOf(runs)];
  const count = Math.min(base.length, own.length);
  const groups = rules.paired
    ? [pairs.map((pair) => pair.improvement)]
    : [base.map((value) => sign * value), own.map((value) => sign * value)];
  const blocks = blocksOf({ base, own, groups, count, missing: missing.length }, rules);
  const known = {
    name,
    seeds: count,
    missing,
    pairs: rules.paired ? pairs : [],
    blocks,
    groups,
    means: [base.length > 0 ? mean(base) : null, own.length > 0 ? mean(own) : null] as const,
    ...(noChange === undefined ? sameNumbers(base, own) : { noChange }),
  };
  if (known.noChange !== undefined || blocks.length > 0) return known;
  const difference = rules.paired ? pairedDifference(groups[0]!) : unpairedDifference(groups[0]!, groups[1]!);
  return { ...known, difference, p: probability(difference, rules.minEffect) };
}

/** Numbers that are those of the baseline, in whatever order, were not made by anything new. */
function sameNumbers(base: readonly number[], own: readonly number[]): { noChange?: string } {
  const sorted = (values: readonly number[]): string => [...values].sort((a, b) => a - b).join(' ');
  return base.length > 1 && sorted(base) === sorted(own) ? { noChange: 'its numbers are those of the baseline' } : {};
}

interface Counted {
  readonly base: readonly number[];
  readonly own: readonly number[];
  readonly groups: readonly (readonly number[])[];
  readonly count: number;
  readonly missing: number;
}

/** What keeps anything from being decided, however clear the numbers look. */
function blocksOf({ base, own, groups, count, missing }: Counted, { minSeeds, maxMissing }: Rules): string[] {
  return [
    ...(count < minSeeds ? [`${count} ${count === 1 ? 'seed' : 'seeds'}, and at least ${minSeeds} are asked for`] : []),
    ...(missing > maxMissing
      ? [`${missing} ${missing === 1 ? 'run is' : 'runs are'} missing, and ${maxMissing} may be`]
      : []),
    ...(count >= 2 && [base, own].some((values) => variance(values) === 0)
      ? ['every seed gave the same number: the seed has no effect']
      : count >= 2 && groups.some((values) => isConstant(values))
        ? ['every seed gave the same difference: the seed has no effect']
        : []),
  ];
}

const isConstant = (values: readonly number[]): boolean => {
  const size = Math.max(...values.map(Math.abs));
  return values.every((value) => Math.abs(value - values[0]!) <= 1e-12 * size);
};

function lacking(seed: string, baseline: Runs, variant: Runs): string[] {
  return [
    ...(typeof baseline.get(seed) === 'number'
      ? []
      : [`seed ${seed} of the baseline: ${baseline.get(seed) ?? 'it was not run'}`]),
    ...(typeof variant.get(seed) === 'number'
      ? []
      : [`seed ${seed} of the variant: ${variant.get(seed) ?? 'it was not run'}`]),
  ];
}

const failedIn = (runs: Runs): string[] =>
  [...runs].flatMap(([seed, value]) => (typeof value === 'string' ? [`seed ${seed}: ${value}`] : []));

const numbersOf = (runs: Runs): number[] => [...runs.values()].filter((value) => typeof value === 'number');

function decided(one: Prepared, rules: Rules): Judgement {
  const { difference, groups } = one;
  const student = studentInterval(difference!, rules.confidence);
  const bootstrap = bootstrapInterval(groups, { ...rules, seed: 1 });
  const interval: Interval = [Math.min(student[0], bootstrap[0]), Math.max(student[1], bootstrap[1])];
  const [low, high] = interval;
  return {
    ...undecided(one, rules),
    verdict: low > rules.minEffect ? 'supported' : high < rules.minEffect ? 'not supported' : 'inconclusive',
    reasons: [],
    improvement: difference!.mean,
    interval,
    student,
    bootstrap,
    effect: difference!.effect,
    p: one.p!,
  };
}

const undecided = (
  { name, noChange, blocks, seeds, missing, pairs, means, groups }: Prepared,
  { confidence }: Rules,
): Judgement => ({
  variant: name,
  verdict: noChange === undefined ? 'inconclusive' : 'not supported',
  reasons: noChange === undefined ? blocks : [noChange],
  seeds,
  missing,
  pairs,
  baselineMean: means[0],
  variantMean: means[1],
  improvement: improvementOf(groups),
  interval: null,
  student: null,
  bootstrap: null,
  confidence,
  effect: null,
  p: null,
});

function improvementOf(groups: readonly (readonly number[])[]): number | null {
  if (groups.some((group) => group.length === 0)) return null;
  return groups.length === 1 ? mean(groups[0]!) : mean(groups[1]!) - mean(groups[0]!);
}
