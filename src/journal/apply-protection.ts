import type { JournalEntry } from '../model/events/event.js';
import type { ProtectionRecorded, ProtectionViolated, StudyChanged } from '../model/events/protection-event.js';
import type { RunState } from '../model/state/run-state.js';

type OfProtection = JournalEntry & (ProtectionRecorded | ProtectionViolated | StudyChanged);

export const isOfProtection = (entry: JournalEntry): entry is OfProtection =>
  entry.type === 'protection-recorded' || entry.type === 'protection-violated' || entry.type === 'study-changed';

interface Book {
  protection?: NonNullable<RunState['protection']>;
  found?: NonNullable<RunState['found']>;
}

export function applyProtection<Open extends Book>(open: Open, entry: OfProtection): Open {
  if (entry.type === 'protection-recorded') {
    const { digest, files, patterns, content } = entry;
    open.protection = { digest, files, patterns, ...(content === undefined ? {} : { content }) };
    return open;
  }
  // What a task failed of stands in its failure; the rest would be told nowhere else.
  if (entry.type === 'protection-violated' && entry.task !== undefined) return open;
  const { seq: _seq, at: _at, prev: _prev, hash: _hash, ...found } = entry;
  const earlier = (open.found ?? []).filter(({ type, evidence }) => type !== found.type || evidence !== found.evidence);
  open.found = [...earlier, found];
  return open;
}
