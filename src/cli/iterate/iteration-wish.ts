import { isOfGate } from '../../model/failure.js';
import type { Plan, Task } from '../../model/plan.js';
import type { RunState } from '../../model/state/run-state.js';
import type { Selected } from '../../run/select.js';
import type { Project } from '../project/open-project.js';

/** What a loop wants of the history of runs. */
export interface IterationWish {
  /** Whether a run is the one of this iteration. */
  owns(state: RunState): boolean;
  /** Whether a task is done again in every iteration. */
  isAgain(task: Task): boolean;
  /** In words, for the reasons. */
  readonly why: string;
}

/** For a look at the iteration that is open or next, without running it. */
export const wishNow = ({ plan, iteration }: Pick<Project, 'plan' | 'iteration'>): IterationWish => ({
  owns: (state) => iteration?.record !== undefined && state.iteration?.record === iteration.record,
  isAgain: isAgainIn(plan),
  why: 'every iteration does it again',
});

/** By stage, because a task file may add tasks later on. */
export function isAgainIn({ iterate, tasks }: Plan): (task: Task) => boolean {
  const again = new Set(iterate?.again);
  const stages = new Set(tasks.filter(({ id }) => again.has(id)).map(({ stage }) => stage));
  return ({ stage }) => stages.has(stage);
}

/** What every iteration does again, it does once; all of it when somebody broke the rules, because that was put back. */
export function eachTime(wanted: Selected, { isAgain, why }: IterationWish, state: RunState | undefined): Selected {
  const isDone = ({ id }: Task): boolean => {
    if (state?.outcome === 'violated') return false;
    const known = state?.tasks.get(id);
    return known?.status === 'passed' || isOfGate(known?.failure);
  };
  return { ...wanted, isForced: (task) => wanted.isForced(task) || (isAgain(task) && !isDone(task)), why };
}
