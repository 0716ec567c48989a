import { realpathSync } from 'node:fs';
import { join } from 'node:path';
import { told } from '../../adapters/git/checkout-problem.js';
import { type LoopRules, lookAtLoop, lookAtUnkept, settleFolders } from '../../adapters/iteration/loop-files.js';
import { stateDir } from '../../adapters/journal/run-store.js';
import { FailureError } from '../../model/failure.js';
import type { AttemptPorts } from '../../run/attempt/attempt-ports.js';
import { firstMeasuring } from '../../run/iterate/first-measuring.js';
import { asWritten } from '../../run/protect/bare-checks.js';
import { loadGlobMatch } from '../../source/glob.js';
import type { Project } from '../project/open-project.js';
import { type CheckoutInput, lazyCheckout } from './loop-checkout.js';

/** Which files a loop keeps or puts back; undefined where it does neither. */
export async function loopRules({ plan, resolved }: Project): Promise<LoopRules | undefined> {
  const files = plan.iterate?.files;
  if (!files) return undefined;
  const { protect = [] } = resolved.config;
  return { root: realpathSync(resolved.root), files, protect, match: await loadGlobMatch() };
}

/**
 * Before the files of the loop are measured they are what a clone of their commit would have: no folders in which git keeps nothing, and contents and
 * modes as a checkout gives them. Notes what they are then.
 */
export async function loopPort(input: CheckoutInput): Promise<Pick<AttemptPorts, 'ready'>> {
  const { project, context } = input;
  const rules = await loopRules(project);
  if (!rules) return {};
  const checkout = lazyCheckout(input);
  const scratch = join(stateDir(rules.root, context.agentId), 'checked-out');
  return {
    async ready({ id }, folder) {
      // A task file may add to the plan while it is carried out.
      if (!firstMeasuring(project.plan).has(id)) return undefined;
      const { folders } = lookAtUnkept(rules);
      settleFolders(rules, []);
      const without = folders.map((path) => `${path}/`);
      try {
        const keep = (): string => join(folder().dir, asWritten);
        const otherwise = await told(async () => (await checkout()).asKept({ scratch, keep }));
        return { given: { ...lookAtLoop(rules), folders }, without, otherwise };
      } catch (error) {
        if (!(error instanceof FailureError)) throw error;
        return { failure: error.failure, without, otherwise: [] };
      }
    },
  };
}
