import type { JsonObject } from '../../model/json.js';
import type { RunFacts } from '../history/run-facts.js';
import { type Comparison, comparisonsOf } from '../record/comparisons.js';
import { publishedLines } from '../record/task-lines.js';
import { grouped } from '../words/grouped.js';
import { percentText, shortText, signedText } from '../words/number-text.js';
import { changedNote } from './changed.js';
import { figure } from './figure.js';
import { html, joined, type Markup } from './markup.js';
import type { Section, Sources } from './sources.js';
import { type BadgeKind, badge, named, table } from './table.js';

/** What was compared, with its interval. A result that is negative or undecided is shown like any other. */
export const comparison: Section = async (facts, sources) => {
  const all = comparisonsOf(facts);
  if (all.length === 0) return undefined;
  const figures: Markup[] = [];
  for (const [index, [, list]] of [...grouped(all, ({ file }) => file)].entries())
    figures.push(
      html`${changedNote(facts.files.get(list[0]!.file), facts, sources)}${await intervals(list, index, sources)}`,
    );
  return {
    id: 'comparison',
    title: 'Comparison',
    body: html`${joined(figures)}${all.map((one) => card(one, { facts, sources, isChanged: facts.files.get(one.file)?.isChanged ?? false }))}`,
  };
};

export const verdictKind = (verdict: string): BadgeKind =>
  /^(supported|better|holds|pass)/i.test(verdict)
    ? 'good'
    : /inconclusive|not told|undecided/i.test(verdict)
      ? 'warn'
      : 'bad';

async function intervals(list: readonly Comparison[], index: number, sources: Sources): Promise<Markup> {
  const drawn = list.filter(({ interval, estimate }) => interval !== null && estimate !== null);
  if (drawn.length === 0) return html``;
  const { metric, what, confidence, file, lines } = drawn[0]!;
  const values = drawn.map(({ variant, estimate, interval }) => ({
    variant,
    estimate,
    low: interval![0],
    high: interval![1],
  }));
  const points = drawn.flatMap(({ variant, pairs }) => pairs.map(({ difference }) => ({ variant, difference })));
  return figure(intervalSpec(`${what} of ${metric}`, values, points), {
    id: `interval${index}`,
    label: drawn
      .map(
        ({ variant, estimate, interval, confidence: share }) =>
          `${variant}: ${signedText(estimate!)}, ${percentText(share)} interval ${interval!.map(signedText).join(' to ')}`,
      )
      .join('; '),
    caption: html`Dot: the mean ${what}; line: its ${sources.words(percentText(confidence), { path: file, line: lines.confidence })} interval; small: each seed. The dashed line is no ${what}: an interval that crosses it decides nothing.`,
  });
}

function card(
  {
    task,
    variant,
    baseline,
    metric,
    verdict,
    sentence,
    reasons,
    estimate,
    interval,
    confidence,
    means,
    pairs,
    missing,
    what,
    file,
    lines,
  }: Comparison,
  { facts, sources, isChanged }: { readonly facts: RunFacts; readonly sources: Sources; readonly isChanged: boolean },
): Markup {
  const at = (text: string, line: number): Markup => sources.words(text, { path: file, line });
  const numbers =
    estimate === null || interval === null
      ? html`There is no interval.`
      : html`Mean ${what} ${at(signedText(estimate), lines.estimate)}, ${at(percentText(confidence), lines.confidence)} interval ${at(signedText(interval[0]), lines.interval[0])} to ${at(signedText(interval[1]), lines.interval[1])}.`;
  return html`<article class="card"><h3>${named(variant)} against ${named(baseline)}: ${named(metric)} ${isChanged ? html`${badge('bad', 'not what the run made')} <small>the file now says ${named(verdict)}</small>` : badge(verdictKind(verdict), verdict)}</h3>
<p>${isChanged && html`${recordedMean({ task, variant, what }, facts, sources)}The file now says: `}${numbers} The verdict is from ${sources.file(`line ${lines.verdict}`, file, lines.verdict)} of ${sources.link(file)}.</p>
${sentence !== undefined && html`<p>${at(sentence, lines.sentence)}</p>`}${reasons.map((one, index) => html`<p>${at(one, lines.reasons[index]!)}</p>`)}${missing.map((one, index) => html`<p>missing: ${at(one, lines.missing[index]!)}</p>`)}
${
  (pairs.length > 0 || means.some((one) => one !== null)) &&
  table(
    ['seed', `#${baseline}`, `#${variant}`, `#${what}`],
    [
      ...pairs.map((pair) => [
        at(pair.seed, pair.lines.seed),
        at(shortText(pair.baseline), pair.lines.baseline),
        at(shortText(pair.variant), pair.lines.variant),
        at(signedText(pair.difference), pair.lines.difference),
      ]),
      [
        html`<strong>mean</strong>`,
        ...means.map((mean, index) => (mean === null ? '' : at(shortText(mean), lines.means[index]!))),
        estimate === null ? '' : at(signedText(estimate), lines.estimate),
      ],
    ],
  )
}</article>`;
}

/** What `compare` put into the journal when it ended. */
function recordedMean(
  { task, variant, what }: Pick<Comparison, 'task' | 'variant' | 'what'>,
  { state, entries }: RunFacts,
  sources: Sources,
): Markup | undefined {
  const value = state.tasks.get(task)?.metrics?.[`improvement[${variant}]`];
  const line = publishedLines(entries, 'metrics').get(task);
  if (value === undefined || line === undefined) return undefined;
  return html`<strong>Recorded by the run: mean ${what} ${sources.journal(signedText(value), line)}.</strong> `;
}

function intervalSpec(title: string, values: readonly object[], points: readonly object[]): JsonObject {
  const y = { field: 'variant', type: 'nominal', title: null, axis: { ticks: false, domain: false, labelLimit: 220 } };
  const x = (field: string): object => ({ field, type: 'quantitative', title, scale: { padding: 12 } });
  const color = { value: '#0072b2' };
  return {
    width: 640,
    height: { step: 56 },
    layer: [
      {
        data: { values: [{ zero: 0 }] },
        mark: { type: 'rule', strokeDash: [4, 4], color: '#8c959f' },
        encoding: { x: x('zero') },
      },
      {
        data: { values: points },
        mark: { type: 'tick', thickness: 1.5, size: 14, opacity: 0.7 },
        encoding: { y, x: x('difference'), color: { value: '#8c959f' } },
      },
      {
        data: { values },
        mark: { type: 'rule', strokeWidth: 2.5 },
        encoding: { y, x: x('low'), x2: { field: 'high' }, color },
      },
      {
        data: { values },
        mark: { type: 'point', filled: true, size: 90, opacity: 1 },
        encoding: { y, x: x('estimate'), color },
      },
    ],
  } as unknown as JsonObject;
}
