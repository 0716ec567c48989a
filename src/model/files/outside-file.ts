import { globsMayMeet, isGlob, isWithin } from '../glob.js';
import type { Plan, Task } from '../plan.js';

/**
 * Whether a file comes from elsewhere on purpose. A name under `inputs` of what a task is to make would excuse that it did not;
 * and a glob names nothing on purpose.
 */
export const isOutside = (path: string, task: Pick<Task, 'inputs'>, plan: Pick<Plan, 'tasks'>): boolean =>
  task.inputs.some((input) => !isGlob(input) && input === path) && makersOf(path, plan).length === 0;

/** The tasks that have it among their outputs, by name, in a folder or by a glob. */
export const makersOf = (path: string, { tasks }: Pick<Plan, 'tasks'>): readonly Task[] =>
  tasks.filter(({ outputs }) => outputs.some((output) => isWithin(path, output) || globsMayMeet(output, path)));
