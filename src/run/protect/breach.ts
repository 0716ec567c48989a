import type { RecordedEvent } from '../../model/events/event.js';
import type { Failure } from '../../model/failure.js';
import type { GitWatch, Guard } from '../../model/files/guard.js';
import type { Task } from '../../model/plan.js';

/** Looks whether protected files are as they should be, and writes down when they are not. */
export function breachOf(
  guard: Pick<Guard, 'check'> | undefined,
  task: Task | undefined,
  { record, thorough = false }: { record(events: readonly RecordedEvent[]): void; readonly thorough?: boolean },
): Failure | undefined {
  const breach = guard?.check({ thorough });
  if (!breach) return undefined;
  const { files, evidence, problems } = breach;
  const wrong = problems.length === 0 ? {} : { problems };
  record([{ type: 'protection-violated', ...(task ? { task: task.id } : {}), files, evidence, ...wrong }]);
  const agent = task?.agent ? { agent: task.agent.name } : {};
  return { code: 'protect-violated', files, evidence, ...agent, ...wrong };
}

/** The same for git's own files. */
export async function gitBreach(
  watch: GitWatch | undefined,
  task: Task,
  tools: Parameters<typeof breachOf>[2],
): Promise<Failure | undefined> {
  const breach = await watch?.end();
  return breach && breachOf({ check: () => breach }, task, tools);
}
