import { metricIn, type Series, seriesIn } from '../../journal/series-in.js';
import type { LoopFacts } from '../history/run-facts.js';
import { type LoopStanding, type LoopUnknown, loopStanding } from './loop-standing.js';

/** The series that the run belongs to; undefined where the record knows nothing of it. */
export const loopOf = ({ entries, series }: LoopFacts): Series | undefined =>
  seriesIn(entries).find(({ state }) => state.series === series);

/** How the loop stands, as one of its runs sees it. */
export function standingOf(loop: LoopFacts, run: string): LoopStanding | LoopUnknown {
  const series = loopOf(loop);
  if (!series) return { problem: loop.problem ?? 'it is gone' };
  return loopStanding(series.state, run, metricIn(series));
}
