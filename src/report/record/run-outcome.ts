import type { Outcome } from '../../model/events/event.js';
import { shownNumber } from '../../model/shown-number.js';
import type { Place } from '../history/reckoning.js';
import { lineOf, type RunFacts } from '../history/run-facts.js';
import { loopOf } from '../iterations/loop-facts.js';
import { endedWords, seriesOutcome, toldOutcome } from '../iterations/loop-outcome.js';
import { seriesTold } from './series-told.js';

/** What a run counts as, and the line that says so. */
export interface RunOutcome {
  readonly outcome: Outcome;
  readonly from: Place;
  /** Why, where all its tasks passed and its loop did not. */
  readonly loop?: readonly { readonly text: string; readonly from: Place }[];
}

export function runOutcome({ state, entries, loop }: RunFacts): RunOutcome {
  const own = { outcome: state.outcome, from: { line: entries.length } };
  const series = loop && loopOf(loop);
  if (!series) return own;
  const { finished, rows, best } = series.state;
  const last = rows.at(-1)?.run ?? null;
  const outcome = toldOutcome(state, { outcome: seriesOutcome(series.state), last });
  if (outcome === state.outcome || !finished) return own;
  const told = seriesTold(series);
  const from = { path: loop.path, line: lineOf(told.ends.at(-1)!) };
  const row = best && told.rows.find(({ row: { number } }) => number === best.number);
  const where = best?.number === 0 ? 'the baseline' : `iteration ${best?.number}`;
  return {
    outcome,
    from,
    loop: [
      { text: `the loop ${endedWords(finished)}`, from },
      ...(row
        ? [
            {
              text: `; best: ${told.metric} ${shownNumber(best.value)}, ${where}`,
              from: { path: loop.path, line: row.decided },
            },
          ]
        : []),
    ],
  };
}
