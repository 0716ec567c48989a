import type { JournalEntry } from '../../model/events/event.js';
import type { Standing } from '../history/run-counts.js';
import { lineOf, type RunFacts } from '../history/run-facts.js';

/** The line that says how a task stands: its newest beginning, end or skip. */
export function endLines(entries: readonly JournalEntry[]): ReadonlyMap<string, number> {
  const lines = new Map<string, number>();
  for (const entry of entries)
    if (
      entry.type === 'task-started' ||
      entry.type === 'task-finished' ||
      entry.type === 'task-failed' ||
      entry.type === 'task-skipped'
    )
      lines.set(entry.task, lineOf(entry));
  return lines;
}

/** The newest line with what a task has published: its own record, or the skip that carries it along from an earlier run. */
export function publishedLines(
  entries: readonly JournalEntry[],
  what: 'tests' | 'metrics',
): ReadonlyMap<string, number> {
  const lines = new Map<string, number>();
  for (const entry of entries)
    if (
      (entry.type === 'tests-recorded' || entry.type === 'metrics-recorded' || entry.type === 'task-skipped') &&
      what in entry
    )
      lines.set(entry.task, lineOf(entry));
  return lines;
}

/** The newest line that says how many tasks the plan has. */
export const plannedLine = (entries: readonly JournalEntry[]): number => {
  const said = entries.findLast(({ type }) => type === 'run-started' || type === 'plan-extended');
  return said ? lineOf(said) : 1;
};

/** The lines of those tasks that stand in one of some ways. */
export function standingLines(
  { state, entries }: Pick<RunFacts, 'state' | 'entries'>,
  isMeant: (standing: Standing) => boolean,
): readonly number[] {
  const lines = endLines(entries);
  return [...state.tasks.values()]
    .flatMap(({ id, status }) => (isMeant(status) && lines.has(id) ? [lines.get(id)!] : []))
    .sort((a, b) => a - b);
}
