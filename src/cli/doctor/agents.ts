import { cliPackages } from '../../adapters/agents/cli/cli-packages.js';
import { loginSign } from '../../adapters/agents/cli/login-signs.js';
import { findProgram } from '../../adapters/command/find-program.js';
import { packedVersion } from '../../adapters/process/program-version.js';
import type { AgentFinding, Finding } from '../../model/finding.js';
import type { Agent } from '../../model/generated/config.js';
import type { CliContext } from '../context.js';
import { type Around, commandStands } from '../project/missing-program.js';
import type { Study } from './study.js';

/** The agents that the study may ask: those with one program share a line. Starts none of them. */
export function agentFindings({ agents, config }: Study, root: string, { env }: CliContext): readonly Finding[] {
  const groups = new Map<string, { readonly agent: Agent; readonly names: string[]; isOptional: boolean }>();
  for (const [name, agent] of agents) {
    const key = [agent.backend, agent.path ?? '', agent.run ?? '', agent.baseUrl ?? ''].join('\0');
    const group = groups.get(key) ?? { agent, names: [], isOptional: true };
    groups.set(key, group);
    group.names.push(name);
    group.isOptional &&= agent.optional === true;
  }
  return [...groups.values()].map(({ agent, names, isOptional }) => {
    const facts =
      agent.backend === 'command'
        ? commandFacts(agent.run ?? '', names, { stages: config?.stages ?? {}, machine: { root, path: env.PATH } })
        : factsOf(agent, root, env);
    const isWrong = !facts.isThere && !isOptional;
    const standing = isWrong ? 'wrong' : facts.isThere && facts.login !== 'not-seen' ? 'fine' : 'odd';
    return { check: 'agent', standing, names, backend: agent.backend, ...facts };
  });
}

type Facts = Omit<AgentFinding, 'check' | 'names' | 'backend'>;

function factsOf(agent: Agent, root: string, env: NodeJS.ProcessEnv): Facts {
  const from = cliPackages[agent.backend];
  if (from !== undefined) return cliFacts(agent, from, { root, env });
  const program = agent.backend === 'api' ? agent.baseUrl : undefined;
  // That nobody is there for `auto` is one of the config's problems.
  return {
    isThere: agent.backend !== 'auto',
    login: 'not-needed',
    ...(program === undefined ? {} : { program: withoutSecrets(program) }),
  };
}

function cliFacts(agent: Agent, from: string, { root, env }: { root: string; env: NodeJS.ProcessEnv }): Facts {
  const program = agent.path ?? agent.backend;
  const found = findProgram(program, root, env.PATH);
  if (found.kind !== 'found') return { isThere: false, login: 'unknown', program, from };
  const version = packedVersion(found.file, from);
  const login = loginSign(agent.backend, env);
  return { isThere: true, login, program: found.file, from, ...(version === undefined ? {} : { version }) };
}

/** Of shell text only the first word is known, and only when it is a plain one can it be missed. */
function commandFacts(run: string, names: readonly string[], around: Around): Facts {
  const program = run.trim().split(/\s+/)[0] ?? '';
  return {
    isThere: names.every((name) => commandStands(name, run, around) === 'found'),
    login: 'not-needed',
    program,
  };
}

/** An address may hold a password. */
function withoutSecrets(address: string): string {
  try {
    return new URL(address).origin;
  } catch {
    return 'an address that is none';
  }
}
