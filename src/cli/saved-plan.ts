import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { planDigest } from '../compile/plan-digest.js';
import { FailureError } from '../model/failure.js';
import { canonicalJson } from '../model/json.js';
import type { Plan, Task } from '../model/plan.js';

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

/** What differs between two plans, in words. Also used when an unfinished run goes on with an edited config. */
export function planChanges(then: readonly Task[], now: readonly Task[]): string[] {
  const before = new Map(then.map((task) => [task.id, task]));
  const after = new Map(now.map((task) => [task.id, task]));
  return [
    ...now.filter((task) => !before.has(task.id)).map((task) => `${task.id} is new`),
    ...then.filter((task) => !after.has(task.id)).map((task) => `${task.id} is gone`),
    ...now.flatMap((task) => {
      const old = before.get(task.id);
      const fields = old ? changedFields(old, task) : [];
      return fields.length > 0 ? [`${task.id} has another ${fields.join(', ')}`] : [];
    }),
  ];
}

function changedFields(then: Task, now: Task): string[] {
  const fields = new Set([...Object.keys(then), ...Object.keys(now)]) as Set<keyof Task>;
  return [...fields].filter((field) => canonicalJson(then[field] ?? null) !== canonicalJson(now[field] ?? null));
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
