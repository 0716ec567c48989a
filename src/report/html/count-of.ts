import type { Place } from '../history/reckoning.js';
import { plural } from '../words/phrase.js';
import type { Markup } from './markup.js';
import type { Sources } from './sources.js';

export interface Counted {
  readonly what: string;
  readonly places: readonly Place[];
  /** `run`, or `attempt or wait` and `attempts and waits`; without it the number stands alone. */
  readonly one?: string;
  readonly many?: string;
}

/** `3 runs`, which leads to the three lines. */
export const countOf = (sources: Sources, { what, places, one, many }: Counted): Markup =>
  sources.follows(one === undefined ? String(places.length) : plural(places.length, one, many), {
    what,
    how: 'count of the lines',
    places,
  });
