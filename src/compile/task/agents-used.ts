import { isAgentName } from '../../model/errors/retry-limits.js';
import type { Config, Stage } from '../../model/generated/config.js';
import { stageList } from '../../model/stage-list.js';

/** The names of all agents that a study may ask. */
export function agentsUsed(config: Config): ReadonlySet<string> {
  const { escalate = [], autonomous } = config;
  const used = new Set<string>();
  for (const [, stage] of stageList(config)) for (const name of agentsOf(stage)) used.add(name);
  for (const step of escalate) if (isAgentName(step)) used.add(step);
  if (autonomous?.judge !== undefined) used.add(autonomous.judge);
  return used;
}

/** Those that work, mend or judge in one stage. */
export function agentsOf({ agent, retry, gate }: Stage): readonly string[] {
  if (agent === undefined && retry === undefined && gate === undefined) return nobody;
  return [
    ...(agent === undefined ? [] : [agent]),
    ...(typeof retry?.fix === 'string' ? [retry.fix] : []),
    ...(typeof gate === 'object' && gate.kind === 'auto-judge' ? [gate.agent] : []),
  ];
}

const nobody: readonly string[] = [];
