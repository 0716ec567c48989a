import type { Decision, TaskId } from '../../model/plan.js';
import type { EachIteration } from '../../report/iterations/plan-loop.js';
import type { CliContext } from '../context.js';
import type { Project } from '../project/open-project.js';
import { firstIteration } from './first-iteration.js';

/** What the iterations will do, while their baseline is next: nothing of it can be decided yet, but what is done again is known. */
export async function eachIteration(project: Project, context: CliContext): Promise<EachIteration | undefined> {
  const first = await firstIteration(project, context);
  if (!first) return undefined;
  const { plan } = first;
  const again = new Set(plan.iterate?.again);
  const measured = new Set(project.plan.tasks.map(({ id }) => id));
  const decisionOf = (id: TaskId): Decision => {
    if (again.has(id)) return { action: 'run', reasons: [{ code: 'forced', detail: 'every iteration does it again' }] };
    return measured.has(id)
      ? { action: 'cached', reasons: [{ code: 'unchanged', detail: 'made with the baseline' }] }
      : { action: 'run', reasons: [{ code: 'never-ran', detail: 'the first iteration makes it for all' }] };
  };
  const decisions = plan.tasks.map(
    ({ id, skip }) => [id, skip ? { action: 'skip', reasons: [skip] } : decisionOf(id)] as [TaskId, Decision],
  );
  return { plan, decisions: new Map(decisions) };
}
