import type { Check } from '../model/gates/check.js';
import { failed, passed } from './check.js';
import type { RunEvidence } from './evidence.js';

/** Whether the arms that were found to be alike still are, and what was asserted still holds. */
export async function parityChecks({ plan, state, parity, assertions }: RunEvidence): Promise<readonly Check[]> {
  const checks: Check[] = [];
  for (const task of plan?.tasks ?? []) {
    const status = state.tasks.get(task.id)?.status;
    const ask = { parity, assert: assertions }[task.uses];
    if (!ask || (status !== 'passed' && status !== 'cached')) continue;
    const { ok, detail } = await ask(task);
    checks.push((ok ? passed : failed)(task.uses as 'parity' | 'assert', task.id, detail));
  }
  return checks;
}
