import { formatDuration } from '../../model/duration.js';
import type { RunIteration } from '../../model/state/iteration-state.js';
import type { RunState } from '../../model/state/run-state.js';
import { type LoopVerdict, toldOutcome } from '../iterations/loop-outcome.js';
import { paint } from '../words/paint.js';
import { displayWidth, padEnd } from '../words/text-width.js';
import { timeAgo } from '../words/time-ago.js';
import { outcomeNames, paintOutcome } from './outcome-text.js';
import { runCounts } from './run-counts.js';

/** A table of runs, in the order given. */
export function runsText(
  states: readonly RunState[],
  {
    now,
    color,
    loops,
  }: {
    readonly now: number;
    readonly color: boolean;
    /** How the loops stand that they are iterations of, by run. */
    readonly loops?: ReadonlyMap<string, LoopVerdict>;
  },
): string {
  if (states.length === 0) return 'Nothing has been run here yet. Start with autoresearch exec\n';
  const p = paint(color);
  const hasSet = states.some(({ set }) => set);
  const isLoop = states.some(({ iteration }) => iteration);
  const loop = isLoop ? ['iteration'] : [];
  const head = ['run', 'outcome', 'started', 'took', ...loop, 'tasks', ...(hasSet ? ['set'] : [])];
  const outcomes = states.map((state) => toldOutcome(state, loops?.get(state.run)));
  const rows = states.map((state, index) => [
    state.run,
    outcomeNames[outcomes[index]!],
    // A journal that cannot be trusted says no time.
    state.startedAt === 0 ? '?' : timeAgo(state.startedAt, now),
    tookText(state, now),
    ...(isLoop ? [state.iteration ? shortIteration(state.iteration) : '-'] : []),
    runCounts(state, undefined).text,
    ...(hasSet ? [(state.set ?? []).join(' ')] : []),
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
      line(row, (text, column) => (column === 1 ? paintOutcome(outcomes[index]!, p)(text) : text)),
    ),
  ].join('\n')}\n`;
}

/** The baseline is 0. */
const shortIteration = ({ number, repeat }: RunIteration): string =>
  number > 0 ? String(number) : `0${repeat > 1 ? ` (${repeat})` : ''}`;

const tookText = ({ outcome, startedAt, finishedAt, workedMs }: RunState, now: number): string => {
  if (finishedAt !== undefined) return formatDuration(workedMs);
  return outcome === 'running' ? formatDuration(now - startedAt) : '-';
};
