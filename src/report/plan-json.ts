import type { Gate, Retry } from '../model/generated/config.js';
import type { Json } from '../model/json.js';
import type { Action, Description, InferredEdge, Plan, Reason, TaskId, WorstCase } from '../model/plan.js';
import { type Decisions, decisionOf } from './task-group.js';

/** `plan --json`: the plan and what would happen to each task now. Fields are only ever added. */
export interface PlanJson {
  readonly version: 1;
  readonly name: string;
  readonly digest: string;
  readonly waves: readonly (readonly TaskId[])[];
  readonly tasks: readonly PlanJsonTask[];
  readonly worstCase: WorstCase;
}

export interface PlanJsonTask {
  readonly id: TaskId;
  readonly stage: string;
  readonly uses: string;
  readonly needs: readonly TaskId[];
  readonly action: Action;
  readonly reasons: readonly Reason[];
  readonly gate: Gate | null;
  readonly outputs: readonly string[];
  readonly inputs: readonly string[];
  readonly inferred: readonly InferredEdge[];
  readonly matrix: { readonly [name: string]: Json };
  readonly description: Description;
  readonly retry: Retry;
  readonly timeoutMs: number | null;
  readonly idleMs: number | null;
  readonly cache: boolean;
  readonly rawShell: readonly string[];
}

export const planJson = ({ version, name, digest, waves, tasks, worstCase }: Plan, decisions: Decisions): PlanJson => ({
  version,
  name,
  digest,
  waves,
  tasks: tasks.map((task) => {
    const { action, reasons } = decisionOf(decisions, task.id);
    return {
      id: task.id,
      stage: task.stage,
      uses: task.uses,
      needs: task.needs,
      action,
      reasons,
      gate: task.gate ?? null,
      outputs: task.outputs,
      inputs: task.inputs,
      inferred: task.inferred,
      matrix: task.matrix ?? {},
      description: task.description,
      retry: task.retry,
      timeoutMs: task.timeoutMs ?? null,
      idleMs: task.idleMs ?? null,
      cache: task.cache,
      rawShell: task.rawShell ?? [],
    };
  }),
  worstCase,
});
