import type { RecordedEvent } from '../../model/events/event.js';
import { FailureError } from '../../model/failure.js';
import type { Json } from '../../model/json.js';
import type { Task } from '../../model/plan.js';
import type { RunState } from '../../model/state/run-state.js';
import type { AttemptResult } from './attempt.js';
import type { AttemptPorts, Try } from './attempt-ports.js';
import { commitMessage } from './commit-message.js';

interface Tools {
  readonly run: string;
  readonly name: string;
  readonly agentId?: string;
  readonly vars: { readonly [name: string]: Json };
  readonly ports: AttemptPorts;
  state(): Pick<RunState, 'iteration'>;
  record(events: readonly RecordedEvent[]): void;
}

/** Commits what a task without a worktree has made, and nothing else that somebody may have changed. */
export async function commitOutputs(
  task: Task,
  { one, result }: { readonly one: Try; readonly result: Extract<AttemptResult, { ok: true }> },
  { run, name, agentId, vars, ports, state, record }: Tools,
): Promise<AttemptResult> {
  const { attempt } = one;
  const { summary, outputs } = result;
  const said = { ...(summary === undefined ? {} : { summary }), iteration: state().iteration };
  try {
    const message = await commitMessage(task, { run, name, agentId, attempt, branch: '', vars, ...said }, ports);
    const made = await ports.commitFiles!(
      outputs.map(({ path }) => path),
      message,
    );
    if (made) record([{ type: 'outputs-committed', task: task.id, attempt, ...made }]);
    return result;
  } catch (error) {
    if (error instanceof FailureError) return { ok: false, failure: error.failure };
    throw error;
  }
}
