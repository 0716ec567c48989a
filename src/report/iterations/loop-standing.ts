import type { IterationVerdict } from '../../model/events/iteration-event.js';
import { shownNumber } from '../../model/shown-number.js';
import type { SeriesState } from '../../model/state/iteration-state.js';
import { plural } from '../words/phrase.js';
import { endedWords, seriesOutcome } from './loop-outcome.js';

/** How the loop of a run stands, by its record: what was kept, and why it ended. For `status --json` and `verify --json` too; fields are only ever added. */
export interface LoopStanding {
  readonly series: number;
  /** Decided iterations, the baseline apart. */
  readonly iterations: number;
  /** The numbers of those that were progress and stay. */
  readonly kept: readonly number[];
  /** Null before anything was measured. `iteration` 0 is the baseline. */
  readonly best: {
    readonly iteration: number;
    readonly value: number;
    /** The name of the number. */
    readonly metric: string;
    readonly run: string;
    /** What it changed, as git has it; null where nothing was committed. */
    readonly commit: string | null;
    readonly branch: string | null;
  } | null;
  /** The iteration that has begun and is not decided. */
  readonly open: number | null;
  /** What the loop counts as, and with it the run that it ended with; null while it goes on. */
  readonly outcome: 'passed' | 'failed' | 'over-budget' | null;
  /** Why the loop stopped, and what it was to reach and did not; null while it goes on. */
  readonly ended: { readonly because: string; readonly detail: string; readonly missed: string | null } | null;
  /** The run of the newest iteration that is decided. */
  readonly last: string | null;
  /** What became of this run's iteration; null where it is not decided. */
  readonly decided: { readonly verdict: IterationVerdict; readonly why: string } | null;
}

/** Why nothing can be said of it: the record cannot be believed. */
export interface LoopUnknown {
  readonly problem: string;
}

export function loopStanding(state: SeriesState, run: string, metric = 'metric'): LoopStanding {
  const { rows, best, open, finished } = state;
  const own = rows.find((row) => row.run === run);
  const of = best && rows.find(({ number }) => number === best.number);
  return {
    series: state.series,
    iterations: rows.filter(({ number }) => number > 0).length,
    kept: rows.filter(({ verdict, number }) => verdict === 'kept' && number > 0).map(({ number }) => number),
    best:
      best && of
        ? {
            iteration: best.number,
            value: best.value,
            metric,
            run: of.run,
            commit: (of.changes ?? of.made)?.commit ?? null,
            branch: (of.changes ?? of.made)?.branch ?? null,
          }
        : null,
    open: open?.number ?? null,
    outcome: seriesOutcome(state) ?? null,
    ended: finished ? { because: finished.because, detail: finished.detail, missed: finished.missed ?? null } : null,
    last: rows.at(-1)?.run ?? null,
    decided: own ? { verdict: own.verdict, why: own.why } : null,
  };
}

/** One line each: how far it is and why it ended, what is the best, and what became of this iteration. */
export function loopStandingLines(loop: LoopStanding | LoopUnknown): string[] {
  if ('problem' in loop) return [`the record of the loop cannot be believed: ${loop.problem}`];
  const { series, iterations, ended, best, open, decided, kept } = loop;
  const made = `loop, series ${series}: ${plural(iterations, 'iteration')} decided, ${kept.length} kept`;
  const now = ended ? endedWords(ended) : open === null ? 'not ended' : `not ended, ${nameOf(open)} is open`;
  return [
    `${made}; ${now}`,
    ...(best ? [`best: ${best.metric} ${shownNumber(best.value)}, ${bestWords(best)}`] : []),
    ...(decided ? [`this one: ${decided.verdict}, ${decided.why}`] : []),
  ];
}

function bestWords({ iteration, run, commit }: NonNullable<LoopStanding['best']>): string {
  return `${nameOf(iteration)}, run ${run}${commit === null ? '' : `, commit ${commit.slice(0, 12)}`}`;
}

const nameOf = (number: number): string => (number === 0 ? 'the baseline' : `iteration ${number}`);
