import type { JsonObject } from '../../model/json.js';
import { shownNumber } from '../../model/shown-number.js';
import type { RowTold, SeriesTold } from '../record/series-told.js';
import { figure } from './figure.js';
import { html, type Markup } from './markup.js';
import { named } from './table.js';

/** The number over the iterations: the best so far as a line, and each iteration as a point, whatever became of it. */
export async function loopChart({ rows, metric }: SeriesTold): Promise<Markup | undefined> {
  const measured = rows.filter(({ row }) => row.value !== undefined);
  if (measured.length === 0) return undefined;
  const failed = rows.filter(({ row }) => row.value === undefined);
  return figure(spec(metric, rows), {
    id: 'loop-curve',
    label: `${metric} over iterations. ${measured.map(pointWords).join('; ')}${failed.length === 0 ? '' : `; without a number: ${failed.map(({ row }) => row.number).join(', ')}`}`,
    caption: html`Line: the best ${named(metric)} so far. Points: each iteration${rows[0]!.row.number === 0 && '; the baseline is the first'}.${failed.length > 0 && ' What failed has no number, and stands at the bottom.'}`,
  });
}

const pointWords = ({ row: { number, value, verdict } }: RowTold): string =>
  `${number === 0 ? 'baseline' : `iteration ${number}`} ${shownNumber(value!)} ${verdict}`;

const verdicts = ['kept', 'discarded', 'failed'];
const colours = ['#009e73', '#e69f00', '#d55e00'];
const shapes = ['circle', 'diamond', 'cross'];
const height = 240;

function spec(metric: string, rows: readonly RowTold[]): JsonObject {
  const there = verdicts.filter((verdict) => rows.some(({ row }) => row.verdict === verdict));
  const scale = (range: readonly string[]): object => ({
    domain: there,
    range: there.map((verdict) => range[verdicts.indexOf(verdict)]!),
  });
  const last = rows.at(-1)!.row.number;
  const x = {
    field: 'iteration',
    type: 'quantitative',
    title: 'iteration',
    scale: { domain: [rows[0]!.row.number, Math.max(last, 1)], nice: false, padding: 12 },
    axis: { tickMinStep: 1, format: 'd', grid: false },
  };
  const y = (field: string): object => ({
    field,
    type: 'quantitative',
    title: metric,
    scale: { zero: false, padding: 18 },
  });
  const look = {
    color: { field: 'verdict', type: 'nominal', title: null, scale: scale(colours) },
    shape: { field: 'verdict', type: 'nominal', title: null, scale: scale(shapes) },
  };
  const values = rows.map(({ row: { number, value, best, verdict } }) => ({ iteration: number, value, best, verdict }));
  const mark = { type: 'point', filled: true, size: 70, opacity: 1 };
  return {
    width: 720,
    height,
    layer: [
      {
        data: { values: values.filter(({ best }) => best !== undefined) },
        mark: { type: 'line', interpolate: 'step-after', strokeWidth: 2.2, color: '#0072b2' },
        encoding: { x, y: y('best') },
      },
      {
        data: { values: values.filter(({ value }) => value !== undefined) },
        mark,
        encoding: { x, y: y('value'), ...look },
      },
      {
        data: { values: values.filter(({ value }) => value === undefined) },
        mark,
        encoding: { x, y: { value: height }, ...look },
      },
    ],
  } as unknown as JsonObject;
}
