import type { IterationDecided, IterationMeasured } from '../../model/events/iteration-event.js';
import { shownNumber } from '../../model/shown-number.js';
import type { IterationRow, SeriesState } from '../../model/state/iteration-state.js';
import { paint } from '../words/paint.js';
import { plural } from '../words/phrase.js';
import { displayWidth, padEnd, truncate } from '../words/text-width.js';
import { numberWords } from './iteration-words.js';

const nameOf = (number: number, max: number): string => (number === 0 ? 'baseline' : numberWords(number, max));

/** The line that is said of an iteration as soon as it is decided. */
export const decidedLine = ({ number, verdict, why }: IterationDecided, max: number): string =>
  `${nameOf(number, max)} ${verdict}: ${why}`;

/** A repeat of the baseline, or a baseline that failed: nothing is decided about it. */
export function baselineLine({ repeat, value, failure }: IterationMeasured, metric: string): string {
  if (failure !== undefined) return `the baseline could not be measured: ${failure}`;
  return `baseline (${repeat}): ${metric} ${shownNumber(value!)}`;
}

export interface LoopEnd {
  readonly state: SeriesState;
  readonly because: string;
  /** `ended because 5 iterations were made`. */
  readonly ended: string;
  readonly isPassed: boolean;
  readonly metric?: string | undefined;
  /** Relative to the project folder. */
  readonly table: string;
  readonly color: boolean;
  readonly width: number;
  /** Options that the next command needs too, with a space before them. */
  readonly again: string;
}

/** The end of a loop: its table, the best, why it ended and what to type next. */
export function loopText(end: LoopEnd): string {
  const { state, ended, isPassed, metric, table, color } = end;
  const p = paint(color);
  const made = state.rows.filter(({ number }) => number > 0).length;
  const head = `${state.name}: ${plural(made, 'iteration')}, ${ended}`;
  return `${[
    isPassed ? p.bold(head) : p.red(head),
    ...tableLines(state.rows, end),
    ...bestLines(state, metric),
    `  table: ${table}`,
    ...nextLines(end),
  ].join('\n')}\n`;
}

function tableLines(rows: readonly IterationRow[], { metric, width, color }: LoopEnd): string[] {
  const p = paint(color);
  const shown = rows.length > mostRows ? [...rows.slice(0, 1), ...rows.slice(1 - mostRows)] : rows;
  const cells = shown.map(({ number, value, verdict, why }) => [
    String(number),
    value === undefined ? '-' : shownNumber(value),
    verdict,
    why,
  ]);
  const head = ['#', metric ?? 'metric', '', ''];
  const all = [head, ...cells];
  const widths = head.map((_, column) => Math.max(...all.map((row) => displayWidth(row[column]!))));
  const line = (row: readonly string[]): string =>
    truncate(
      `  ${row.map((cell, column) => (column === 3 ? cell : padEnd(cell, widths[column]!))).join('  ')}`.trimEnd(),
      width,
    );
  const left = rows.length - shown.length;
  return [p.dim(line(head)), ...cells.map(line), ...(left > 0 ? [`  and ${left} more in the table`] : [])];
}

const mostRows = 20;

function bestLines({ best, rows }: SeriesState, metric = 'metric'): string[] {
  if (!best) return [];
  const { changes } = rows.find(({ number }) => number === best.number) ?? {};
  const where = best.number === 0 ? 'the baseline' : `iteration ${best.number}`;
  return [
    `  best: ${metric} ${shownNumber(best.value)}, ${where}${changes ? ` (${changes.commit.slice(0, 12)})` : ''}`,
  ];
}

function nextLines({ because, again }: LoopEnd): string[] {
  const exec = `autoresearch exec${again}`;
  if (because === 'failures') return [`  next: mend the cause, then ${exec} goes on`];
  if (because === 'budget') return [`  next: raise iterate.budget, then ${exec} goes on`];
  return [`  next: raise the rule that ended it and ${exec} goes on, or ${exec} --new begins another series`];
}
