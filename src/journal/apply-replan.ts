import type { OutputsAmended } from '../model/events/amend-event.js';
import type { Escalated, JournalEntry } from '../model/events/event.js';
import type { TaskFileChanged } from '../model/events/replan-event.js';
import type { TaskState } from '../model/state/run-state.js';
import { amend, applyAmend } from './apply-amend.js';

/** One step further along the list; `files` says that the step may change them. */
export function withEscalation(task: TaskState, { reason, files, patterns, copies }: Escalated): TaskState {
  return {
    ...withoutPlanning(task),
    escalations: (task.escalations ?? 0) + 1,
    escalatedFor: reason,
    ...(files && patterns && copies !== undefined ? { planning: { files, patterns, copies } } : {}),
  };
}

/** Whatever was to be changed has been taken, or put back. */
export function withoutPlanning({ planning: _planning, ...task }: TaskState): TaskState {
  return task;
}

interface Book {
  readonly tasks: Map<string, TaskState>;
  reopened?: { readonly [task: string]: number };
  replans?: { readonly [stage: string]: number };
  planChanges?: readonly TaskFileChanged[];
}

/** What somebody has changed by right of what others had made. */
export function applyChange(open: Book, entry: JournalEntry & (TaskFileChanged | OutputsAmended)): void {
  if (entry.type === 'outputs-amended') applyAmend(open, entry);
  else applyReplan(open, entry);
}

function applyReplan(open: Book, entry: JournalEntry & TaskFileChanged): void {
  const { seq: _seq, at: _at, prev: _prev, hash: _hash, ...change } = entry;
  const { task, stage, amended } = change;
  open.planChanges = [...(open.planChanges ?? []), change];
  open.replans = { ...open.replans, [stage]: (open.replans?.[stage] ?? 0) + 1 };
  const known = open.tasks.get(task);
  if (known) open.tasks.set(task, withoutPlanning(known));
  for (const { task: maker, outputs } of amended) amend(open, maker, outputs);
}
