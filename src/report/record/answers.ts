import type { RunFacts } from '../history/run-facts.js';
import { percentText, signedText } from '../words/number-text.js';
import { plural } from '../words/phrase.js';
import { type Comparison, comparisonsOf } from './comparisons.js';
import type { ReasonPart } from './status.js';

/** What a comparison of the run was asked, and what it found. */
export interface AnswerLine {
  readonly asked: string;
  /** In the words of the comparison: `supported`, `not supported`, `inconclusive`. */
  readonly verdict: string;
  /** The effect with its interval and the number of seeds, or why there is none. */
  readonly found: string;
  readonly task: string;
  readonly file: string;
  /** Of the verdict in that file, from 1. */
  readonly line: number;
  /** The file is no longer what the run made, so this is no answer of the run. */
  readonly changed: boolean;
}

export const answersOf = (facts: RunFacts): readonly AnswerLine[] =>
  comparisonsOf(facts).map((one) => ({
    asked: one.asked,
    verdict: one.verdict,
    found: foundParts(one)
      .map(({ text }) => text)
      .join(''),
    task: one.task,
    file: one.file,
    line: one.lines.verdict,
    changed: facts.files.get(one.file)?.isChanged ?? false,
  }));

/** `"a is better than b": inconclusive (improvement +0.1, 95 % interval −0.1 to +0.3, 5 seeds)`. */
export const answerText = ({ asked, verdict, found, file, changed }: AnswerLine): string =>
  changed
    ? `"${asked}": not known, ${file} is not what the run made; it now says ${verdict}`
    : `"${asked}": ${verdict} (${found})`;

/** The numbers, each with the line that it stands on. */
export function foundParts(comparison: Comparison): readonly ReasonPart[] {
  const { what, estimate, interval, confidence, reasons, file, lines } = comparison;
  const at = (text: string, line: number): ReasonPart => ({ text, from: { path: file, line } });
  const because = reasons.map((reason, index) => at(reason, lines.reasons[index]!));
  const numbers =
    estimate === null || interval === null
      ? because.length > 0
        ? []
        : [[{ text: 'there is no interval' }]]
      : [
          [{ text: `${what} ` }, at(signedText(estimate), lines.estimate)],
          [
            at(percentText(confidence), lines.confidence),
            { text: ' interval ' },
            at(signedText(interval[0]), lines.interval[0]),
            { text: ' to ' },
            at(signedText(interval[1]), lines.interval[1]),
          ],
        ];
  const all: readonly (readonly ReasonPart[])[] = [...numbers, ...seedsOf(comparison), ...because.map((one) => [one])];
  return all.flatMap((part, index) => (index === 0 ? part : [{ text: ', ' }, ...part]));
}

/** As the file counts them, or its pairs. */
function seedsOf({ seeds, pairs, interval, file, lines }: Comparison): readonly (readonly ReasonPart[])[] {
  // Where there is no interval, that there are too few seeds is the reason, and is said.
  if (interval === null) return [];
  if (seeds !== null) return [[{ text: plural(seeds, 'seed'), from: { path: file, line: lines.seeds } }]];
  if (pairs.length === 0) return [];
  const places = pairs.map((pair) => ({ path: file, line: pair.lines.seed }));
  const from = { what: `seeds in ${file}`, how: 'count of the lines', places } as const;
  return [[{ text: plural(pairs.length, 'seed'), from }]];
}
