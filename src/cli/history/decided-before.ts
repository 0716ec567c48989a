import { endNoteOutside, readEndNote } from '../../adapters/journal/end-notes.js';
import type { JournalReading } from '../../adapters/journal/file-journal.js';
import type { RunStore } from '../../adapters/journal/run-store.js';
import { lostEnd } from '../../journal/noted-end.js';
import type { JournalEntry } from '../../model/events/event.js';
import { FailureError } from '../../model/failure.js';
import type { EarlierDecision, GatePorts } from '../../run/gates/gate-ports.js';
import type { CliContext } from '../context.js';
import { endsPlace } from '../run/vault-place.js';

export interface DecidedPlace {
  readonly root: string;
  readonly context: CliContext;
  readonly store: RunStore;
  /** The run that goes on now. */
  readonly run: string;
  /** Of the study. */
  readonly name: string;
}

/** Looks through the journals of a study for what was decided about exactly this. The newest decision counts, whatever it says. */
export function decidedBefore(place: DecidedPlace): NonNullable<GatePorts['decidedBefore']> {
  const { store, name, run } = place;
  const decisionsOf = (id: string): readonly EarlierDecision[] =>
    store.nameOf(id) === name ? believed(id, place).flatMap((entry) => decisionIn(entry, id) ?? []) : [];
  // A study may have many gates and many runs, and to the others nothing is added while this one goes on.
  let earlier: readonly EarlierDecision[] | undefined;
  return (task, shown) => {
    earlier ??= store.ids().flatMap((id) => (id === run ? [] : decisionsOf(id)));
    return [...earlier, ...decisionsOf(run)]
      .filter((one) => one.task === task && one.shown === shown)
      .reduce<EarlierDecision | undefined>(
        (newest, one) => (newest && newest.from.at > one.from.at ? newest : one),
        undefined,
      );
  };
}

function decisionIn(entry: JournalEntry, run: string): EarlierDecision | undefined {
  if (entry.type === 'gate-decided') return { ...entry, from: entry.from ?? { run, at: entry.at } };
  // What a run took over, when the one that it took it from has been removed.
  const { decided } = (entry.type === 'task-skipped' && entry.gate) || {};
  return decided && { ...decided, from: decided.from ?? { run, at: new Date(decided.at).toISOString() } };
}

/**
 * The lines of a run, as far as they were there when it ended: a chain of hashes can be written by anybody, the note outside of
 * the project by no agent. One without a note says nothing here, and a person is asked once more.
 */
function believed(id: string, { root, context, store, run }: DecidedPlace): readonly JournalEntry[] {
  let reading: JournalReading | undefined;
  try {
    reading = store.read(id);
  } catch (error) {
    if (error instanceof FailureError) return [];
    throw error;
  }
  const entries = reading?.entries ?? [];
  if (id === run || entries.length === 0) return entries;
  const note = readEndNote(endNoteOutside(endsPlace(root, context), entries[0]!.hash));
  if (typeof note === 'string' || lostEnd(note, id, entries)) return [];
  return entries.slice(0, note.seq + 1);
}
