import { describe, expect, test } from 'vitest';
import { seriesIn } from '../../src/journal/series-in.js';
import type { IterationEntry, IterationEvent } from '../../src/model/events/iteration-event.js';
import { loopChart } from '../../src/report/html/loop-chart.js';
import { seriesTold } from '../../src/report/record/series-told.js';
import { golden } from './golden.js';

/** A record as it might stand, a second a line. */
const recordOf = (events: readonly IterationEvent[]): IterationEntry[] =>
  events.map((event, seq) => ({
    ...event,
    seq,
    at: new Date(Date.UTC(2030, 0, 1, 10, 0, seq)).toISOString(),
    prev: '',
    hash: `${seq}`,
  }));

const begun: IterationEvent = { type: 'series-started', record: 1, series: 1, name: 'study', tool: '0.1.0' };
const told = { table: 't', insights: 'i', metric: 'loss' };

/** From its beginning to its end; without a value it has failed. */
function iteration(number: number, value?: number, better = false): IterationEvent[] {
  const measured = { number, repeat: 1, run: `${number + 1}-aaaa`, usd: 0, unpricedCalls: 0, workedMs: 1 };
  const verdict = value === undefined ? 'failed' : better ? 'kept' : 'discarded';
  return [
    { type: 'iteration-started', number, repeat: 1 },
    { type: 'iteration-measured', ...measured, ...(value === undefined ? { failure: 'no' } : { value }) },
    {
      type: 'iteration-decided',
      ...{ number, verdict, progress: better, why: 'because' },
      ...(better && value !== undefined ? { value } : {}),
    },
    { type: 'iteration-closed', number, told },
  ];
}

const toldOf = (events: readonly IterationEvent[]) => seriesTold(seriesIn(recordOf([begun, ...events])).at(-1)!);

describe('a series with its lines', () => {
  test('each row knows where it was measured and decided, and where the best of then was', () => {
    const { rows, metric, line } = toldOf([
      ...iteration(0, 1, true),
      ...iteration(1, 2),
      ...iteration(2),
      ...iteration(3, 0.5, true),
    ]);
    expect([metric, line]).toEqual(['loss', 1]);
    expect(
      rows.map(({ row, measured, decided, best }) => [row.number, row.verdict, row.best, measured, decided, best]),
    ).toEqual([
      [0, 'kept', 1, 3, 4, 4],
      [1, 'discarded', 1, 7, 8, 4],
      [2, 'failed', 1, 11, 12, 4],
      [3, 'kept', 0.5, 15, 16, 16],
    ]);
  });

  test('what is decided and not yet put back is a row, what is only measured is open', () => {
    const decided = toldOf([...iteration(0, 1, true), ...iteration(1, 2).slice(0, 3)]);
    expect([decided.rows.length, decided.open]).toEqual([2, undefined]);
    const measured = toldOf([...iteration(0, 1, true), ...iteration(1, 2).slice(0, 2)]);
    expect([measured.rows.length, measured.open?.number]).toEqual([1, 1]);
  });

  test('its curve is the same picture every time', async () => {
    const events = [
      ...iteration(0, 1, true),
      ...iteration(1, 1.2),
      ...iteration(2),
      ...iteration(3, 0.5, true),
      ...iteration(4, 0.7),
    ];
    const drawn = (await loopChart(toldOf(events)))!.text;
    await golden('loop-curve.svg', `${/<svg.*<\/svg>/s.exec(drawn)![0]}\n`);
    expect(await loopChart(toldOf(iteration(1)))).toBeUndefined();
  });
});
