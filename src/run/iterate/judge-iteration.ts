import type { IterationDecided, IterationMeasured } from '../../model/events/iteration-event.js';
import { shownNumber } from '../../model/shown-number.js';
import type { SeriesState } from '../../model/state/iteration-state.js';
import type { IterateRules } from './rules.js';

type Judged = Omit<IterationDecided, 'type' | 'number' | 'changes'>;

export interface Changed {
  /** How many files differ from what the iteration began with. */
  readonly files: number;
  /** Nothing but the number of a seed. */
  readonly onlySeed: boolean;
  /** A file that became a link to what is not of the loop, in words. */
  readonly link?: string | undefined;
  /** What was changed after it was measured, in words. */
  readonly unmeasured?: string | undefined;
}

/** Whether an iteration was progress, and whether what it changed stays. `changed` is known with `keep: best` alone. */
export function judgeIteration(
  state: SeriesState,
  measured: IterationMeasured,
  { rules, changed }: { readonly rules: IterateRules; readonly changed?: Changed },
): Judged {
  if (measured.number === 0) return judgeBaseline(state.baseline);
  if (measured.failure !== undefined) return { verdict: 'failed', progress: false, why: measured.failure };
  if (changed?.link !== undefined) return { verdict: 'failed', progress: false, why: changed.link };
  if (changed?.unmeasured !== undefined) return { verdict: 'failed', progress: false, why: changed.unmeasured };
  const { value } = measured;
  const { metric, keep } = rules;
  if (!metric || value === undefined)
    return { verdict: 'kept', progress: false, why: 'there is no metric to judge it by' };
  const no = (why: string): Judged => ({ verdict: keep === 'best' ? 'discarded' : 'kept', progress: false, why });
  const yes = (why: string): Judged => ({ verdict: 'kept', progress: true, why, value });
  if (changed && changed.files === 0) return no('nothing was changed, so a better number would be luck');
  if (changed?.onlySeed) return no('nothing but a seed was changed, so a better number would be luck');
  const { best } = state;
  if (!best) return yes(`${metric.name} is ${shownNumber(value)}, the first that was measured`);
  const gain = metric.better === 'lower' ? best.value - value : value - best.value;
  const than = `${shownNumber(value)} after ${shownNumber(best.value)}`;
  if (gain <= 0) return no(`${metric.name} is ${than}: no better than the best`);
  if (gain <= state.noise)
    return no(
      `${metric.name} is ${than}: won ${shownNumber(gain)}, not more than the noise floor of ${shownNumber(state.noise)}`,
    );
  if (gain < rules.minEffect)
    return no(
      `${metric.name} is ${than}: won ${shownNumber(gain)}, less than the ${shownNumber(rules.minEffect)} of minEffect`,
    );
  return yes(`${metric.name} is ${than}: won ${shownNumber(gain)}`);
}

/** The mean of its repeats is what has to be beaten, by more than they differ. */
function judgeBaseline(values: readonly number[]): Judged {
  const value = values.reduce((sum, one) => sum + one, 0) / values.length;
  const noise = Math.max(...values) - Math.min(...values);
  const times =
    values.length === 1 ? 'measured once' : `measured ${values.length} times, noise floor ${shownNumber(noise)}`;
  return { verdict: 'kept', progress: true, why: `the baseline, ${times}`, value, noise };
}
