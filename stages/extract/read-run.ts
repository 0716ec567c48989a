import type { Failure } from 'autoresearch';
import type { ExtractOptions, Metric, Scalar, Source } from './options.js';
import { fieldAt, formatOf, type Record, type RecordReading, readRecords, sameScalar } from './records.js';
import type { RunResult } from './results.js';
import { filled, type Key } from './runs.js';
import { type Point, picked, seriesOf } from './series.js';

export type RunFound =
  | { readonly failure: Failure }
  | {
      readonly run: RunResult;
      readonly wrong: readonly string[];
      /** All numbers that were read for each metric, in order. */
      readonly series: readonly (readonly number[])[];
    };

/** All numbers of one run; a number that is wrong does not hide another. */
export async function readRun(given: ExtractOptions, key: Key, reading: RecordReading): Promise<RunFound> {
  const metrics: { [name: string]: number } = {};
  const wrong: string[] = [];
  const series: number[][] = [];
  for (const [name, metric] of Object.entries<Metric>(given.metrics!)) {
    const source = filledSource(metric, key);
    const read = await readRecords(withoutWhere(source), reading);
    if (!read.ok && 'failure' in read) return { failure: read.failure };
    // Every number of a run that left no file is missing.
    if (!read.ok && read.isMissing && given.missing === 'record')
      return { run: { key, missing: read.why }, wrong: [], series: [] };
    if (!read.ok) {
      wrong.push(`${name}: ${read.why}`);
      continue;
    }
    const other = strangers(read.records, given.must ?? {}, key);
    const points = pointsIn(read.records, { ...metric, ...source });
    const missing = points.length === 0 ? nowhere(read.records, metric.value) : undefined;
    const found = missing ?? (typeof points === 'string' ? points : numberIn(points, { ...metric, ...source }));
    const value = other ?? found;
    if (typeof points !== 'string') series.push(points.map((point) => point.value));
    if (typeof value === 'number') metrics[name] = value;
    else wrong.push(`${name}: ${value} (${read.place})`);
  }
  return { run: { key, metrics }, wrong: [...new Set(wrong)], series };
}

function pointsIn(records: readonly Record[], metric: Metric): readonly Point[] | string {
  const wanted = Object.entries<Scalar>(metric.where ?? {});
  const chosen = records.filter(({ fields }) =>
    wanted.every(([name, value]) => sameScalar(fieldAt(fields, name), value)),
  );
  return seriesOf(chosen, { ...metric, field: metric.value });
}

/** A name that is in none of them is misspelt: what there is helps to find the right one. */
function nowhere(records: readonly Record[], value: string): string | undefined {
  if (records.some(({ fields }) => fieldAt(fields, value) !== undefined)) return undefined;
  const names = [...new Set(records.slice(0, mostRecords).flatMap(({ fields }) => Object.keys(fields)))];
  if (names.length === 0) return undefined;
  const more = names.length > mostNames ? ` and ${names.length - mostNames} more` : '';
  return `${value} is missing: there is ${names.slice(0, mostNames).join(', ')}${more}`;
}

const mostRecords = 100;
const mostNames = 12;

function numberIn(points: readonly Point[], metric: Metric): number | string {
  const format = formatOf(metric);
  const whole = (format === 'json' || format === 'yaml') && metric.at === undefined;
  return picked(points, { ...metric, pick: metric.pick ?? (whole ? 'only' : 'last') });
}

/** A file of another run, another arm or another seed is not what it is called. */
function strangers(
  records: readonly Record[],
  must: { readonly [field: string]: Scalar },
  key: Key,
): string | undefined {
  for (const [field, written] of Object.entries(must)) {
    const wanted = filled(written, key);
    const found = records.flatMap(({ fields, passedOver }) => {
      const value = fieldAt(fields, field);
      return value === undefined || passedOver ? [] : [value];
    });
    if (found.length === 0) return `nothing in it says ${field}, which must be ${JSON.stringify(wanted)}`;
    const other = found.find((value) => !sameScalar(value, wanted));
    if (other !== undefined)
      return `it is of another run: ${field} is ${JSON.stringify(other)}, not ${JSON.stringify(wanted)}`;
  }
  return undefined;
}

const filledSource = (metric: Metric, key: Key): Metric => ({
  ...metric,
  ...(metric.from === undefined ? {} : { from: filled(metric.from, key) }),
  ...(metric.run === undefined ? {} : { run: filled(metric.run, key) }),
  ...(metric.where === undefined
    ? {}
    : { where: Object.fromEntries(Object.entries(metric.where).map(([name, value]) => [name, filled(value, key)])) }),
});

/** Whose file it is may stand in another record than the number. */
const withoutWhere = ({ where: _, ...source }: Metric): Source => source;
