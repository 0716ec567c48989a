import { firstPrev, seal } from '../../src/journal/chain.js';
import type { JournalEntry, RecordedEvent, RunStarted } from '../../src/model/events/event.js';
import type { Fingerprint } from '../../src/model/fingerprint.js';

export const runStarted = (tasks = 1): RunStarted => ({
  type: 'run-started',
  journal: 1,
  run: '1-test',
  name: 'study',
  planDigest: 'digest',
  tasks,
  tool: '0.0.0',
  host: 'host',
  pid: 1,
});

export const fingerprint: Fingerprint = { v: 1, behaviour: 'b', options: 'o', env: 'e', inputs: {}, upstream: {} };

/** Seals events into a journal's text, as a run would have written it. */
export function journalOf(events: readonly RecordedEvent[]): {
  text: string;
  lines: string[];
  entries: JournalEntry[];
} {
  let prev = firstPrev;
  const lines: string[] = [];
  const entries: JournalEntry[] = [];
  for (const [seq, event] of events.entries()) {
    const { entry, line } = seal(event, { seq, at: new Date(Date.UTC(2026, 0, 1) + seq * 1000).toISOString(), prev });
    prev = entry.hash;
    lines.push(line);
    entries.push(entry);
  }
  return { text: lines.join(''), lines, entries };
}

export const passing = (task: string): RecordedEvent[] => [
  { type: 'task-started', task, attempt: 1, reasons: [{ code: 'never-ran', detail: 'no earlier result' }] },
  { type: 'task-finished', task, attempt: 1, durationMs: 5, fingerprint, outputs: [], product: `product of ${task}` },
];
