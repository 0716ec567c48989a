import type { SentBack } from '../model/gates/gate.js';
import { changedWords, type ParameterSet, type ParametersChanged } from '../model/parameters.js';
import type { JobState } from '../model/state/job-state.js';
import type { TaskState } from '../model/state/run-state.js';

interface ChangedState {
  readonly tasks: Map<string, TaskState>;
  readonly sentBack: Map<string, SentBack>;
  readonly parameters: Map<string, ParameterSet>;
}

/** What was changed for one arm holds for all, and who has passed without it has to pass again. */
export function applyParameters(
  state: ChangedState,
  { task, group, set, diagnosis, to, downstream }: ParametersChanged,
): void {
  state.parameters.set(group, set);
  const by = task ?? group;
  const words = `${by} ${changedWords({ set, ...(diagnosis === undefined ? {} : { diagnosis }) })}`;
  for (const id of to) state.sentBack.set(id, { by, round: 0, changed: `${words}, which holds for every arm` });
  for (const id of downstream)
    state.sentBack.set(id, { by, round: 0, changed: `what it needs is done again: ${words}` });
}

/** What a task was made with: its newest job says so, also one that an earlier runner had submitted. */
export function setOf(jobs: ReadonlyMap<string, JobState>, task: string): Pick<TaskState, 'set'> {
  let set: ParameterSet | undefined;
  for (const job of jobs.values()) if (job.task === task && !job.spent) set = job.set;
  return set ? { set } : {};
}
