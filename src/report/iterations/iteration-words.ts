import type { RunIteration } from '../../model/state/iteration-state.js';

/** Which iteration a run is. */
export const iterationWords = ({ number, of, repeat }: RunIteration): string =>
  number > 0 ? numberWords(number, of) : `baseline${repeat > 1 ? ` (${repeat})` : ''}`;

/** The most that a preset lets anybody state is no limit that they have set. */
export const numberWords = (number: number, max: number): string =>
  `iteration ${number}${max < noLimit ? ` of ${max}` : ''}`;

const noLimit = 1_000_000;
