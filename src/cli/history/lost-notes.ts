import { noteNames } from '../../adapters/watch/watch-notes.js';
import type { JournalEntry } from '../../model/events/event.js';
import { FailureError } from '../../model/failure.js';
import type { CliContext } from '../context.js';
import { notesPlace } from '../run/vault-place.js';
import type { NewestRun } from './history.js';

/**
 * A run was cut short while an agent was at work, and what its files were like before is gone: nobody can tell any more what
 * the agent wrote where it must not.
 */
export function refuseLostNotes({ reading }: NewestRun, root: string, context: CliContext): void {
  const open = openNotes(reading.entries);
  if (open.size === 0) return;
  const folder = notesPlace(root, context);
  const there = noteNames(folder);
  for (const [note, agent] of open)
    if (!there.has(note))
      throw new FailureError({
        code: 'journal-corrupt',
        file: folder,
        line: 0,
        detail: `the note of what files were like before agent ${agent} began is gone, so nobody knows what it wrote when the run was cut short`,
      });
}

/** Whoever goes on has looked, and has written so. */
function openNotes(entries: readonly JournalEntry[]): ReadonlyMap<string, string> {
  const open = new Map<string, { readonly note: string; readonly agent: string }>();
  for (const entry of entries) {
    if (entry.type === 'run-started' || entry.type === 'run-finished') open.clear();
    else if (entry.type === 'agent-completed' || entry.type === 'agent-failed') open.delete(entry.call);
    else if (entry.type === 'agent-invoked' && entry.note !== undefined)
      open.set(entry.call, { note: entry.note, agent: entry.agent });
  }
  return new Map([...open.values()].map(({ note, agent }) => [note, agent]));
}
