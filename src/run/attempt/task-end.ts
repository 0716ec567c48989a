import type { TaskId } from '../../model/plan.js';

/**
 * How a task came to its end. `waiting`: the tries are spent and a person is asked. `withdrawn`: it is begun anew meanwhile.
 * `again`: a planner has changed its file, or somebody what others had made, so these are done again, it among them.
 */
export type TaskEnd =
  | { readonly how: 'passed'; readonly product: string }
  | { readonly how: 'again'; readonly tasks: readonly TaskId[] }
  | { readonly how: 'failed' | 'waiting' | 'cancelled' | 'over-budget' | 'violated' | 'skipped' | 'withdrawn' };
