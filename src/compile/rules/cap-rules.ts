import { isAgentName } from '../../model/errors/retry-limits.js';
import type { Config } from '../../model/generated/config.js';
import { toNano } from '../../model/money/money.js';
import { pointerOf } from '../../model/pointer.js';
import type { Problems } from '../problems.js';
import { agentsOf, agentsUsed } from '../task/agents-used.js';

/** A call starts only when every ceiling has room for its cap, so a cap above a ceiling means that none ever starts. */
export function checkCaps(config: Config, problems: Problems): void {
  const { budget, stages, escalate = [] } = config;
  for (const key of ['usdPerRun', 'usdPerDay'] as const)
    for (const name of agentsUsed(config)) check(name, `budget.${key}`, budget?.[key]);
  for (const name of agentsUsed(config)) check(name, 'iterate.budget.usd', config.iterate?.budget?.usd);
  for (const [stage, { budget: own, ...rest }] of Object.entries(stages))
    for (const name of new Set([...agentsOf(rest), ...escalate.filter(isAgentName)]))
      check(name, `stages.${stage}.budget.usd`, own?.usd);

  function check(name: string, ceiling: string, usd: number | undefined): void {
    const cap = config.agents?.[name]?.limits?.usd;
    if (cap === undefined || usd === undefined || toNano(cap) <= toNano(usd)) return;
    problems.add({
      code: 'AR315',
      message: `no call of agent "${name}" could ever start: limits.usd is ${cap}, and ${ceiling} is ${usd}`,
      at: { kind: 'config', pointer: pointerOf('agents', name, 'limits', 'usd') },
      hint: `Write at most ${usd} here, or raise ${ceiling}`,
    });
  }
}
