import type { Outcome } from '../../model/events/event.js';
import type { LoopEnd } from '../../model/events/iteration-event.js';
import type { SeriesState } from '../../model/state/iteration-state.js';
import type { RunState } from '../../model/state/run-state.js';

/** Why a loop stopped, as the predicate of a sentence. One that was to reach something and did not says so first. */
export const endedWords = ({
  detail,
  missed,
}: {
  readonly detail: string;
  readonly missed?: string | null | undefined;
}): string => (missed ? `ended without reaching its goal: ${detail}, and ${missed}` : `ended because ${detail}`);

/** What a loop that is over counts as; undefined while it goes on, and where an old record does not say. */
export function seriesOutcome({ finished }: SeriesState): LoopEnd['outcome'] {
  if (!finished) return undefined;
  return finished.outcome ?? told[finished.because];
}

/** Of causes that leave no doubt. */
const told: { readonly [because: string]: LoopEnd['outcome'] } = {
  until: 'passed',
  failures: 'failed',
  budget: 'over-budget',
};

/** How the end of a loop counts for the run that it ended with. */
export interface LoopVerdict {
  readonly outcome: LoopEnd['outcome'] | null | undefined;
  /** The run of the newest iteration that is decided. */
  readonly last: string | null;
}

/**
 * What is told of a run, wherever it is told. The run with which a loop ended counts as no more than the loop: `exec` has
 * ended with that code, and whoever asks for the newest run asks how the study went. A run that failed by itself stays so.
 */
export function toldOutcome(
  { run, outcome }: Pick<RunState, 'run' | 'outcome'>,
  loop: LoopVerdict | { readonly problem: string } | undefined,
): Outcome {
  const isItsEnd = loop !== undefined && 'last' in loop && loop.last === run;
  return isItsEnd && outcome === 'passed' ? (loop.outcome ?? outcome) : outcome;
}
