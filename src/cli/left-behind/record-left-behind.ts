import { FileJournal } from '../../adapters/journal/file-journal.js';
import { openRunStore } from '../../adapters/journal/run-store.js';
import { systemClock } from '../../adapters/system-clock.js';
import type { FoundNote } from '../../adapters/watch/watch-notes.js';
import type { RecordedEvent } from '../../model/events/event.js';
import type { Failure } from '../../model/failure.js';
import { failureWords } from '../../report/failures/failure-text.js';
import type { CliContext } from '../context.js';
import { noteEnd } from '../run/note-end.js';

interface LeftBehind {
  readonly note: FoundNote;
  readonly failure: Failure;
  readonly root: string;
  readonly context: CliContext;
}

/** The journal of the run that was cut short says what was found, and that the attempt did not pass. */
export async function recordLeftBehind({ note, failure, root, context }: LeftBehind): Promise<void> {
  const store = openRunStore(root, context.agentId);
  const reading = store.ids().includes(note.run) ? store.read(note.run) : undefined;
  if (!reading?.state || reading.state.outcome === 'passed') return;
  const task = reading.state.tasks.get(note.task);
  const violated = failure.code === 'scope-violated' || failure.code === 'protect-violated' ? failure.files : [];
  const call = reading.entries.findLast((entry) => entry.type === 'agent-invoked' && entry.task === note.task);
  const detail = `${failureWords(failure).what} (found after the run had been cut short)`;
  const events: RecordedEvent[] = [
    {
      type: 'agent-validation-failed',
      call: call?.type === 'agent-invoked' ? call.call : '',
      task: note.task,
      detail,
      again: false,
      violated,
    },
  ];
  if (task?.status === 'running')
    events.push({
      type: 'task-failed',
      task: note.task,
      attempt: task.attempts,
      durationMs: 0,
      failure,
      retrying: false,
      errorClass: failure.code,
      counted: false,
    });
  events.push({ type: 'run-finished', outcome: 'violated', durationMs: 0 });
  const journal = new FileJournal(store.journalFile(note.run), systemClock, reading);
  const last = journal.append(events).at(-1)!;
  await journal.flushed();
  await journal.close();
  const ends = { first: reading.entries[0]!.hash, seq: last.seq, hash: last.hash };
  const tell = { ephemeral: (event: { readonly type: string }) => void event };
  noteEnd({ id: note.run, dir: store.runDir(note.run), ends: () => ends }, { root, context, reporter: tell });
}
