import type { Json, JsonObject } from '../../model/json.js';
import type { ResultFile, RunFacts } from '../history/run-facts.js';
import { isObject, jsonOf } from './result-data.js';
import { type ValueLine, valueLines } from './value-lines.js';

/** Two arms, the difference between them and what follows from it. */
export interface Comparison {
  readonly file: string;
  readonly task: string;
  readonly metric: string;
  readonly baseline: string;
  readonly variant: string;
  /** The claim, as the comparison words it; where it words none, what was held against what. */
  readonly asked: string;
  readonly verdict: string;
  readonly sentence?: string;
  readonly reasons: readonly string[];
  /** Which way is better; where it is not told, the difference is variant minus baseline. */
  readonly what: 'improvement' | 'difference';
  readonly estimate: number | null;
  readonly interval: readonly [number, number] | null;
  readonly confidence: number | null;
  /** As the file counts them; null where it does not. */
  readonly seeds: number | null;
  /** Of the baseline and of the variant, where the file has them. */
  readonly means: readonly [number | null, number | null];
  readonly pairs: readonly ComparedPair[];
  readonly missing: readonly string[];
  /** Of the file, from 1. */
  readonly lines: ComparisonLines;
}

export interface ComparisonLines {
  readonly verdict: number;
  readonly estimate: number;
  readonly interval: readonly [number, number];
  readonly confidence: number;
  readonly seeds: number;
  readonly means: readonly [number, number];
  readonly sentence: number;
  readonly reasons: readonly number[];
  readonly missing: readonly number[];
}

export interface ComparedPair {
  readonly seed: string;
  readonly baseline: number;
  readonly variant: number;
  readonly difference: number;
  /** Of the file, from 1. */
  readonly lines: {
    readonly seed: number;
    readonly baseline: number;
    readonly variant: number;
    readonly difference: number;
  };
}

/** What result files say in one of the two known forms: that of `uses: compare`, and a plain pair of arms. */
export const comparisonsOf = ({ files }: Pick<RunFacts, 'files'>): readonly Comparison[] =>
  [...files.values()].flatMap((file) => {
    const data = file.path.endsWith('.json') ? jsonOf(file) : undefined;
    if (!isObject(data) || typeof data.metric !== 'string') return [];
    const lines = valueLines(file);
    if (typeof data.baseline === 'string' && Array.isArray(data.variants))
      return data.variants.flatMap((variant, index) =>
        isObject(variant)
          ? [ofVariant(file, { data, variant, lineOf: (...at) => lines('variants', index, ...at) })]
          : [],
      );
    return typeof data.control === 'string' && typeof data.treatment === 'string' ? [ofPair(file, data, lines)] : [];
  });

interface FoundVariant {
  readonly data: JsonObject;
  readonly variant: JsonObject;
  readonly lineOf: ValueLine;
}

const ofVariant = (file: ResultFile, { data, variant, lineOf }: FoundVariant): Comparison => ({
  file: file.path,
  task: file.task,
  metric: text(data.metric),
  baseline: text(data.baseline),
  variant: text(variant.variant),
  asked: claimOf(variant) ?? `${text(variant.variant)} against ${text(data.baseline)}: ${text(data.metric)}`,
  verdict: text(variant.verdict),
  ...(typeof variant.sentence === 'string' ? { sentence: variant.sentence } : {}),
  reasons: texts(variant.reasons),
  what: 'improvement',
  estimate: number(variant.improvement),
  interval: interval(variant.interval),
  confidence: number(variant.confidence),
  seeds: number(variant.seeds),
  means: [number(variant.baselineMean), number(variant.variantMean)],
  pairs: pairsOf(variant.pairs, ['baseline', 'variant', 'improvement'], (...at) => lineOf('pairs', ...at)),
  missing: texts(variant.missing),
  lines: linesOf(variant, 'improvement', lineOf),
});

const ofPair = (file: ResultFile, data: JsonObject, lineOf: ValueLine): Comparison => ({
  file: file.path,
  task: file.task,
  metric: text(data.metric),
  baseline: text(data.control),
  variant: text(data.treatment),
  asked: `${text(data.treatment)} against ${text(data.control)}: ${text(data.metric)}`,
  verdict: text(data.verdict),
  reasons: texts(data.reasons),
  what: 'difference',
  estimate: number(data.mean),
  interval: interval(data.interval),
  confidence: number(data.confidence),
  seeds: null,
  means: [null, null],
  pairs: pairsOf(data.perSeed, ['control', 'treatment', 'difference'], (...at) => lineOf('perSeed', ...at)),
  missing: texts(data.missing),
  lines: linesOf(data, 'mean', lineOf),
});

/** `"cosine has a lower loss than constant": inconclusive (…)` begins with the claim. */
function claimOf({ sentence, verdict }: JsonObject): string | undefined {
  if (typeof sentence !== 'string' || typeof verdict !== 'string' || !sentence.startsWith('"')) return undefined;
  const end = sentence.indexOf(`": ${verdict}`);
  return end > 1 ? sentence.slice(1, end) : undefined;
}

function linesOf({ reasons, missing }: JsonObject, estimate: string, lineOf: ValueLine): ComparisonLines {
  const each = (key: string, value: Json | undefined): readonly number[] =>
    Array.isArray(value) ? value.map((_, index) => lineOf(key, index)) : [];
  return {
    verdict: lineOf('verdict'),
    estimate: lineOf(estimate),
    interval: [lineOf('interval', 0), lineOf('interval', 1)],
    confidence: lineOf('confidence'),
    seeds: lineOf('seeds'),
    means: [lineOf('baselineMean'), lineOf('variantMean')],
    sentence: lineOf('sentence'),
    reasons: each('reasons', reasons),
    missing: each('missing', missing),
  };
}

function pairsOf(
  value: Json | undefined,
  [a, b, c]: readonly [string, string, string],
  lineOf: ValueLine,
): readonly ComparedPair[] {
  if (!Array.isArray(value)) return [];
  return value.flatMap((pair, index) => {
    if (!isObject(pair)) return [];
    const [baseline, variant, difference] = [number(pair[a]), number(pair[b]), number(pair[c])];
    if (baseline === null || variant === null || difference === null) return [];
    const line = (key: string): number => lineOf(index, key);
    const lines = { seed: line('seed'), baseline: line(a), variant: line(b), difference: line(c) };
    return [{ seed: text(pair.seed), baseline, variant, difference, lines }];
  });
}

const text = (value: Json | undefined): string => (value === undefined || value === null ? 'not told' : String(value));
const number = (value: Json | undefined): number | null =>
  typeof value === 'number' && Number.isFinite(value) ? value : null;
const texts = (value: Json | undefined): readonly string[] => (Array.isArray(value) ? value.map(text) : []);

function interval(value: Json | undefined): readonly [number, number] | null {
  if (!Array.isArray(value) || value.length !== 2) return null;
  const [low, high] = [number(value[0]), number(value[1])];
  return low === null || high === null ? null : [low, high];
}
