import { endNoteIn, endNoteOutside, writeEndNote } from '../../adapters/journal/end-notes.js';
import type { EndNote } from '../../model/files/end-note.js';
import type { Reporter } from '../../model/ports.js';
import type { CliContext } from '../context.js';
import type { OpenedRun } from './opened-run.js';
import { endsPlace } from './vault-place.js';

interface NoteTools {
  readonly root: string;
  readonly context: CliContext;
  readonly reporter: Pick<Reporter, 'ephemeral'>;
}

/** What `verify` holds the journal against later. Call it when the journal is flushed. */
export const noteEnd = (opened: Noted, tools: NoteTools): void => note(opened, tools);

/** More lines are going to follow the end that was noted before. Whoever is killed among them has not tampered with anything. */
export const noteGoingOn = (opened: Noted, tools: NoteTools): void => note(opened, tools, { open: true });

type Noted = Pick<OpenedRun, 'id' | 'dir' | 'ends'>;

function note(opened: Noted, { root, context, reporter }: NoteTools, more: Pick<EndNote, 'open'> = {}): void {
  const ends = opened.ends();
  if (!ends) return;
  const note: EndNote = { version: 1, run: opened.id, ...ends, ...more };
  const places = [endNoteIn(opened.dir), endNoteOutside(endsPlace(root, context), ends.first)];
  for (const file of places) {
    const problem = writeEndNote(file, note);
    if (problem !== undefined) reporter.ephemeral({ type: 'notice', text: problem });
  }
}
