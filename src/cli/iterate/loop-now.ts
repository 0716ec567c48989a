import { relative } from 'node:path';
import { type IterationReading, readIterations, recordFile } from '../../adapters/iteration/iteration-record.js';
import { seriesIn } from '../../journal/series-in.js';
import { FailureError } from '../../model/failure.js';
import type { RunState } from '../../model/state/run-state.js';
import type { LoopFacts } from '../../report/history/run-facts.js';
import { loopOf, standingOf } from '../../report/iterations/loop-facts.js';
import { type LoopVerdict, seriesOutcome } from '../../report/iterations/loop-outcome.js';
import type { LoopStanding, LoopUnknown } from '../../report/iterations/loop-standing.js';
import { lostRecord } from './loop-evidence.js';
import type { LoopPlace } from './loop-place.js';

/** How the loop stands that a run belongs to; undefined for any other run. Only from a record that is the one that was noted. */
export function loopNow(place: LoopPlace, state: RunState): LoopStanding | LoopUnknown | undefined {
  const facts = loopFacts(place, state);
  return facts && standingOf(facts, state.run);
}

/** How the loops of a state folder count for the runs that they ended with. A record that cannot be believed says nothing. */
export function loopVerdicts(place: LoopPlace): ReadonlyMap<string, LoopVerdict> {
  try {
    const reading = readIterations(recordFile(place.dir));
    if (!reading || lostRecord(place, reading) !== undefined) return new Map();
    return new Map(
      seriesIn(reading.entries).flatMap(({ state }) => {
        const last = state.rows.at(-1)?.run;
        return last === undefined ? [] : [[last, { outcome: seriesOutcome(state), last }] as const];
      }),
    );
  } catch (error) {
    if (!(error instanceof FailureError)) throw error;
    return new Map();
  }
}

/** What the record tells, or why it cannot be believed. `lines`: as it was when it had so many. */
export function loopFacts(place: LoopPlace, { iteration }: RunState, lines?: number): LoopFacts | undefined {
  if (!iteration) return undefined;
  const file = recordFile(place.dir);
  const about = { path: relative(place.root, file), dir: relative(place.root, place.dir), series: iteration.series };
  const unknown = (problem: string): LoopFacts => ({ ...about, entries: [], problem });
  let reading: IterationReading | undefined;
  try {
    reading = readIterations(file);
  } catch (error) {
    if (!(error instanceof FailureError) || error.failure.code !== 'journal-corrupt') throw error;
    return unknown(`line ${error.failure.line}: ${error.failure.detail}`);
  }
  if (!reading?.state) return unknown('it is gone');
  const lost = lostRecord(place, reading);
  if (lost !== undefined) return unknown(lost);
  const facts = { ...about, entries: reading.entries.slice(0, lines) };
  return loopOf(facts) ? facts : unknown(`it knows nothing of series ${iteration.series}`);
}
