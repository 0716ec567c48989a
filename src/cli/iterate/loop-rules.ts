import { realpathSync } from 'node:fs';
import { type LoopRules, lookAtLoop } from '../../adapters/iteration/loop-files.js';
import type { AttemptPorts } from '../../run/attempt-ports.js';
import { firstMeasuring } from '../../run/iterate/first-measuring.js';
import { loadGlobMatch } from '../../source/glob.js';
import type { Project } from '../open-project.js';

/** Which files a loop keeps or puts back; undefined where it does neither. */
export async function loopRules({ plan, resolved }: Project): Promise<LoopRules | undefined> {
  const files = plan.iterate?.files;
  if (!files) return undefined;
  const { protect = [] } = resolved.config;
  return { root: realpathSync(resolved.root), files, protect, match: await loadGlobMatch() };
}

/** Notes what is measured when it begins to be. */
export async function loopPort(project: Project): Promise<Pick<AttemptPorts, 'given'>> {
  const rules = await loopRules(project);
  if (!rules) return {};
  // A task file may add to the plan while it is carried out.
  return { given: ({ id }) => (firstMeasuring(project.plan).has(id) ? { given: lookAtLoop(rules) } : undefined) };
}
