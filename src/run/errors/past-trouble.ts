import type { Failure } from '../../model/failure.js';
import type { Task } from '../../model/plan.js';
import type { PastTrouble } from '../../model/stage.js';
import type { TaskState } from '../../model/state/run-state.js';
import type { AttemptPorts } from '../attempt/attempt-ports.js';
import { tellingLines } from './error-lines.js';
import { readable } from './said-lines.js';

/** The failed attempt before the one that comes now, so that whoever tries again knows what went wrong. */
export function pastTrouble(task: Task, state: TaskState | undefined, ports: AttemptPorts): PastTrouble | undefined {
  if (!state?.failure || state.attempts === 0 || isOurs(state.failure)) return undefined;
  const said = ports.said(ports.seeAttempt(task, state.attempts));
  return {
    attempt: state.attempts,
    what: ports.failureWords(state.failure),
    errorClass: state.errorClass ?? 'unknown',
    lines: tellingLines(readable([...said.stdout.filter(isNotOf(task)), ...said.stderr]), mostLines),
  };
}

/** What tells of the day rather than of the work is nothing that whoever tries again could do anything about. */
function isOurs(failure: Failure): boolean {
  if (failure.code !== 'agent-failed') return failure.code === 'cancelled' || failure.code === 'budget-spent';
  return !ofTheWork.has(failure.why);
}

const ofTheWork: ReadonlySet<string> = new Set(['max-turns', 'looping', 'too-many-files', 'too-many-helpers']);

/** What an agent tells while it works, as it stands in the log of the attempt. */
export const saidBy = (agent: string, line: string): string => `[${agent}] ${line}`;

/** Who tries again knows what it did; what matters is what the commands said about it. */
const isNotOf =
  ({ agent }: Task) =>
  (line: string): boolean =>
    agent === undefined || !line.startsWith(saidBy(agent.name, ''));

const mostLines = 30;
