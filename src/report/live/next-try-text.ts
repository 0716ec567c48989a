import { formatDuration } from '../../model/duration.js';
import type { Plan } from '../../model/plan.js';
import type { TaskState } from '../../model/state/run-state.js';
import { plural } from '../words/phrase.js';
import { plainLine } from '../words/plain-line.js';

/** What a task that failed and is tried again does now: `class quota, 2 tries so far, next try at 23:30:00 (in 12 m)`. */
export function nextTryText(task: TaskState, plan: Plan | undefined, now: number): string {
  const { errorClass, attempts, dueAt } = task;
  return [
    ...(errorClass === undefined ? [] : [`class ${plainLine(errorClass)}`]),
    `${plural(attempts, 'try', 'tries')} so far`,
    dueAt === undefined ? mendingText(task, plan) : dueText(dueAt, now),
  ].join(', ');
}

/** A person reads the time on their own clock. */
function dueText(dueAt: number, now: number): string {
  if (dueAt <= now) return 'next try now';
  const at = new Date(dueAt);
  const clock = [at.getHours(), at.getMinutes(), at.getSeconds()].map((part) => String(part).padStart(2, '0'));
  return `next try at ${clock.join(':')} (in ${formatDuration(dueAt - now)})`;
}

/** The pause is scheduled after the fix: until then someone mends. Who, is known from the plan. */
function mendingText({ id, escalations = 0 }: TaskState, plan: Plan | undefined): string {
  const fix = plan?.tasks.find((task) => task.id === id)?.retry.fix;
  const asked = escalations > 0 ? plan?.escalate?.[escalations - 1] : fix;
  if (asked === 'instructions') return 'waits for instructions';
  if (asked === undefined) return escalations > 0 ? 'being mended' : 'next try now';
  return `being mended by ${typeof asked === 'string' ? `agent ${asked}` : 'a command'}`;
}
