import { FileJournal } from '../../adapters/journal/file-journal.js';
import { openRunStore } from '../../adapters/journal/run-store.js';
import { systemClock } from '../../adapters/system-clock.js';
import type { JournalEntry, RecordedEvent } from '../../model/events/event.js';
import type { Failure } from '../../model/failure.js';
import { failureWords } from '../../report/failures/failure-text.js';
import type { CliContext } from '../context.js';
import { noteEnd } from '../run/note-end.js';

/** What somebody did before a run was cut short. */
export interface FoundLeft {
  readonly run: string;
  /** Absent for what was found at the end of the run. */
  readonly task?: string;
  readonly failure: Failure;
  /** The journal says so already. */
  readonly isTold: boolean;
}

interface LeftBehind {
  readonly run: string;
  /** All of this run. */
  readonly found: readonly FoundLeft[];
  readonly root: string;
  readonly context: CliContext;
}

/** The journal of the run that was cut short says what was found, and that the attempt did not pass. */
export async function recordLeftBehind({ run, found, root, context }: LeftBehind): Promise<void> {
  const store = openRunStore(root, context.agentId);
  const reading = store.ids().includes(run) ? store.read(run) : undefined;
  if (!reading?.state || reading.state.outcome === 'passed') return;
  const events: RecordedEvent[] = found
    .filter(({ isTold }) => !isTold)
    .flatMap((one) => (one.task === undefined ? [] : [refused(one.task, one.failure, reading.entries)]));
  for (const task of new Set(found.map((one) => one.task))) {
    const state = task === undefined ? undefined : reading.state.tasks.get(task);
    if (state?.status !== 'running') continue;
    const { failure } = found.find((one) => one.task === task)!;
    const how = { retrying: false, errorClass: failure.code, counted: false } as const;
    events.push({ type: 'task-failed', task: state.id, attempt: state.attempts, durationMs: 0, failure, ...how });
  }
  events.push({ type: 'run-finished', outcome: 'violated', durationMs: 0 });
  const journal = new FileJournal(store.journalFile(run), systemClock, reading);
  const last = journal.append(events).at(-1)!;
  await journal.flushed();
  await journal.close();
  const ends = { first: reading.entries[0]!.hash, seq: last.seq, hash: last.hash };
  const tell = { ephemeral: (event: { readonly type: string }) => void event };
  noteEnd({ id: run, dir: store.runDir(run), ends: () => ends }, { root, context, reporter: tell });
}

function refused(task: string, failure: Failure, entries: readonly JournalEntry[]): RecordedEvent {
  const violated = failure.code === 'scope-violated' || failure.code === 'protect-violated' ? failure.files : [];
  const call = entries.findLast((entry) => entry.type === 'agent-invoked' && entry.task === task);
  return {
    type: 'agent-validation-failed',
    call: call?.type === 'agent-invoked' ? call.call : '',
    task,
    detail: `${failureWords(failure).what} (found after the run had been cut short)`,
    again: false,
    violated,
  };
}
