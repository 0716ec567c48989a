import { downstreamOf, upstreamOf } from '../../graph/reach.js';
import { mostRounds, reviseStage } from '../../model/gates/gate-words.js';
import type { Task, TaskId } from '../../model/plan.js';

/**
 * How often each task can run because of gates, the first time included. Each revision makes the stage that gets the
 * feedback run again, and everything that depends on it, so what gates allow adds up.
 */
export function runsOf(tasks: readonly Task[]): (id: TaskId) => number {
  const gated = tasks.filter(({ gate }) => mostRounds(gate) > 0);
  if (gated.length === 0) return () => 1;
  const more = new Map<TaskId, number>();
  for (const task of gated) {
    const to = sentBackTo(task, tasks);
    for (const id of [...to, ...downstreamOf(to, tasks)]) more.set(id, (more.get(id) ?? 0) + mostRounds(task.gate));
  }
  return (id) => 1 + (more.get(id) ?? 0);
}

/** The tasks that get the feedback of a gate: its own, or those of the named stage that it depends on. */
function sentBackTo(task: Task, tasks: readonly Task[]): readonly TaskId[] {
  const stage = reviseStage(task.gate);
  if (stage === undefined || stage === task.stage) return [task.id];
  const before = upstreamOf(task.id, tasks);
  return tasks.filter(({ id, ...one }) => one.stage === stage && before.has(id)).map(({ id }) => id);
}
