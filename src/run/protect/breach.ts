import type { JournalEntry, RecordedEvent } from '../../model/events/event.js';
import type { Failure } from '../../model/failure.js';
import type { Breach, GitWatch, Guard } from '../../model/files/guard.js';
import type { Task } from '../../model/plan.js';
import type { JournalWriter } from '../../model/ports.js';

interface BreachTools {
  record(events: readonly RecordedEvent[]): void;
  readonly thorough?: boolean;
}

/** Looks whether protected files are as they should be, and writes down when they are not, before they are put back. */
export function breachOf(
  guard: Pick<Guard, 'check'> | undefined,
  task: Task | undefined,
  { record, thorough = false }: BreachTools,
): Failure | undefined {
  const tell = foundFirst(task, record);
  const breach = guard?.check({ thorough, found: tell });
  return breach && failureOf(breach, task, tell);
}

/** The same for git's own files. */
export async function gitBreach(
  watch: GitWatch | undefined,
  task: Task,
  { record }: BreachTools,
): Promise<Failure | undefined> {
  const tell = foundFirst(task, record);
  const breach = await watch?.end(tell);
  return breach && failureOf(breach, task, tell);
}

/**
 * Writes down what is found as soon as it is, and again only when there is more to say. A runner that is killed after it has put things back
 * would otherwise have cleared up behind whoever did it.
 */
export function foundFirst(task: Task | undefined, record: BreachTools['record']): (found: Told) => void {
  let said = '';
  return ({ files, evidence, problems = [], kept, place }) => {
    const event: RecordedEvent = {
      type: 'protection-violated',
      ...(task ? { task: task.id } : {}),
      files,
      evidence,
      ...(problems.length === 0 ? {} : { problems }),
      ...(kept === undefined ? {} : { kept }),
      ...(place === undefined ? {} : { place }),
    };
    const text = JSON.stringify(event);
    if (text === said) return;
    said = text;
    record([event]);
  };
}

type Told = Omit<Breach, 'problems'> & Partial<Pick<Breach, 'problems'>>;

function failureOf(breach: Breach, task: Task | undefined, tell: (found: Told) => void): Failure {
  tell(breach);
  const { files, evidence, problems } = breach;
  const agent = task?.agent ? { agent: task.agent.name } : {};
  return { code: 'protect-violated', files, evidence, ...agent, ...(problems.length === 0 ? {} : { problems }) };
}

/** What was done is put back next, and then nothing else would tell of it: so that is on the disk at once. */
export function writeDown(events: readonly RecordedEvent[], journal: JournalWriter): readonly JournalEntry[] {
  const entries = journal.append(events);
  if (events.some(isOfViolation)) journal.flushNow();
  return entries;
}

const isOfViolation = (event: RecordedEvent): boolean =>
  event.type === 'protection-violated' || (event.type === 'agent-validation-failed' && event.violated !== undefined);
