import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { planDigest } from '../../compile/plan-digest.js';
import { FailureError } from '../../model/failure.js';
import type { Plan } from '../../model/plan.js';
import { planChanges } from './plan-changes.js';

export { planChanges } from './plan-changes.js';

/** Throws unless the file holds the very plan that the config gives now. */
export function checkSavedPlan(plan: Plan, file: string, cwd: string): void {
  const saved = readPlan(resolve(cwd, file));
  if (saved.digest === plan.digest) return;
  throw new FailureError({
    code: 'plan-mismatch',
    expected: saved.digest,
    actual: plan.digest,
    changes: planChanges(saved.tasks, plan.tasks),
  });
}

function readPlan(file: string): Plan {
  try {
    const plan = JSON.parse(readFileSync(file, 'utf8')) as Plan;
    if (plan?.version === 1 && Array.isArray(plan.tasks) && plan.digest === planDigest(plan)) return plan;
  } catch (error) {
    throw new FailureError({ code: 'plan-mismatch', expected: file, actual: '', changes: [(error as Error).message] });
  }
  throw new FailureError({
    code: 'plan-mismatch',
    expected: file,
    actual: '',
    changes: ['the file is not a saved plan, or was changed since it was saved'],
  });
}
