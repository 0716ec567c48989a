import type { JournalEntry } from '../../model/events/event.js';
import type { TaskId } from '../../model/plan.js';

/**
 * From when on whatever was written will be made again, if it was a task of this run that wrote it: what a task leaves that has come to its end is there
 * before the journal says so, and one that was at work when the runner went is begun anew. A job goes on without a runner: then nobody can tell.
 */
export function redoneSince(entries: readonly JournalEntry[]): number {
  const open = new Map<TaskId, number>();
  const jobs = new Set<TaskId>();
  let last = 0;
  for (const entry of entries) {
    last = Math.max(last, Date.parse(entry.at));
    if (entry.type === 'task-started') open.set(entry.task, open.get(entry.task) ?? Date.parse(entry.at));
    else if (entry.type === 'job-submitting') jobs.add(entry.task);
    else if (entry.type === 'job-finished') jobs.delete(entry.task);
    // What a person is shown is not made anew for their answer.
    else if (entry.type === 'task-finished' || entry.type === 'gate-opened') open.delete(entry.task);
  }
  return jobs.size > 0 ? Number.POSITIVE_INFINITY : Math.min(last, ...open.values());
}
