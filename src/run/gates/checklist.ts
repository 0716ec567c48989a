import type { TestResult } from '../../model/agents/published.js';
import type { GateQuestion } from '../../model/gates/gate.js';
import type { Plan, Task, TaskId } from '../../model/plan.js';
import type { RunState } from '../../model/state/run-state.js';
import { evidencePatterns } from './shown.js';

export interface ChecklistTools {
  plan(): Plan;
  state(): Pick<RunState, 'tasks'>;
}

/** What was checked: what the task itself has published, or, where that is nothing, all that it waited for. */
export function checklistOf(task: Task, { plan, state }: ChecklistTools): readonly TestResult[] {
  const { tasks } = state();
  const own = tasks.get(task.id)?.tests ?? [];
  if (own.length > 0) return own;
  const byId = new Map(plan().tasks.map((each) => [each.id, each]));
  const before = new Set<TaskId>(task.needs);
  for (const id of before) for (const need of byId.get(id)?.needs ?? []) before.add(need);
  return [...before].flatMap((id) => tasks.get(id)?.tests ?? []);
}

/** What a question says of the plan that it is asked in, of what there is to look at, and of what was checked. */
export function askedIn(task: Task, tools: ChecklistTools): Pick<GateQuestion, 'planDigest' | 'patterns' | 'tests'> {
  const tests = checklistOf(task, tools);
  return {
    planDigest: tools.plan().digest,
    patterns: evidencePatterns(task),
    ...(tests.length === 0 ? {} : { tests }),
  };
}
