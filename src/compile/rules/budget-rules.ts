import { parseDuration } from '../../model/duration.js';
import { isAgentName } from '../../model/errors/retry-limits.js';
import type { Agent, Config } from '../../model/generated/config.js';
import { pointerOf } from '../../model/pointer.js';
import { didYouMean } from '../../source/did-you-mean.js';
import type { Problems } from '../problems.js';
import { agentsOf, agentsUsed } from '../task/agents-used.js';
import { checkCaps } from './cap-rules.js';

/** Ceilings that could not be kept, and words about money that would have no effect. Loaded only for a config with such words. */
export function checkBudgets(config: Config, userPrices: ReadonlySet<string>, problems: Problems): void {
  checkTime(config, problems);
  if (limitsMoney(config)) checkBounded(config, problems);
  checkPrices(config, userPrices, problems);
  checkStageBudgets(config, problems);
  checkCaps(config, problems);
}

/** Money can only be kept under a ceiling when somebody knows what a call costs, or what it can cost at most. */
function checkBounded(config: Config, problems: Problems): void {
  const priced = Object.keys(config.prices ?? {});
  for (const name of agentsUsed(config)) {
    const agent = config.agents?.[name];
    if (!agent || isBounded(agent, config)) continue;
    const near = agent.model === undefined ? undefined : didYouMean(agent.model, priced);
    const give = `Give it limits.usd${agent.model === undefined ? '' : `, or a price for "${agent.model}" under prices`}`;
    problems.add({
      code: 'AR310',
      message: `money is limited, but nothing says what a call of agent "${name}" may cost`,
      at: { kind: 'config', pointer: pointerOf('agents', name), key: true },
      hint: near === undefined ? give : `${give}. ${near}`,
    });
  }
}

function checkPrices(config: Config, userPrices: ReadonlySet<string>, problems: Problems): void {
  const models = new Set(
    Object.values(config.agents ?? {}).flatMap(({ model }) => (model === undefined ? [] : [model])),
  );
  const unpriced = [...models].filter((model) => config.prices?.[model] === undefined);
  for (const model of Object.keys(config.prices ?? {})) {
    if (models.has(model) || !userPrices.has(model)) continue;
    problems.add({
      code: 'AR311',
      message: `no agent is of the model "${model}"`,
      at: { kind: 'config', pointer: pointerOf('prices', model), key: true },
      hint: didYouMean(model, unpriced) ?? 'Take the price out, or name the model at an agent',
    });
  }
}

function checkStageBudgets(config: Config, problems: Problems): void {
  // Whoever is asked when the tries are spent is paid by the stage that failed.
  if ((config.escalate ?? []).some(isAgentName)) return;
  for (const [name, stage] of Object.entries(config.stages)) {
    if (stage.budget === undefined || agentsOf(stage).length > 0) continue;
    problems.add({
      code: 'AR312',
      message: `the budget of stage "${name}" has no effect: no agent works, mends or judges in it`,
      at: { kind: 'config', pointer: pointerOf('stages', name, 'budget'), key: true },
      hint: 'Take it out, or let an agent do something in the stage',
    });
  }
}

function checkTime({ budget }: Config, problems: Problems): void {
  if (budget?.time === undefined || (parseDuration(budget.time) ?? 0) > 0) return;
  problems.add({
    code: 'AR206',
    message: `budget.time must be a length of time, but is "${budget.time}"`,
    at: { kind: 'config', pointer: pointerOf('budget', 'time') },
    hint: 'Write a whole number and a unit, such as 30m, 12h or 2d',
  });
}

const limitsMoney = ({ budget, stages, iterate }: Config): boolean =>
  (budget?.usdPerRun ?? budget?.usdPerDay ?? iterate?.budget?.usd) !== undefined ||
  Object.values(stages).some((stage) => stage.budget?.usd !== undefined);

const isBounded = ({ limits, model, backend }: Agent, { prices }: Config): boolean =>
  backend === 'replay' || limits?.usd !== undefined || (model !== undefined && prices?.[model] !== undefined);
