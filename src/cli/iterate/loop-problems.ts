import { tmpdir } from 'node:os';
import { readIterations, recordFile } from '../../adapters/iteration/iteration-record.js';
import { stateDir } from '../../adapters/journal/run-store.js';
import type { LocatedDiagnostic } from '../../model/diagnostic.js';
import { rulesOf } from '../../run/iterate/rules.js';
import type { CliContext } from '../context.js';
import type { Project } from '../project/open-project.js';
import { loopKeeper } from './loop-keeper.js';
import { loopMeasure } from './loop-measure.js';

/** What `exec` would refuse to begin or resume the iteration for that is next: AR344, AR345, AR346. Looks, and changes nothing. */
export async function loopProblems(project: Project, context: CliContext): Promise<readonly LocatedDiagnostic[]> {
  const { resolved, plan, iteration } = project;
  if (!resolved.config.iterate || !iteration || iteration.over !== undefined) return [];
  const dir = stateDir(resolved.root, context.agentId);
  const found = readIterations(recordFile(dir))?.state;
  const state = found?.name === plan.name ? found : undefined;
  const measure = await loopMeasure(project, context);
  if (!measure.ok) return measure.error;
  const rules = rulesOf(resolved.config.iterate);
  const keeper = await loopKeeper({ project, context, rules, dir, scratch: tmpdir() });
  const { open } = state ?? {};
  // One that has been measured is only decided about; what is wrong there is told then.
  if (open?.measured) return [];
  const isFirst = iteration.number === 0 || (state?.rows.length ?? 0) === 0;
  const where = open ? await keeper.resumed(open) : await keeper.base(state ?? {}, isFirst);
  return [...measure.value.problems(state?.measure), ...(where && 'problems' in where ? where.problems : [])];
}
