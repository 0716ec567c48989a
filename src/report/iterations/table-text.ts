import { decidedRow } from '../../journal/apply-iteration.js';
import type { IterationRow, SeriesState } from '../../model/state/iteration-state.js';
import { editedWords } from './edited-words.js';
import { oneLine } from './insights-text.js';

/** The table of results: a line for each decided iteration, made anew from the record each time. */
export function tableText(state: SeriesState, metric = 'metric'): string {
  const head = ['iteration', 'verdict', 'progress', metric, 'best', 'commit', 'run', 'usd', 'seconds', 'why', 'tried'];
  const open = decidedRow(state);
  const decided = [...state.rows, ...(open ? [open] : [])];
  return `${[head, ...decided.map(cellsOf)].map((cells) => cells.join('\t')).join('\n')}\n`;
}

function cellsOf(row: IterationRow): readonly string[] {
  const {
    number,
    verdict,
    progress,
    value,
    best,
    changes,
    run,
    usd,
    unpricedCalls,
    workedMs,
    tried = '',
    edited = [],
  } = row;
  const why = [row.why, ...edited.map(editedWords)].join('; ');
  return [
    String(number),
    verdict,
    progress ? 'yes' : 'no',
    value === undefined ? '' : String(value),
    best === undefined ? '' : String(best),
    changes?.commit.slice(0, 12) ?? '',
    run,
    // What nobody knows the price of is not zero.
    unpricedCalls > 0 ? '?' : String(Number(usd.toFixed(6))),
    String(Math.round(workedMs / 1000)),
    oneLine(why, 1000),
    oneLine(tried, 1000),
  ];
}
