import type { ExtractOptions, Metric } from './options.js';
import type { Texts } from './records.js';
import { filled, type Key, keysOf, keyText } from './runs.js';

/** One run with all numbers that were read for each of its metrics. */
export interface ReadNumbers {
  readonly key: Key;
  readonly series: readonly (readonly number[])[];
}

/**
 * Runs whose file is that of another run, or whose numbers are: somebody copied it, or the seed has no effect. One number may
 * be the same by chance, as an accuracy on few samples often is; three different ones with decimals are not.
 */
export function copiesIn(given: ExtractOptions, texts: Texts, runs: readonly ReadNumbers[]): string[] {
  const { found, copied } = sameFiles(given, texts);
  return [...found, ...sameNumbers(runs.filter(({ key }) => !copied.has(keyText(key))))];
}

function sameFiles(
  { metrics = {}, each }: ExtractOptions,
  texts: Texts,
): { readonly found: ReadonlySet<string>; readonly copied: ReadonlySet<string> } {
  const found = new Set<string>();
  const copied = new Set<string>();
  for (const metric of Object.values<Metric>(metrics)) {
    const first = new Map<string, { readonly text: string; readonly place: string }>();
    for (const key of keysOf(each)) {
      const read = texts.get(JSON.stringify([filled(metric.from, key), filled(metric.run, key)]));
      if (!read?.ok || decimalsIn(read.text) < 3) continue;
      const told = whatIsTold(read.text);
      const before = first.get(told);
      if (!before) first.set(told, read);
      // One file for all runs is no copy: where then says which record is whose.
      else if (before.place !== read.place) {
        const how = before.text === read.text ? 'byte for byte' : 'written differently';
        found.add(`${keyText(key)}: ${read.place} is ${before.place}, ${how}: ${whatItIs}`);
        copied.add(keyText(key));
      }
    }
  }
  return { found, copied };
}

/** With another seed beside them, or as other records of one file. */
function sameNumbers(runs: readonly ReadNumbers[]): string[] {
  const first = new Map<string, Key[]>();
  return runs.flatMap(({ key, series }) => {
    if (new Set(series.flat().filter((value) => !Number.isInteger(value))).size < 3) return [];
    const numbers = JSON.stringify(series);
    const same = first.get(numbers) ?? [];
    first.set(numbers, [...same, key]);
    const before = same.find((other) => !isOtherArm(other, key));
    return before ? [`${keyText(key)}: its numbers are those of ${keyText(before)}, one by one: ${whatItIs}`] : [];
  });
}

/** Two arms that come to the same with the same seed: that the change has no effect is for the comparison to say. */
const isOtherArm = (a: Key, b: Key): boolean => {
  const seeds = Object.keys(a).filter((name) => /seed/i.test(name));
  return seeds.length > 0 && seeds.every((name) => a[name] === b[name]);
};

const whatItIs = 'a copy, or what differs between the runs has no effect (copies: allow, if that is how it should be)';

/** All words and numbers, whatever their order and whatever stands between them. */
const whatIsTold = (text: string): string =>
  (text.match(/[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?|[\p{L}_]+/gu) ?? [])
    .map((word) => (/\d/.test(word) ? String(Number(word)) : word))
    .sort()
    .join(' ');

const decimalsIn = (text: string): number => new Set(text.match(/\d+\.\d+(?:[eE][+-]?\d+)?|\d[eE]-\d+/g)).size;
