/** Where something stands: a line of a file, from 1; without a path, of the journal. */
export interface Place {
  readonly path?: string;
  readonly line: number;
}

/** How a number follows from lines, in words that a reader can do again by hand. */
export type How =
  | 'count of the lines'
  | `count of ${string} on the line`
  | `sum of ${string}`
  | `mean of ${string}`
  | 'time from the first to the last line'
  | 'time from line to line, without waits for people and sleep of the machine'
  | 'tasks on the first line, less one for each other line';

/** A number that no line holds. */
export interface Reckoning {
  readonly what: string;
  readonly how: How;
  readonly places: readonly Place[];
}

export const journalLines = (lines: Iterable<number>): Place[] => [...lines].map((line) => ({ line }));

export const reckoningKey = (text: string, { what, how, places }: Reckoning): string =>
  [text, what, how, ...rangesOf(places)].join('\n');

/** For where there is room for one line only. */
export const reckoningWords = ({ what, how, places }: Reckoning): string => {
  const ranges = rangesOf(places);
  const from = ranges.length > 6 ? `${ranges.slice(0, 6).join(', ')} …` : ranges.join(', ');
  return `${what}: ${how}${places.length === 0 ? ', of which there are none' : ` (${from})`}`;
};

/** `journal.jsonl:3–5`. */
const rangesOf = (places: readonly Place[]): string[] =>
  placeRanges(places).map(
    ({ path = 'journal.jsonl', first, last }) => `${path}:${first === last ? first : `${first}–${last}`}`,
  );

export interface PlaceRange {
  readonly path?: string;
  readonly first: number;
  readonly last: number;
}

/** Lines that follow each other are one range; nothing is put in another order. */
export function placeRanges(places: readonly Place[]): readonly PlaceRange[] {
  const ranges: { path?: string; first: number; last: number }[] = [];
  for (const { path, line } of places) {
    const open = ranges.at(-1);
    if (open && open.path === path && line === open.last + 1) open.last = line;
    else ranges.push({ ...(path === undefined ? {} : { path }), first: line, last: line });
  }
  return ranges;
}
