import type { IterationVerdict } from '../../model/events/iteration-event.js';
import type { IterationRow } from '../../model/state/iteration-state.js';
import type { RunFacts } from '../history/run-facts.js';
import { loopOf, standingOf } from '../iterations/loop-facts.js';
import { type LoopStanding, type LoopUnknown, loopStandingLines } from '../iterations/loop-standing.js';
import { seriesTold } from './series-told.js';

/** The loop of a run as data, in `execution.json`. Fields are only ever added. */
export interface LoopRecord {
  /** The file that it is told from, and how many lines that had then. */
  readonly record: string;
  readonly lines: number;
  /** How it stands, a line each. */
  readonly words: readonly string[];
  readonly standing: LoopStanding | LoopUnknown;
  /** Every iteration that is decided, whatever became of it; the baseline is the first. */
  readonly iterations: readonly IterationLine[];
}

export interface IterationLine {
  readonly iteration: number;
  readonly verdict: IterationVerdict;
  readonly progress: boolean;
  readonly why: string;
  /** Null where nothing could be measured. */
  readonly value: number | null;
  /** The best number when it had been decided. */
  readonly best: number | null;
  readonly run: string;
  /** Of the record, where it was decided. */
  readonly line: number;
}

export function loopRecord({ loop, state }: RunFacts): LoopRecord | null {
  if (!loop) return null;
  const standing = standingOf(loop, state.run);
  const series = loopOf(loop);
  return {
    record: loop.path,
    lines: loop.entries.length,
    words: loopStandingLines(standing),
    standing,
    iterations: (series ? seriesTold(series).rows : []).map(({ row, decided }) => iterationLine(row, decided)),
  };
}

const iterationLine = (
  { number, verdict, progress, why, value, best, run }: IterationRow,
  line: number,
): IterationLine => ({
  iteration: number,
  verdict,
  progress,
  why,
  value: value ?? null,
  best: best ?? null,
  run,
  line,
});
