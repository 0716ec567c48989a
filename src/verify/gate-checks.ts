import type { Check } from '../model/gates/check.js';
import { failed, passed } from './check.js';
import type { RunEvidence } from './evidence.js';

/** Every gate of the plan was passed, and what was approved is what is there now. */
export function gateChecks({ plan, state, gate }: RunEvidence): readonly Check[] {
  return (plan?.tasks ?? []).flatMap((task): Check[] => {
    const known = state.tasks.get(task.id);
    // What never came to its gate is told of as a task that did not run.
    if (task.gate === undefined || known?.product === undefined) return [];
    const standing = gate(task, known);
    if (!standing.isPassed) return [failed('gate', task.id, standing.detail)];
    const by = known.gate?.decided?.by.name ?? 'nobody';
    return [passed('gate', task.id, `passed by ${by}, and what was shown is as it was`)];
  });
}
