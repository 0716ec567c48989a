import type { JournalEntry } from '../../model/events/event.js';
import { gatesOf } from '../record/gates.js';
import { jobsOf } from '../record/jobs.js';

/** Something that took time. */
export interface Span {
  readonly row: string;
  readonly kind: 'passed' | 'failed' | 'running' | 'mending' | 'pause' | 'gate' | 'queue';
  readonly startMs: number;
  readonly endMs: number;
  readonly line: number;
  /** The lines that it lies between; one only where the other end is said by a length, or has not come. */
  readonly between: readonly number[];
}

/** Attempts, and what was waited for: pauses before another try, people at gates, queues of schedulers. */
export function spansOf(entries: readonly JournalEntry[]): readonly Span[] {
  const spans: Span[] = [];
  const open = new Map<string, { readonly startMs: number; readonly line: number }>();
  const endMs = Date.parse(entries.at(-1)?.at ?? '');
  for (const entry of entries) {
    const [atMs, line] = [Date.parse(entry.at), entry.seq + 1];
    if (entry.type === 'task-started') open.set(entry.task, { startMs: atMs, line });
    else if (entry.type === 'task-finished' || entry.type === 'task-failed') {
      const begun = open.get(entry.task);
      const startMs = begun?.startMs ?? atMs - entry.durationMs;
      open.delete(entry.task);
      spans.push({
        row: entry.task,
        kind: entry.type === 'task-finished' ? 'passed' : 'failed',
        startMs,
        endMs: atMs,
        line,
        between: [begun?.line ?? line, line],
      });
    } else if (entry.type === 'retry-scheduled')
      spans.push({
        row: entry.task,
        kind: 'pause',
        startMs: atMs,
        endMs: Math.min(atMs + entry.afterMs, endMs),
        line,
        between: [line],
      });
    else if (entry.type === 'fix-finished')
      spans.push({
        row: entry.task,
        kind: 'mending',
        startMs: atMs - entry.durationMs,
        endMs: atMs,
        line,
        between: [line],
      });
  }
  for (const [row, { startMs, line }] of open)
    spans.push({ row, kind: 'running', startMs, endMs, line, between: [line, entries.length] });
  for (const { task, openedMs, line, decision } of gatesOf(entries).filter(({ from }) => from === undefined))
    spans.push({
      row: task,
      kind: 'gate',
      startMs: openedMs,
      endMs: decision?.atMs ?? endMs,
      line,
      between: [line, decision?.line ?? entries.length],
    });
  for (const { task, submittedAt, startedAt, endedAt, line, startLine, endLine } of jobsOf(entries))
    spans.push({
      row: task,
      kind: 'queue',
      startMs: Date.parse(submittedAt),
      endMs: Date.parse(startedAt ?? endedAt ?? '') || endMs,
      line,
      between: [line, startLine ?? endLine ?? entries.length],
    });
  return spans.sort((a, b) => a.startMs - b.startMs || a.line - b.line);
}
