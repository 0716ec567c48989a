import { locateConfig } from '../../config/find.js';
import { FailureError } from '../../model/failure.js';
import type { Decision, StaleTask } from '../../model/plan.js';
import type { RunState } from '../../model/state/run-state.js';
import { preview } from '../../run/freshness/decider.js';
import { select } from '../../run/select.js';
import type { CliContext } from '../context.js';
import { openProject } from '../project/open-project.js';
import { quickLook } from '../project/quick-look.js';
import { openHistory } from './history.js';

/**
 * Which finished tasks of the newest run `exec` would do again now, and what differs. Undefined when that cannot be told: a
 * config with mistakes in it, or journals that are not to be trusted, are for others to complain about.
 */
export async function staleSince(
  context: CliContext,
  { tasks, iteration }: RunState,
): Promise<readonly StaleTask[] | undefined> {
  try {
    const found = await locateConfig(context.cwd, context.configFile);
    if ((await quickLook(context, found)).standing) return [];
    const project = await openProject(context, found);
    if (!project.ok) return undefined;
    const { plan } = project.value;
    // An iteration that is over is kept or put back, and its tasks are not done again: another one follows, or none.
    if (iteration && project.value.iteration?.record !== iteration.record) return undefined;
    const selected = select(plan, { only: [], from: [], force: [] });
    const history = await openHistory(project.value, { agentId: context.agentId, selected });
    const again = [...preview(plan, history.still())].filter(([id, { action }]) => {
      const isDone = ['passed', 'cached'].includes(tasks.get(id)?.status ?? '');
      return isDone && action === 'run';
    });
    // Who looks anew each time, and who may only be spared after that, has a result that holds as far as anybody knows.
    return again.some(([, decision]) => isSurelyStale(decision))
      ? again.map(([id, { reasons }]) => ({ id, reasons }))
      : [];
  } catch (error) {
    if (error instanceof FailureError) return undefined;
    throw error;
  }
}

const isSurelyStale = ({ maybe, reasons }: Decision): boolean =>
  !maybe && !reasons.every(({ code }) => code === 'not-cached');
