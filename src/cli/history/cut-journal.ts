import { endNoteIn, endNoteOutside, readEndNote } from '../../adapters/journal/end-notes.js';
import type { RunStore } from '../../adapters/journal/run-store.js';
import { lostEnd } from '../../journal/noted-end.js';
import { FailureError } from '../../model/failure.js';
import type { EndNote } from '../../model/files/end-note.js';
import type { CliContext } from '../context.js';
import { endsPlace } from '../run/vault-place.js';
import type { NewestRun } from './history.js';

interface CutPlaces {
  readonly root: string;
  readonly store: RunStore;
  readonly context: CliContext;
}

/**
 * A chain of hashes does not show that its last lines are missing. A run that has ended was noted, so nobody goes on from
 * where it stood before: that would give back tries that were spent and answers that were given.
 */
export function refuseCutJournal({ id, reading }: NewestRun, { root, store, context }: CutPlaces): void {
  const { entries } = reading;
  const first = entries[0]?.hash;
  if (first === undefined) return;
  for (const place of [endNoteIn(store.runDir(id)), endNoteOutside(endsPlace(root, context), first)]) {
    const note = readEndNote(place);
    // One that is gone or unreadable is a finding of verify; here it would only keep a person from going on.
    if (typeof note === 'string') continue;
    const lost = lostEnd(note, id, entries);
    if (!lost) continue;
    const file = store.journalFile(id);
    throw new FailureError({ code: 'journal-corrupt', file, line: lost.line, detail: words[lost.kind](note) });
  }
}

const words: Record<NonNullable<ReturnType<typeof lostEnd>>['kind'], (note: EndNote) => string> = {
  other: () => 'the end that was noted belongs to another journal',
  cut: ({ seq }) => `the run ended at line ${seq + 1}, and everything after this line is gone`,
  changed: () => 'this is not the line that the run ended with',
};
