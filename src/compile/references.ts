import type { DiagnosticCode } from '../model/catalogue.js';
import type { Config } from '../model/generated/config.js';
import { pointerOf } from '../model/pointer.js';
import { didYouMean } from '../source/did-you-mean.js';
import type { Problems } from './problems.js';

/** Every name of a stage, an agent or a cluster has to be one. */
export function checkReferences(config: Config, problems: Problems): void {
  const known = {
    stage: { code: 'AR301', names: new Set(Object.keys(config.stages)) },
    agent: { code: 'AR303', names: new Set(Object.keys(config.agents ?? {})) },
    cluster: { code: 'AR304', names: new Set(Object.keys(config.clusters ?? {})) },
  } as const satisfies Record<string, { code: DiagnosticCode; names: ReadonlySet<string> }>;

  const expect = (kind: keyof typeof known, name: string | undefined, path: readonly (string | number)[]): void => {
    const { code, names } = known[kind];
    if (name === undefined || names.has(name)) return;
    const hint =
      didYouMean(name, [...names]) ?? (names.size === 0 ? `There are no ${kind}s in this config` : undefined);
    problems.add({
      code,
      message: `there is no ${kind} "${name}"`,
      at: { kind: 'config', pointer: pointerOf(...path) },
      ...(hint === undefined ? {} : { hint }),
    });
  };

  for (const [name, stage] of Object.entries(config.stages)) {
    const { needs, agent, retry, on, gate } = stage;
    if ((needs ?? agent ?? retry ?? on ?? gate) === undefined) continue;
    const at = ['stages', name] as const;
    for (const [index, need] of (needs ?? []).entries()) expect('stage', need, [...at, 'needs', index]);
    expect('agent', stage.agent, [...at, 'agent']);
    expect('agent', stage.retry?.fix, [...at, 'retry', 'fix']);
    expect('cluster', stage.on, [...at, 'on']);
    if (typeof stage.gate !== 'object') continue;
    if (stage.gate.kind === 'auto-judge') expect('agent', stage.gate.agent, [...at, 'gate', 'agent']);
    expect('stage', stage.gate.revise?.stage, [...at, 'gate', 'revise', 'stage']);
  }
  for (const [index, name] of (config.escalate ?? []).entries()) {
    if (name !== 'human' && name !== 'fail') expect('agent', name, ['escalate', index]);
  }
}
