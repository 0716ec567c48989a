import type { JournalEntry } from '../model/events/event.js';
import { wantedWords } from '../model/gates/gate.js';
import type { TaskState } from '../model/state/run-state.js';

/** A run that had come to its end is started again by a person, who has seen how it ended. An interrupted one is not. */
export const givesNewTries: ReadonlySet<string> = new Set(['failed', 'waiting', 'over-budget']);

export function withNewTries(task: TaskState): TaskState {
  if (task.status === 'passed' || task.status === 'cached' || isStillAsked(task)) return task;
  const { failures: _failures, waits: _waits, escalations: _escalations, escalatedFor: _for, ...rest } = task;
  return rest;
}

interface Trying {
  readonly tasks: Map<string, TaskState>;
  replans?: object;
  reopened?: object;
}

/** What was counted since a person last started the run counts no more. */
export function tryAnew(open: Trying): void {
  delete open.replans;
  delete open.reopened;
  for (const task of open.tasks.values()) open.tasks.set(task.id, withNewTries(task));
}

/** What is known of each task is from before now on; what had passed stays as good as it was, unless it is stale. */
export function takeUp(tasks: Map<string, TaskState>, stale: readonly string[]): void {
  const again = new Set(stale);
  for (const task of tasks.values()) {
    const hasPassed = task.status === 'passed' || task.status === 'cached';
    if (!hasPassed) tasks.set(task.id, { ...task, from: 'before' });
    else if (again.has(task.id)) tasks.set(task.id, { ...task, from: 'stale' });
  }
}

export const isAsked = (task: TaskState | undefined): boolean => wantedWords(task?.words) !== undefined;

/** A person is asked for words, or has given some with which nothing was tried yet: that is where it goes on. */
const isStillAsked = ({ words, attempts }: TaskState): boolean =>
  words?.asked !== undefined && (!words.given || words.given.attempt === attempts);

/** The count of tries belongs to the run: neither another attempt nor a resume starts it anew. */
export function triesSoFar(
  task: TaskState | undefined,
): Pick<TaskState, 'failures' | 'waits' | 'escalations' | 'words'> {
  // It is tried although nobody has said anything: it is no longer the task that they were asked about.
  if (isAsked(task)) return { words: { said: task!.words!.said } };
  return {
    ...(task?.failures ? { failures: task.failures } : {}),
    ...(task?.waits ? { waits: task.waits } : {}),
    ...(task?.escalations === undefined ? {} : { escalations: task.escalations }),
    ...(task?.words ? { words: task.words } : {}),
  };
}

export function failedOnce(
  task: TaskState | undefined,
  { errorClass, counted, retrying }: Extract<JournalEntry, { type: 'task-failed' }>,
): Pick<TaskState, 'errorClass' | 'failures' | 'waits'> {
  const failures = task?.failures ?? {};
  // Only what is waited for is a wait: an interruption or a spent budget is not.
  if (!counted) return retrying ? { errorClass, waits: (task?.waits ?? 0) + 1 } : { errorClass };
  // A class may be named like something that every object has.
  const before = Object.hasOwn(failures, errorClass) ? failures[errorClass]! : 0;
  return { errorClass, failures: { ...failures, [errorClass]: before + 1 } };
}

/** It has passed, or is begun anew: the words have done what they could. Whoever gave them still finds that they were taken. */
export const withoutWords = (task: TaskState): TaskState =>
  task.words?.given ? { ...task, words: { ...task.words, said: [] } } : withoutQuestion(task);

function withoutQuestion({ words: _words, ...task }: TaskState): TaskState {
  return task;
}
