import type { Escalated, TaskFailed } from '../../model/events/event.js';
import type { Failure } from '../../model/failure.js';
import { wantedWords } from '../../model/gates/gate.js';
import type { TaskState } from '../../model/state/run-state.js';
import type { Failed } from '../attempt/final-end.js';
import type { Trouble } from './mend-prompt.js';

export type Seen = Failed & Pick<TaskFailed, 'errorClass' | 'signature' | 'counted'>;

/** A step along the list, which stands in the journal before it is taken: a resume does not take it twice. */
export const escalatedEvent = ({ task, attempt, errorClass }: Seen, { what }: Trouble, to: string): Escalated => ({
  type: 'escalated',
  task,
  attempt,
  to,
  errorClass,
  reason: what,
});

/** The same failure once more, for the record of a further step about it. It has been counted already. */
export const failedAgain = ({ task, attempt, errorClass }: Trouble, state: TaskState | undefined): Seen => ({
  type: 'task-failed',
  task: task.id,
  attempt,
  durationMs: 0,
  failure: failureOf(state),
  errorClass,
  counted: false,
});

export const failureOf = (state: TaskState | undefined): Failure =>
  state?.failure ?? { code: 'behaviour-failed', detail: 'unknown' };

/**
 * Whether an earlier process was asking a person for words, or about to; `because` when the question was not put yet. Where
 * `instructions` is no longer in the list nobody waits for them.
 */
export function wordsOwed(
  state: TaskState | undefined,
  escalate: readonly string[],
): { readonly because?: string } | undefined {
  if (!state || !escalate.includes('instructions')) return undefined;
  if (wantedWords(state.words)) return {};
  const { escalations = 0, escalatedFor, words, attempts } = state;
  // Since the newest attempt, or it would not be known any more why.
  const isNext = escalatedFor !== undefined && escalate[escalations - 1] === 'instructions';
  return isNext && words?.given?.attempt !== attempts ? { because: escalatedFor } : undefined;
}
