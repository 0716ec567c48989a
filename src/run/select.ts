import type { Plan, Task, TaskId } from '../model/plan.js';

/** The stages a person named on the command line. */
export interface Selection {
  readonly only: readonly string[];
  readonly from: readonly string[];
  readonly force: readonly string[];
}

export interface Selected {
  /** No stage was left out. */
  readonly isAll: boolean;
  /** Runs although nothing changed. */
  isForced(task: Task): boolean;
  /** Why, when it was not a person who asked for it. */
  readonly why?: string;
  /** False: left alone, an earlier result stands in for it. */
  isChosen(task: Task): boolean;
}

/** `only` takes no more than the named stages; `from` and `force` run theirs anew, `from` with all that depends on them. */
export function select(plan: Plan, selection: Selection): Selected {
  const from = downstream(plan, new Set(selection.from));
  const force = new Set(selection.force);
  const only = new Set(selection.only);
  return {
    isAll: only.size === 0,
    isForced: (task) => force.has(task.stage) || from.has(task.id),
    isChosen: (task) => only.size === 0 || only.has(task.stage),
  };
}

/** A run that was stopped still has to do what it was forced to: these tasks, until each has passed. */
export const alsoForced = (selected: Selected, forced: ReadonlySet<TaskId>): Selected =>
  forced.size === 0 ? selected : { ...selected, isForced: (task) => forced.has(task.id) || selected.isForced(task) };

/** What `run-started` has to remember. */
export const forcedTasks = (plan: Plan, selected: Selected): readonly TaskId[] =>
  plan.tasks.filter((task) => !task.skip && selected.isChosen(task) && selected.isForced(task)).map(({ id }) => id);

/** Tasks of the named stages and everything that needs them. Tasks stand in the order of their needs in `waves`. */
function downstream(plan: Plan, stages: ReadonlySet<string>): ReadonlySet<TaskId> {
  const found = new Set<TaskId>();
  if (stages.size === 0) return found;
  const byId = new Map(plan.tasks.map((task) => [task.id, task]));
  for (const wave of plan.waves) {
    for (const id of wave) {
      const task = byId.get(id)!;
      if (stages.has(task.stage) || task.needs.some((need) => found.has(need))) found.add(id);
    }
  }
  return found;
}
