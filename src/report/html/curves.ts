import type { JsonObject } from '../../model/json.js';
import type { RunFacts } from '../history/run-facts.js';
import { type Curve, curvesOf } from '../record/curves.js';
import { grouped } from '../words/grouped.js';
import { plural } from '../words/phrase.js';
import { changedNotes } from './changed.js';
import { countOf } from './count-of.js';
import { figure } from './figure.js';
import { html, joined, type Markup } from './markup.js';
import type { Section, Sources } from './sources.js';
import { badge, named, table } from './table.js';

/** Every metric that logs tell over their steps: a line a seed, and for each arm the mean in a band. */
export const curves: Section = async (facts, sources) => {
  const all = curvesOf(facts);
  if (all.length === 0) return undefined;
  const metrics = [...grouped(all, ({ metric }) => metric)].sort(
    ([a], [b]) => Number(isResult(b)) - Number(isResult(a)),
  );
  const figures: Markup[] = [];
  for (const [index, [metric, list]] of metrics.slice(0, mostMetrics).entries())
    figures.push(await metricFigure(metric, list, { facts, sources, index }));
  const left = metrics.slice(mostMetrics);
  return {
    id: 'curves',
    title: 'Metrics over steps',
    body: html`${joined(figures)}${
      left.length > 0 &&
      html`<p>In the logs too: ${joined(
        left.map(([metric]) => named(metric)),
        ', ',
      )}.</p>`
    }`,
  };
};

/** What a study is about comes before what it was set to. */
const isResult = (metric: string): boolean => /loss|acc|reward|score|perplex|error|return/i.test(metric);

const mostMetrics = 8;
const mostPoints = 300;

async function metricFigure(
  metric: string,
  list: readonly Curve[],
  { facts, sources, index }: { readonly facts: RunFacts; readonly sources: Sources; readonly index: number },
): Promise<Markup> {
  const arms = grouped(list, ({ arm }) => arm || 'all');
  const lines = list.flatMap(({ arm, points, task }) =>
    thinned(points).map(({ step, value }) => ({ arm: arm || 'all', task, step, value })),
  );
  const bands = [...arms].flatMap(([arm, runs]) => bandOf(arm, runs));
  const unusable = list.filter((curve) => curve.unusable.length > 0);
  const ends = list.map((curve) => ({ curve, last: curve.points.at(-1) }));
  const counts = [...arms].map(([arm, runs]) => `${arm}: ${plural(runs.length, 'run')}`).join(', ');
  const counted = [...arms].map(
    ([arm, runs]) =>
      html`${named(arm)}: ${countOf(sources, {
        what: `runs of ${arm} with ${metric}`,
        places: runs.map(({ file, points, unusable: none }) => ({ path: file, line: points.at(-1)?.line ?? none[0]! })),
        one: 'run',
      })}`,
  );
  const changed = changedNotes(
    list.map(({ file }) => file),
    facts,
    sources,
  );
  return html`<h3>${named(metric)}</h3>${changed}${
    lines.length > 0 &&
    (await figure(curveSpec(metric, lines, bands), {
      id: `curve${index}`,
      label: `${metric} over steps. ${counts}`,
      caption: html`Thin: each run. Thick: the mean of the runs of an arm at the same step; band: from the lowest to the highest of them (${joined(counted, ', ')}).`,
    }))
  }${unusable.map(
    ({ file, unusable: at }) =>
      html`<p>${badge('bad', 'not a number')} ${countOf(sources, {
        what: `lines whose ${metric} is no number`,
        places: at.map((line) => ({ path: file, line })),
        one: 'line',
      })} of ${sources.link(file)}, first ${sources.file(`line ${at[0]}`, file, at[0]!)}: not drawn, and never taken for zero.</p>`,
  )}
<details><summary>Last values</summary>${table(
    ['arm', 'seed', '#step', `#${metric}`, 'task'],
    ends.map(({ curve, last }) => [
      named(curve.arm || 'all'),
      named(curve.seed ?? ''),
      last === undefined ? 'none' : sources.file(String(last.step), curve.file, last.line),
      last === undefined ? 'none' : sources.file(String(Number(last.value.toPrecision(6))), curve.file, last.line),
      html`<span class="task">${curve.task}</span>`,
    ]),
  )}</details>`;
}

/** Every so many points, and always the last one. */
function thinned<T>(points: readonly T[]): readonly T[] {
  const every = Math.ceil(points.length / mostPoints);
  return every <= 1 ? points : points.filter((_, index) => index % every === 0 || index === points.length - 1);
}

/** Only steps that all runs of an arm tell of: a mean over fewer would jump for no reason of theirs. A single run is its own mean. */
function bandOf(arm: string, runs: readonly Curve[]): readonly object[] {
  const bySteps = grouped(
    runs.flatMap(({ points }) => points),
    ({ step }) => step,
  );
  const whole = [...bySteps].filter(([, points]) => points.length === runs.length).sort(([a], [b]) => a - b);
  return thinned(whole).map(([step, points]) => {
    const values = points.map(({ value }) => value);
    return {
      arm,
      step,
      low: Math.min(...values),
      high: Math.max(...values),
      mean: values.reduce((a, b) => a + b, 0) / values.length,
    };
  });
}

function curveSpec(metric: string, lines: readonly object[], bands: readonly object[]): JsonObject {
  const isWhole = lines.every((one) => Number.isInteger((one as { readonly step: number }).step));
  const axis = isWhole ? { axis: { tickMinStep: 1 } } : {};
  const x = { field: 'step', type: 'quantitative', title: 'step', ...axis };
  const color = { field: 'arm', type: 'nominal', title: null };
  const y = (field: string): object => ({ field, type: 'quantitative', title: metric, scale: { zero: false } });
  return {
    width: 720,
    height: 240,
    layer: [
      {
        data: { values: bands },
        mark: { type: 'area', opacity: 0.18 },
        encoding: { x, y: y('low'), y2: { field: 'high' }, color },
      },
      {
        data: { values: lines },
        mark: { type: 'line', strokeWidth: 0.8, opacity: 0.55 },
        encoding: { x, y: y('value'), color, detail: { field: 'task' } },
      },
      { data: { values: bands }, mark: { type: 'line', strokeWidth: 2.4 }, encoding: { x, y: y('mean'), color } },
    ],
  } as unknown as JsonObject;
}
