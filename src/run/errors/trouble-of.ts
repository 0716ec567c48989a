import type { Task } from '../../model/plan.js';
import type { AttemptFolder } from '../../model/ports.js';
import type { TaskState } from '../../model/state/run-state.js';
import type { AttemptPorts } from '../attempt/attempt-ports.js';
import type { Failed } from '../attempt/final-end.js';
import { failureOf } from './escalation.js';
import type { Trouble } from './mend-prompt.js';

interface SeenIn {
  readonly errorClass: string;
  readonly folder: AttemptFolder;
  readonly lines: readonly string[];
  readonly history: TaskState | undefined;
}

/** What went wrong, for whoever is to mend it. */
export function troubleOf(
  task: Task,
  { attempt, failure }: Pick<Failed, 'attempt' | 'failure'>,
  { errorClass, folder, lines, history }: SeenIn,
  { failureWords }: Pick<AttemptPorts, 'failureWords'>,
): Trouble {
  const { stdoutFile, stderrFile } = folder;
  return { task, attempt, what: failureWords(failure), errorClass, lines, stdoutFile, stderrFile, history };
}

/** The same of what went wrong before this process was there. */
export function earlierTrouble(task: Task, state: TaskState, ports: AttemptPorts): Trouble {
  const folder = ports.seeAttempt(task, state.attempts);
  const said = ports.said(folder);
  const failed = { attempt: state.attempts, failure: failureOf(state) };
  const seen = { errorClass: state.errorClass ?? 'unknown', folder, lines: [...said.stdout, ...said.stderr] };
  return troubleOf(task, failed, { ...seen, history: state }, ports);
}
