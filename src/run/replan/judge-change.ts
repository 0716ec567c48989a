import type { TaskFile, TaskFileChanged } from '../../model/events/replan-event.js';
import type { KeptTaskFiles, TaskFileChange } from '../../model/files/task-file-keeper.js';
import type { OutputRecord } from '../../model/fingerprint.js';
import type { Plan, Task, TaskId } from '../../model/plan.js';
import type { Result } from '../../model/result.js';
import type { RunState } from '../../model/state/run-state.js';
import type { AttemptPorts } from '../attempt/attempt-ports.js';
import { definitionDigests } from '../freshness/fingerprint.js';
import type { PastResult } from '../freshness/freshness.js';
import { compareTasks } from './plan-rules.js';
import { redoneBy } from './redone-by.js';

export interface ChangeTools {
  readonly ports: AttemptPorts;
  plan(): Plan;
  state(): RunState;
  past(id: TaskId): PastResult | undefined;
  /** The plan with the task files as they are now, or what is wrong with them. */
  replan(stage: string): Promise<Result<Plan, readonly string[]>>;
}

interface ChangeBy {
  readonly task: Task;
  readonly attempt: number;
  readonly by: string;
  /** The plan with the files as they were. */
  readonly known: Plan;
  readonly kept: KeptTaskFiles;
}

export interface TakenChange {
  readonly event: TaskFileChanged;
  /** What has to be done again. */
  readonly tasks: readonly TaskId[];
}

/** What is written down about a planner's change, or why it is not taken. */
export async function judgeChange(
  changes: readonly TaskFileChange[],
  { task, attempt, by, known, kept }: ChangeBy,
  tools: ChangeTools,
): Promise<TakenChange | string> {
  const { stage, id: failing } = task;
  const gone = changes.filter(({ now }) => !now).map(({ path }) => path);
  if (gone.length > 0) return `${gone.join(', ')} has to stay a file`;
  const next = await tools.replan(stage);
  if (!next.ok) return next.error.join('; ');
  const stays = (id: TaskId): boolean => isFixed(id, failing, tools);
  const ofStage = ({ tasks }: Plan): readonly Task[] => tasks.filter((one) => one.stage === stage);
  const { problems, ...replan } = compareTasks(ofStage(known), ofStage(next.value), { isFixed: stays, failing });
  if (problems.length > 0) return problems.join('; ');
  // Looked at once more: what was planned has to be what is written down.
  if (JSON.stringify(kept.changes()) !== JSON.stringify(changes)) return 'it changed while it was looked at';
  const amended = amendedBy(changes, tools);
  const makers = amended.map((one) => one.task);
  const paths = changes.map(({ path }) => path);
  const files = changes.map(({ now, before }) => ({
    ...(now as TaskFile),
    ...(before === undefined ? {} : { before }),
  }));
  const commit = isCommitted(stage, makers, tools) ? { commit: `${failing}: ${by} changed the plan` } : {};
  return {
    event: { type: 'task-file-changed', task: failing, attempt, by, stage, files, ...replan, amended, ...commit },
    tasks: redoneBy(task, { paths, makers }, { plan: tools.plan(), files: tools.ports.files, isFixed: stays }),
  };
}

/** Whether a task is done, under way or failed for good: what its file says of it has to stay. */
export function isFixed(id: TaskId, failing: TaskId, { state, past, plan }: ChangeTools): boolean {
  if (id === failing) return false;
  const known = state().tasks.get(id);
  if (known && known.status !== 'skipped') return true;
  // A result of an earlier run that this one has not come to yet, and that still is the result of this task.
  const task = plan().tasks.find((one) => one.id === id);
  const made = past(id)?.state.fingerprint?.options;
  return task !== undefined && made !== undefined && made === definitionDigests(task).options;
}

/** Whose output has changed. */
function amendedBy(changes: readonly TaskFileChange[], { ports, state }: ChangeTools): TaskFileChanged['amended'] {
  const now = ({ path }: OutputRecord): readonly OutputRecord[] => {
    const stamp = ports.files.stamp(path);
    const digest = changes.find((one) => one.path === path)?.now?.digest;
    return stamp && digest !== undefined ? [{ path, digest, ...stamp }] : [];
  };
  return [...state().tasks.values()].flatMap(({ id, outputs = [] }) => {
    const changed = outputs.flatMap(now);
    return changed.length > 0 ? [{ task: id, outputs: changed }] : [];
  });
}

/** Worktrees begin with a commit. What a stage has made and not committed is in none now either. */
function isCommitted(stage: string, makers: readonly TaskId[], { plan, ports }: ChangeTools): boolean {
  const { tasks } = plan();
  const isIn = makers.every((id) => tasks.find((one) => one.id === id)?.commit !== undefined);
  return ports.commitFiles !== undefined && isIn && tasks.some((one) => one.stage === stage && one.isolation);
}
