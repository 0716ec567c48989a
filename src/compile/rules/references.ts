import type { DiagnosticCode } from '../../model/catalogue/catalogue.js';
import { escalationWords } from '../../model/errors/retry-limits.js';
import type { Config } from '../../model/generated/config.js';
import { pointerOf } from '../../model/pointer.js';
import { stageList } from '../../model/stage-list.js';
import { didYouMean } from '../../source/did-you-mean.js';
import type { Problems } from '../problems.js';
import { checkAgents } from './backend-rules.js';

/** Every name of a stage, an agent or a cluster has to be one. */
export function checkReferences(config: Config, problems: Problems, auto: ReadonlySet<string> = new Set()): void {
  if (config.agents) checkAgents(config.agents, auto, problems);
  const known = {
    stage: { code: 'AR301', names: new Set(stageList(config).map(([name]) => name)) },
    agent: { code: 'AR303', names: new Set(Object.keys(config.agents ?? {})) },
    cluster: { code: 'AR304', names: new Set(Object.keys(config.clusters ?? {})) },
  } as const satisfies Record<string, { code: DiagnosticCode; names: ReadonlySet<string> }>;

  const expect = (
    kind: keyof typeof known,
    name: string | undefined,
    path: readonly (string | number)[],
    others: readonly string[] = [],
  ): void => {
    const { code, names } = known[kind];
    if (name === undefined || names.has(name) || others.includes(name)) return;
    const hint =
      didYouMean(name, [...names, ...others]) ??
      (names.size === 0 ? `There are no ${kind}s in this config` : undefined);
    problems.add({
      code,
      message: `there is no ${kind} "${name}"`,
      at: { kind: 'config', pointer: pointerOf(...path) },
      ...(hint === undefined ? {} : { hint }),
    });
  };

  for (const [name] of stageList(config)) {
    const stage = config.stages[name]!;
    const { needs, agent, retry, on, gate } = stage;
    if ((needs ?? agent ?? retry ?? on ?? gate) === undefined) continue;
    const at = ['stages', name] as const;
    for (const [index, need] of (needs ?? []).entries()) expect('stage', need, [...at, 'needs', index]);
    expect('agent', stage.agent, [...at, 'agent']);
    if (typeof stage.retry?.fix === 'string') expect('agent', stage.retry.fix, [...at, 'retry', 'fix']);
    expect('cluster', stage.on, [...at, 'on'], ['local']);
    if (typeof stage.gate !== 'object') continue;
    if (stage.gate.kind === 'auto-judge') expect('agent', stage.gate.agent, [...at, 'gate', 'agent']);
    expect('stage', stage.gate.revise?.stage, [...at, 'gate', 'revise', 'stage']);
  }
  expect('agent', config.autonomous?.judge, ['autonomous', 'judge']);
  for (const [index, name] of (config.escalate ?? []).entries()) {
    expect('agent', name, ['escalate', index], escalationWords);
  }
}
