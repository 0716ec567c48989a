import { formatDuration } from '../../model/duration.js';
import type { StopCause } from '../../model/events/iteration-event.js';
import { shownNumber } from '../../model/shown-number.js';
import type { SeriesState } from '../../model/state/iteration-state.js';
import type { IterateRules } from './rules.js';

/** What comes next in a loop. */
export type NextStep =
  | { readonly do: 'begin-series'; readonly series: number }
  | { readonly do: 'start'; readonly number: number; readonly repeat: number }
  /** Begin or resume the run of the open iteration, or see what it came to. */
  | { readonly do: 'run' }
  | { readonly do: 'decide' }
  /** Make the checkout what was decided, and tell of it. */
  | { readonly do: 'close' }
  | Stop;

export interface Stop {
  readonly do: 'stop';
  readonly because: StopCause;
  readonly detail: string;
}

/** Whether `until` holds, given what is known; only asked once an iteration has been decided. */
export type Until = (state: SeriesState) => boolean;

/** Pure: the record and the rules alone say what comes next, so whoever was killed goes on where it was. */
export function nextStep(state: SeriesState | undefined, name: string, tools: NextTools): NextStep {
  if (!state || state.name !== name) return { do: 'begin-series', series: (state?.series ?? 0) + 1 };
  const { rules } = tools;
  const { open } = state;
  if (open) {
    if (!open.measured) return { do: 'run' };
    const isRepeat = open.number === 0 && state.baseline.length < rules.repeats;
    return { do: open.decided || isRepeat ? 'close' : 'decide' };
  }
  const last = state.rows.at(-1);
  if (!last && rules.repeats > 0) return { do: 'start', number: 0, repeat: state.baseline.length + 1 };
  return stopOf(state, tools) ?? { do: 'start', number: (last?.number ?? 0) + 1, repeat: 1 };
}

export interface NextTools {
  readonly rules: IterateRules;
  readonly until?: Until;
}

/** Why the loop is over; undefined: it is not. The order is that in which people would name the reasons. */
export function stopOf(state: SeriesState, { rules, until }: NextTools): Stop | undefined {
  const stop = (because: StopCause, detail: string): Stop => ({ do: 'stop', because, detail });
  const last = state.rows.at(-1);
  if (last && rules.until !== undefined && until?.(state)) return stop('until', `${rules.until} holds`);
  if (state.failuresInRow >= rules.failures)
    return stop('failures', `${count(state.failuresInRow, 'iteration')} failed one after another`);
  if (last && last.number >= rules.max)
    return stop('max', `${count(rules.max, 'iteration')} ${rules.max === 1 ? 'was' : 'were'} made`);
  if (rules.patience !== undefined && state.withoutProgress >= rules.patience)
    return stop('patience', `${count(state.withoutProgress, 'iteration')} in a row made no progress`);
  return plateauOf(state, rules) ?? overBudget(state, rules);
}

function plateauOf({ rows, best }: SeriesState, { plateau }: IterateRules): Stop | undefined {
  if (!plateau || !best) return undefined;
  const before = rows.at(-1 - plateau.over)?.best;
  if (before === undefined) return undefined;
  const gain = Math.abs(best.value - before);
  if (gain >= plateau.gain) return undefined;
  const detail = `the last ${plateau.over} iterations together won ${shownNumber(gain)}, less than ${shownNumber(plateau.gain)}`;
  return { do: 'stop', because: 'plateau', detail };
}

function overBudget({ usd, workedMs }: SeriesState, rules: IterateRules): Stop | undefined {
  if (rules.usd !== undefined && usd >= rules.usd)
    return {
      do: 'stop',
      because: 'budget',
      detail: `$${shownNumber(usd)} of $${shownNumber(rules.usd)} are spent (iterate.budget.usd)`,
    };
  if (rules.timeMs !== undefined && rules.timeMs - workedMs < shortest)
    return {
      do: 'stop',
      because: 'budget',
      detail: `${formatDuration(workedMs)} of ${formatDuration(rules.timeMs)} were worked (iterate.budget.time)`,
    };
  return undefined;
}

/** Less than that is no time to begin anything in. */
const shortest = 1000;

const count = (number: number, noun: string): string => `${number} ${noun}${number === 1 ? '' : 's'}`;
