import type { RecordedEvent } from '../../model/events/event.js';
import type { AgentEnd, MendWish } from '../../model/stage.js';
import type { AskDesk } from '../agents/ask-desk.js';
import { askForTask, type TaskQuestion } from '../agents/task-asker.js';
import type { AttemptPorts } from '../attempt/attempt-ports.js';

interface MendTools {
  readonly desk: AskDesk;
  readonly ports: AttemptPorts;
  record(events: readonly RecordedEvent[]): void;
}

/** Lets the agent that `retry.fix` names mend something in the middle of an attempt, and writes down how that went. */
export async function mendForTask(
  { prompt }: MendWish,
  question: Omit<TaskQuestion, 'quoted' | 'fixer'>,
  tools: MendTools,
): Promise<AgentEnd<'work'>> {
  const { task, attempt } = question;
  const fixer = task.retry.fix;
  if (typeof fixer !== 'string')
    return { ok: false, failure: { code: 'behaviour-failed', detail: 'the stage has nobody who mends: retry.fix' } };
  const startedAt = tools.ports.clock.now();
  const end = await askForTask({ prompt, reply: 'work', access: 'write' }, { ...question, fixer }, tools);
  if (end.ok || saysItself.has(end.failure.code)) {
    const summary = end.ok ? end.reply.summary : tools.ports.failureWords(end.failure);
    const durationMs = Math.max(0, tools.ports.clock.now() - startedAt);
    tools.record([{ type: 'fix-finished', task: task.id, attempt, by: fixer, ok: end.ok, summary, durationMs }]);
  }
  return end;
}

/** Ends that are the answer of whoever was to mend; all others have a record of their own. */
const saysItself: ReadonlySet<string> = new Set(['agent-gave-up', 'agent-escalated', 'agent-failed']);
