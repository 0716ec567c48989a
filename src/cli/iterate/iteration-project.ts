import { partOfPlan } from '../../compile/graph/part-of-plan.js';
import { parseDuration } from '../../model/duration.js';
import type { Config } from '../../model/generated/config.js';
import type { Plan } from '../../model/plan.js';
import type { LoopBudget } from '../../run/agents/ceilings.js';
import type { IterationAt } from './iteration-now.js';

/** The baseline is a part of the plan. */
export const planAt = (plan: Plan, { number }: IterationAt): Plan =>
  number === 0 && plan.iterate?.baseline ? partOfPlan(plan, plan.iterate.baseline) : plan;

/** What all iterations together may use is a ceiling of each of them too. */
export function budgetAt(
  { iterate }: Config,
  { before }: Pick<IterationAt, 'before'>,
): { readonly loopBudget?: LoopBudget } {
  const { usd, time } = iterate?.budget ?? {};
  const limitMs = time === undefined ? undefined : parseDuration(time);
  if (usd === undefined && limitMs === undefined) return {};
  return {
    loopBudget: {
      ...(usd === undefined ? {} : { usd: { limit: usd, before: before.usd } }),
      ...(limitMs === undefined ? {} : { time: { limitMs, beforeMs: before.workedMs } }),
    },
  };
}
