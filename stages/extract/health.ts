import type { TestResult } from 'autoresearch';
import type { Health } from './options.js';
import { type Record, type RecordReading, readRecords } from './records.js';
import { type Point, seriesOf, sum, type Wanted } from './series.js';

type Found =
  | { readonly tests: readonly TestResult[] }
  | Extract<Awaited<ReturnType<typeof readRecords>>, { failure: unknown }>;

/** Whether a training has come to life: steps, their time, a loss that is finite and falls, a reward. */
export async function healthOf(given: Health, reading: RecordReading): Promise<Found> {
  const read = await readRecords(given, { ...reading, growing: true });
  if (!read.ok && 'failure' in read) return read;
  if (!read.ok)
    return { tests: [{ name: `${given.from ?? given.run} can be read`, status: 'failed', detail: read.why }] };
  return { tests: lookAt(read.records, given).map((test) => ({ ...test, name: `${read.place}: ${test.name}` })) };
}

export function lookAt(records: readonly Record[], given: Health): TestResult[] {
  const { step, minSteps = 1, stepTime, maxStepTime, loss, falling = true, reward, sparse } = given;
  const reached = step ?? loss;
  const points = reached === undefined ? [] : seriesOf(records, { field: reached, sparse: true });
  const first = minSteps === 1 ? 'first step reached' : `${minSteps} steps reached`;
  const tests = [test(first, typeof points === 'string' ? points : tooFew(stepsIn(points, given, records), minSteps))];
  if (stepTime !== undefined)
    tests.push(
      test(
        'step time reported',
        problemOf(records, { field: stepTime, sparse }, (times) => slow(times, maxStepTime)),
      ),
    );
  if (loss !== undefined) {
    tests.push(test('loss finite', problemOf(records, { field: loss, sparse })));
    if (falling) tests.push(test('loss falling', problemOf(records, { field: loss, step, sparse }, notFalling)));
  }
  if (reward !== undefined) tests.push(test('reward present', problemOf(records, { field: reward, sparse })));
  return tests;
}

/** A step that is told of twice, by a training that was resumed, is one step. */
const stepsIn = (points: readonly Point[], { step, loss }: Health, records: readonly Record[]): number => {
  if (step !== undefined) return new Set(points.map(({ value }) => value)).size;
  return loss === undefined ? records.filter(({ passedOver }) => !passedOver).length : points.length;
};

const tooFew = (count: number, least: number): string | undefined =>
  count >= least ? undefined : `${count} of ${least}`;

const test = (name: string, problem: string | undefined): TestResult =>
  problem === undefined ? { name, status: 'passed' } : { name, status: 'failed', detail: problem };

function problemOf(
  records: readonly Record[],
  wanted: Wanted,
  judge: (points: readonly Point[]) => string | undefined = () => undefined,
): string | undefined {
  const points = seriesOf(records, wanted);
  if (typeof points === 'string') return points;
  return points.length === 0 ? `${wanted.field} is missing` : judge(points);
}

function slow(times: readonly Point[], most: number | undefined): string | undefined {
  const wrong = times.find(({ value }) => value <= 0 || (most !== undefined && value > most));
  if (!wrong) return undefined;
  return wrong.value <= 0
    ? `a step took ${wrong.value} in ${wrong.place}`
    : `a step took ${wrong.value} in ${wrong.place}, more than ${most}`;
}

function notFalling(points: readonly Point[]): string | undefined {
  const values = points.map(({ value }) => value);
  if (values.length < 3) return `${values.length} values are too few to tell`;
  const third = Math.floor(values.length / 3);
  const [before, after] = [sum(values.slice(0, third)) / third, sum(values.slice(-third)) / third];
  return after < before ? undefined : `it went from ${shown(before)} to ${shown(after)}`;
}

const shown = (value: number): string => String(Number(value.toPrecision(6)));
