import { journalLines, type Reckoning } from '../history/reckoning.js';
import type { RunFacts } from '../history/run-facts.js';

/** Which lines the time follows from that a run was at work. Waits for people do not count, nor does a machine that slept. */
export function timeAtWork({ state, entries }: RunFacts): Reckoning {
  const [first, last] = [entries[0], entries.at(-1)];
  const whole = Date.parse(last?.at ?? '') - Date.parse(first?.at ?? '');
  return state.workedMs === whole
    ? {
        what: 'the run at work',
        how: 'time from the first to the last line',
        places: journalLines([1, entries.length]),
      }
    : {
        what: 'the run at work',
        how: 'time from line to line, without waits for people and sleep of the machine',
        places: journalLines(entries.map((_, index) => index + 1)),
      };
}
