import type { LoopEnd, StopCause } from '../../model/events/iteration-event.js';
import type { SeriesState } from '../../model/state/iteration-state.js';
import type { IterateRules } from './rules.js';

/** A loop with a goal that it did not reach has failed, and so has one that never measured anything. */
export function loopEnd(
  { best }: Pick<SeriesState, 'best'>,
  because: StopCause,
  { until, metric }: Pick<IterateRules, 'until' | 'metric'>,
): LoopEnd & { readonly outcome: NonNullable<LoopEnd['outcome']> } {
  if (because === 'budget') return { outcome: 'over-budget' };
  if (because === 'until') return { outcome: 'passed' };
  if (because === 'failures') return { outcome: 'failed' };
  if (metric && !best) return { outcome: 'failed', missed: 'nothing could be measured' };
  return until === undefined ? { outcome: 'passed' } : { outcome: 'failed', missed: `${until} never held` };
}
