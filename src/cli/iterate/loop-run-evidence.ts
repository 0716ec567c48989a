import { endNoteIn, endNoteOutside, readEndNote } from '../../adapters/journal/end-notes.js';
import { openRunStore, type RunStore } from '../../adapters/journal/run-store.js';
import { lostEnd } from '../../journal/noted-end.js';
import type { IterationEntry, IterationMeasured } from '../../model/events/iteration-event.js';
import { FailureError } from '../../model/failure.js';
import { canonicalJson } from '../../model/json.js';
import { endsPlace } from '../run/vault-place.js';
import type { LoopPlace } from './loop-place.js';

/** Whether the runs of all iterations, as far as they are still there, say what the record says of them. */
export function runsNow(
  entries: readonly IterationEntry[],
  place: LoopPlace,
): { readonly words: string; readonly problems: readonly string[] } {
  const store = openRunStore(place.root, place.context.agentId);
  const there = new Set(store.ids());
  const problems: string[] = [];
  let begun = '';
  let told = 0;
  let gone = 0;
  for (const [done, entry] of entries.entries()) {
    if (entry.type === 'iteration-started') begun = entry.hash;
    if (entry.type !== 'iteration-measured') continue;
    place.context.progress.at({ what: 'reading runs of the loop', done, total: entries.length });
    if (!there.has(entry.run)) gone += 1;
    else {
      told += 1;
      const problem = runProblem(entry, begun, { store, place });
      if (problem !== undefined) problems.push(`iteration ${entry.number}, run ${entry.run}: ${problem}`);
    }
  }
  const removed = gone === 0 ? '' : `; ${gone} more are not there any more`;
  return { words: `${told} say what the record says of them${removed}`, problems };
}

interface RunTools {
  readonly store: RunStore;
  readonly place: LoopPlace;
}

function runProblem(entry: IterationMeasured, begun: string, { store, place }: RunTools): string | undefined {
  try {
    const reading = store.read(entry.run);
    if (!reading?.state) return 'its journal is empty';
    const { state, entries } = reading;
    const outside = endNoteOutside(endsPlace(place.root, place.context), entries[0]!.hash);
    for (const note of [endNoteIn(store.runDir(entry.run)), outside].map(readEndNote))
      if (typeof note !== 'string' && lostEnd(note, entry.run, entries))
        return 'its journal is not the one that was noted';
    if (state.iteration?.record !== begun) return 'it is not the run of this iteration';
    if (state.spend.usd > entry.usd) return 'it cost more than the record says';
    if (entry.value === undefined) return undefined;
    const metrics = [...state.tasks.values()].map((task) => task.metrics ?? {});
    const recorded = canonicalJson(entry.metrics ?? {});
    const isThere = metrics.some((one) => canonicalJson(one) === recorded && Object.values(one).includes(entry.value!));
    return isThere ? undefined : `no task recorded ${entry.value}`;
  } catch (error) {
    if (!(error instanceof FailureError) || error.failure.code !== 'journal-corrupt') throw error;
    return `line ${error.failure.line} of its journal: ${error.failure.detail}`;
  }
}
