import type { LocatedDiagnostic } from '../../model/diagnostic.js';
import type { Gate, Retry } from '../../model/generated/config.js';
import type { Json } from '../../model/json.js';
import type {
  Action,
  Description,
  InferredEdge,
  Plan,
  Reason,
  Task,
  TaskAgent,
  TaskId,
  WorstCase,
} from '../../model/plan.js';
import type { EachIteration, PlanLoop } from '../iterations/plan-loop.js';
import { type Decisions, decisionOf } from './task-group.js';

/** `plan --json`: the plan and what would happen to each task now. Fields are only ever added. */
export interface PlanJson {
  readonly version: 1;
  readonly name: string;
  readonly digest: string;
  readonly waves: readonly (readonly TaskId[])[];
  readonly tasks: readonly PlanJsonTask[];
  readonly worstCase: WorstCase;
  readonly escalate: readonly string[];
  /** In a study with `iterate`: the iteration that the plan is for, 0 being the baseline, and the rules. */
  readonly iterate: (PlanLoop & Partial<NonNullable<Plan['iterate']>> & { readonly each?: PlanJsonEach }) | null;
  /** What `exec` would refuse the plan for; absent where nobody looked. */
  readonly notices?: readonly PlanJsonNotice[];
  /** What may be a mistake, although `exec` does not mind; absent where nobody looked. */
  readonly doubts?: readonly PlanJsonNotice[];
}

/** While the baseline is next: what each iteration does then. */
export type PlanJsonEach = Pick<PlanJson, 'waves' | 'tasks' | 'worstCase'>;

export interface PlanJsonNotice {
  readonly code: string;
  readonly message: string;
  readonly hint: string | null;
  readonly file: string | null;
  readonly line: number | null;
}

export interface PlanJsonTask {
  readonly id: TaskId;
  readonly stage: string;
  readonly uses: string;
  readonly needs: readonly TaskId[];
  readonly action: Action;
  readonly reasons: readonly Reason[];
  /** It is spared if what it waits for makes the same as before. */
  readonly maybe: boolean;
  readonly gate: Gate | null;
  readonly agent: TaskAgent | null;
  readonly scope: readonly string[] | null;
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

const noticeJson = ({ code, message, hint, place }: LocatedDiagnostic): PlanJsonNotice => ({
  code,
  message,
  hint: hint ?? null,
  file: place?.file ?? null,
  line: place?.line ?? null,
});

interface Looked {
  readonly loop?: PlanLoop;
  readonly each?: EachIteration;
  readonly notices?: readonly LocatedDiagnostic[];
  readonly doubts?: readonly LocatedDiagnostic[];
}

export const planJson = (
  { version, name, digest, waves, tasks, worstCase, escalate, iterate }: Plan,
  decisions: Decisions,
  { loop, each, notices, doubts }: Looked = {},
): PlanJson => ({
  version,
  name,
  digest,
  waves,
  tasks: tasksJson(tasks, decisions),
  worstCase,
  escalate: escalate ?? [],
  iterate: loop ? { ...loop, ...iterate, ...(each ? { each: eachJson(each) } : {}) } : null,
  ...(notices ? { notices: notices.map(noticeJson) } : {}),
  ...(doubts ? { doubts: doubts.map(noticeJson) } : {}),
});

const tasksJson = (tasks: readonly Task[], decisions: Decisions): readonly PlanJsonTask[] =>
  tasks.map((task) => {
    const { action, reasons, maybe = false } = decisionOf(decisions, task.id);
    return {
      id: task.id,
      stage: task.stage,
      uses: task.uses,
      needs: task.needs,
      action,
      reasons,
      gate: task.gate ?? null,
      outputs: task.outputs,
      maybe,
      agent: task.agent ?? null,
      scope: task.scope ?? null,
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
  });

const eachJson = ({ plan: { waves, tasks, worstCase }, decisions }: EachIteration): PlanJsonEach => ({
  waves,
  tasks: tasksJson(tasks, decisions),
  worstCase,
});
