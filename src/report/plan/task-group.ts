import type { Json } from '../../model/json.js';
import type { Action, Decision, Plan, Task, TaskId } from '../../model/plan.js';
import type { Symbols } from '../words/symbols.js';

/** The tasks of one stage inside one wave: what a reader thinks of as one thing. */
export interface TaskGroup {
  readonly stage: string;
  readonly tasks: readonly Task[];
  readonly counts: ActionCounts;
}

/** `maybe`: those among `run` that may yet be spared. */
export type ActionCounts = { readonly [A in Action | 'maybe']: number };

export type Decisions = ReadonlyMap<TaskId, Decision>;

export function groupTasks(tasks: readonly Task[], decisions: Decisions): TaskGroup[] {
  const byStage = new Map<string, Task[]>();
  for (const task of tasks) {
    const known = byStage.get(task.stage);
    if (known) known.push(task);
    else byStage.set(task.stage, [task]);
  }
  return [...byStage].map(([stage, members]) => ({ stage, tasks: members, counts: countActions(members, decisions) }));
}

export function countActions(tasks: Iterable<Task>, decisions: Decisions): ActionCounts {
  const counts = { run: 0, cached: 0, skip: 0, maybe: 0 };
  for (const { id } of tasks) {
    const { action, maybe } = decisionOf(decisions, id);
    counts[action]++;
    if (maybe) counts.maybe++;
  }
  return counts;
}

export function decisionOf(decisions: Decisions, id: TaskId): Decision {
  const decision = decisions.get(id);
  if (!decision) throw new Error(`no decision for task ${id}`);
  return decision;
}

/** The tasks of a plan in the order in which they could run. */
export function* tasksInOrder(plan: Plan): Generator<Task> {
  const byId = new Map(plan.tasks.map((task) => [task.id, task]));
  for (const wave of plan.waves) {
    for (const id of wave) {
      const task = byId.get(id);
      if (!task) throw new Error(`wave names task ${id} that the plan does not hold`);
      yield task;
    }
  }
}

/** `arm ∈ {constant, schedule}, seed ∈ {1…5}`. Empty when the stage has no matrix. */
export function matrixText(tasks: readonly Task[], s: Symbols): string {
  const values = new Map<string, Map<string, Json>>();
  for (const { matrix } of tasks) {
    for (const [name, value] of Object.entries(matrix ?? {})) {
      const known = values.get(name) ?? new Map<string, Json>();
      if (known.size === 0) values.set(name, known);
      known.set(JSON.stringify(value), value);
    }
  }
  const combinations = [...values.values()].reduce((product, { size }) => product * size, 1);
  const text = [...values].map(([name, set]) => `${name} ${s.in} {${valuesText([...set.values()], s)}}`).join(', ');
  return text === '' || combinations === tasks.length
    ? text
    : `${text} (${tasks.length} of ${combinations} combinations)`;
}

function valuesText(values: readonly Json[], s: Symbols): string {
  const first = values[0];
  const isRun =
    values.length > 2 && values.every((value, index) => Number.isInteger(value) && value === (first as number) + index);
  if (isRun) return `${first}${s.range}${values.at(-1)}`;
  const shown = values.map((value) => (typeof value === 'string' ? value : JSON.stringify(value)));
  return shown.length <= 6 ? shown.join(', ') : `${shown.slice(0, 5).join(', ')}, ${s.more} ${shown.length - 5} more`;
}
