import type { RecordedEvent } from '../../model/events/event.js';
import type { Failure } from '../../model/failure.js';
import type { Agent } from '../../model/generated/config.js';
import type { AttemptPorts } from '../attempt/attempt-ports.js';
import { finalEnd } from '../attempt/final-end.js';
import type { TaskEnd } from '../attempt/task-end.js';
import type { Trouble } from './mend-prompt.js';
import type { Mended } from './mender.js';

interface EndTools {
  readonly agents: { readonly [name: string]: Agent };
  readonly ports: Pick<AttemptPorts, 'logError'>;
  record(events: readonly RecordedEvent[]): void;
}

/** Who was to mend did not come to an end: stopped, without money, or where it must not go. */
export function brokenOff(
  mended: Exclude<Mended, { summary: string }>,
  { task, attempt }: Pick<Trouble, 'task' | 'attempt'>,
  { agents, record }: EndTools,
): TaskEnd {
  // Told to stop while something was being mended: the journal knows what was waited for.
  if (mended.kind === 'cancelled') return { how: 'cancelled' };
  const failure: Failure =
    mended.kind === 'over-budget' ? { code: 'budget-spent', spent: mended.spent } : mended.failure;
  const end = { type: 'task-failed', task: task.id, attempt, durationMs: 0, failure } as const;
  // Who mends may be told to try again, but not who mends where it must not.
  const final = finalEnd(end, { agents })!;
  record(final.events);
  return { how: final.how };
}

export function logMended(
  mended: Mended,
  { trouble, next }: { readonly trouble: Trouble; readonly next: string },
  { ports }: EndTools,
): void {
  if (!('summary' in mended)) return;
  const { task, attempt, errorClass } = trouble;
  const what = `mending ${mended.kind === 'done' ? 'done' : mended.kind}: ${mended.summary}`;
  ports.logError({ task: task.id, attempt, errorClass, what, lines: [], next, dir: '' });
}
