import type { JournalEntry } from '../../model/events/event.js';
import type { LoopFiles } from '../../model/fingerprint.js';
import type { Plan, TaskId } from '../../model/plan.js';
import { firstMeasuring } from './first-measuring.js';

export interface Given {
  readonly task: TaskId;
  readonly loop: LoopFiles;
}

/** What those who began the measuring were given, in their last attempt. Nothing in the journals of old versions. */
export function givenIn(entries: readonly JournalEntry[], plan: Plan): readonly Given[] {
  const found = new Map<TaskId, LoopFiles>();
  const first = firstMeasuring(plan);
  for (const entry of entries)
    if (entry.type === 'task-started' && entry.given && first.has(entry.task)) found.set(entry.task, entry.given);
  return [...found].map(([task, loop]) => ({ task, loop }));
}

/**
 * What is kept has to be what was measured: a program can put another file into its own place while it runs, or leave one beside it.
 * The files that are not as they were given.
 */
export function changedFiles({ loop }: Pick<Given, 'loop'>, now: LoopFiles): readonly string[] {
  const all = new Set([...Object.keys(loop.files), ...Object.keys(now.files)]);
  return [...all].filter((path) => loop.files[path] !== now.files[path]).sort();
}
