import type { GateDecision, GateQuestion } from '../model/gates/gate.js';
import type { TaskState } from '../model/state/run-state.js';

type Timed<T> = T & { readonly at: number };

/** A person is asked for new words about this task. */
export const withQuestion = (task: TaskState, asked: Timed<GateQuestion>): TaskState => ({
  ...task,
  words: { asked, said: task.words?.said ?? [] },
});

/** They have said something: its tries begin anew. How far it has come along the list stays, so that this has an end. */
export function withWords(task: TaskState, given: Timed<GateDecision>): TaskState {
  const { failures: _failures, waits: _waits, ...rest } = task;
  const words = task.words!;
  return { ...rest, words: { ...words, given, said: [...words.said, ...given.reasons] } };
}
