import { formatDuration } from '../model/duration.js';
import type { RunState } from '../model/run-state.js';
import { paintOutcome } from './outcome-text.js';
import { paint } from './paint.js';
import { runCounts } from './run-counts.js';
import { displayWidth, padEnd } from './text-width.js';
import { timeAgo } from './time-ago.js';

/** A table of runs, in the order given. */
export function runsText(
  states: readonly RunState[],
  { now, color }: { readonly now: number; readonly color: boolean },
): string {
  if (states.length === 0) return 'Nothing has been run here yet. Start with autoresearch exec\n';
  const p = paint(color);
  const head = ['run', 'outcome', 'started', 'took', 'tasks'];
  const rows = states.map((state) => [
    state.run,
    state.outcome,
    timeAgo(state.startedAt, now),
    tookText(state, now),
    runCounts(state, undefined).text,
  ]);
  const widths = head.map((_, column) => Math.max(...[head, ...rows].map((row) => displayWidth(row[column]!))));
  const line = (cells: readonly string[], style: (text: string, column: number) => string): string =>
    cells
      .map((cell, column) => style(column === head.length - 1 ? cell : padEnd(cell, widths[column]!), column))
      .join('  ')
      .trimEnd();
  return `${[
    line(head, (text) => p.dim(text)),
    ...rows.map((row, index) =>
      line(row, (text, column) => (column === 1 ? paintOutcome(states[index]!.outcome, p)(text) : text)),
    ),
  ].join('\n')}\n`;
}

const tookText = ({ outcome, startedAt, finishedAt }: RunState, now: number): string => {
  if (finishedAt !== undefined) return formatDuration(finishedAt - startedAt);
  return outcome === 'running' ? formatDuration(now - startedAt) : '-';
};
