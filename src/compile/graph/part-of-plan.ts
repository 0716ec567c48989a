import { waves } from '../../graph/waves.js';
import type { Plan, TaskId } from '../../model/plan.js';
import { planDigest } from '../plan-digest.js';

/** A plan of some of the tasks alone: what else they would need is taken for done. */
export function partOfPlan(plan: Plan, wanted: readonly TaskId[]): Plan {
  const ids = new Set(wanted);
  const tasks = plan.tasks
    .filter(({ id }) => ids.has(id))
    .map((task) => ({
      ...task,
      needs: task.needs.filter((need) => ids.has(need)),
      inferred: task.inferred.filter((edge) => ids.has(edge.task)),
    }));
  const order = waves(tasks);
  if ('cycle' in order) throw new Error('a part of a plan has a circle');
  return {
    ...plan,
    tasks,
    waves: order.waves,
    digest: planDigest({ version: plan.version, name: plan.name, tasks }),
  };
}
