import { openRunStore } from '../../adapters/journal/run-store.js';
import type { FoundNote } from '../../adapters/watch/watch-notes.js';
import { literally } from '../../model/glob.js';
import { writtenBy } from '../../run/protect/claims.js';
import type { CliContext } from '../context.js';

/** Tasks that were at work in the same tree since somebody was watched, and what they may have written there, by what the journal tells. */
export function workedBeside(
  { run, task, begunMs, place }: FoundNote,
  { root, context }: { readonly root: string; readonly context: CliContext },
): { readonly tasks: readonly string[]; readonly patterns: readonly string[] } {
  // In a worktree nobody else is at work.
  if (place !== root) return { tasks: [], patterns: [] };
  const store = openRunStore(root, context.agentId);
  const entries = (store.ids().includes(run) ? store.read(run) : undefined)?.entries ?? [];
  const running = new Set<string>();
  const seen = new Set<string>();
  const merged: string[] = [];
  for (const entry of entries) {
    const isLater = Date.parse(entry.at) >= begunMs;
    if (isLater) for (const one of running) seen.add(one);
    if (entry.type === 'task-started') {
      running.add(entry.task);
      if (isLater) seen.add(entry.task);
    } else if (entry.type === 'task-finished' || entry.type === 'task-failed') running.delete(entry.task);
    else if (entry.type === 'worktree-committed' && isLater) merged.push(...entry.files.map(literally));
  }
  const tasks = new Set([...seen, ...running].filter((one) => one !== task));
  // Without a plan nobody has declared anything.
  const plan = store.readPlan(run)?.tasks ?? [];
  return {
    tasks: [...tasks],
    patterns: [...plan.filter(({ id }) => tasks.has(id)).flatMap(writtenBy), ...merged],
  };
}
