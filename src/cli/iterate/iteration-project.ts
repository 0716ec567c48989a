import { partOfPlan } from '../../compile/part-of-plan.js';
import { parseDuration } from '../../model/duration.js';
import type { Budget, Config } from '../../model/generated/config.js';
import type { Plan } from '../../model/plan.js';
import type { IterationAt } from './iteration-now.js';

/** The baseline is a part of the plan. */
export const planAt = (plan: Plan, { number }: IterationAt): Plan =>
  number === 0 && plan.iterate?.baseline ? partOfPlan(plan, plan.iterate.baseline) : plan;

/** What all iterations together may spend is a ceiling of the next one too. */
export function configAt(config: Config, { left: { usd, timeMs } }: IterationAt): Config {
  if (usd === undefined && timeMs === undefined) return config;
  const { budget = {} } = config;
  const own: Budget = { ...budget };
  if (usd !== undefined && usd < (budget.usdPerRun ?? Number.POSITIVE_INFINITY)) own.usdPerRun = usd;
  const limit = budget.time === undefined ? Number.POSITIVE_INFINITY : parseDuration(budget.time)!;
  if (timeMs !== undefined && timeMs < limit) own.time = `${Math.floor(timeMs / 1000)}s`;
  return { ...config, budget: own };
}
