import type { IterationEntry, ToldOf } from '../model/events/iteration-event.js';
import type { SeriesState } from '../model/state/iteration-state.js';
import { applyIteration } from './apply-iteration.js';

export interface Series {
  readonly state: SeriesState;
  /** Its lines of the record, oldest first. */
  readonly entries: readonly IterationEntry[];
  /** Where each iteration was told of, by its number. */
  readonly told: ReadonlyMap<number, ToldOf>;
}

/** Every series of a record, oldest first. */
export function seriesIn(entries: readonly IterationEntry[]): readonly Series[] {
  const all: { state: SeriesState; entries: IterationEntry[]; told: Map<number, ToldOf> }[] = [];
  let state: SeriesState | undefined;
  for (const entry of entries) {
    state = applyIteration(state, entry);
    if (entry.type === 'series-started') all.push({ state, entries: [], told: new Map() });
    const last = all.at(-1)!;
    last.state = state;
    last.entries.push(entry);
    if (entry.type === 'iteration-closed' && entry.told) last.told.set(entry.number, entry.told);
  }
  return all;
}

/** The name of the number that a series is about; undefined where nothing was told of yet. */
export const metricIn = ({ told }: Series): string | undefined => [...told.values()].at(-1)?.metric;
