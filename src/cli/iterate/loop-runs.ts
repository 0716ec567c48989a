import type { JournalReading } from '../../adapters/journal/file-journal.js';
import type { RunStore } from '../../adapters/journal/run-store.js';
import type { RunState } from '../../model/state/run-state.js';

/** The newest run of this study. */
export function newestRun(store: RunStore, name: string): JournalReading | undefined {
  const id = store.ids().find((one) => store.nameOf(one) === name);
  return id === undefined ? undefined : store.read(id);
}

/** The newest run of this study, if it is the one of the iteration that began with this line of the record. */
export function ownRun(store: RunStore, name: string, record: string): RunState | undefined {
  const state = newestRun(store, name)?.state;
  return state?.iteration?.record === record ? state : undefined;
}

/** The highest number of a series that a run of this study tells of; 0 where none does. */
export const lastSeries = (store: RunStore, name: string): number =>
  Math.max(
    0,
    ...store
      .ids()
      .filter((id) => store.nameOf(id) === name)
      .map((id) => seriesOf(store, id)),
  );

/** A journal that cannot be read says nothing; others complain about it. */
function seriesOf(store: RunStore, id: string): number {
  try {
    return store.read(id)?.state?.iteration?.series ?? 0;
  } catch {
    return 0;
  }
}
