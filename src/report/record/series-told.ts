import { decidedRow } from '../../journal/apply-iteration.js';
import { metricIn, type Series } from '../../journal/series-in.js';
import type {
  IterationDecided,
  IterationEntry,
  IterationMeasured,
  IterationStarted,
  IterationsFinished,
} from '../../model/events/iteration-event.js';
import type { IterationRow } from '../../model/state/iteration-state.js';
import { lineOf, type Told } from '../history/run-facts.js';

/** A series with the lines of the record that each part of it stands on; what it came to is the reducer's to say. */
export interface SeriesTold {
  readonly series: number;
  /** The line that it began with. */
  readonly line: number;
  readonly metric: string;
  /** `loss of measure, lower is better`, with the line that says so. */
  readonly measure?: { readonly text: string; readonly line: number };
  readonly rows: readonly RowTold[];
  /** Every time that something was measured, repeats of the baseline and failed ones too. */
  readonly measured: readonly (IterationMeasured & Told)[];
  /** Each time that it ended: a loop can be gone on with. */
  readonly ends: readonly (IterationsFinished & Told)[];
  readonly isOver: boolean;
  /** The iteration that has begun and is not decided. */
  readonly open?: IterationStarted & Told;
}

export interface RowTold {
  readonly row: IterationRow;
  /** Where it was measured, and where it was decided. */
  readonly measured: number;
  readonly decided: number;
  /** Where the number was decided that was the best then. */
  readonly best?: number;
}

export function seriesTold(series: Series): SeriesTold {
  const { state, entries } = series;
  const measured = ofType<IterationMeasured>(entries, 'iteration-measured');
  const first = measured.find(({ measure }) => measure);
  const open =
    state.open && !state.open.decided ? ofType<IterationStarted>(entries, 'iteration-started').at(-1) : undefined;
  return {
    series: state.series,
    line: lineOf(entries[0]!),
    metric: metricIn(series) ?? 'metric',
    ...(first?.measure?.metric === undefined ? {} : { measure: { text: first.measure.metric, line: lineOf(first) } }),
    rows: rowsOf(series, measured),
    measured,
    // Several in a row are one end, which counted otherwise after a rule was changed.
    ends: ofType<IterationsFinished>(
      entries.filter((_, index) => entries[index + 1]?.type !== 'iterations-finished'),
      'iterations-finished',
    ),
    isOver: state.finished !== undefined,
    ...(open ? { open } : {}),
  };
}

/** What was decided and not yet put back is told of too. */
function rowsOf({ state, entries }: Series, measured: SeriesTold['measured']): readonly RowTold[] {
  const decidedAt = new Map(
    ofType<IterationDecided>(entries, 'iteration-decided').map((one) => [one.number, lineOf(one)]),
  );
  const measuredAt = new Map(measured.map((one) => [one.number, lineOf(one)]));
  const open = decidedRow(state);
  let best: number | undefined;
  return [...state.rows, ...(open ? [open] : [])].map((row) => {
    const decided = decidedAt.get(row.number)!;
    if (row.progress && row.value !== undefined) best = decided;
    return { row, measured: measuredAt.get(row.number)!, decided, ...(best === undefined ? {} : { best }) };
  });
}

const ofType = <E extends { readonly type: IterationEntry['type'] }>(
  entries: readonly IterationEntry[],
  type: E['type'],
): readonly (E & Told)[] => entries.filter((entry) => entry.type === type) as unknown as readonly (E & Told)[];
