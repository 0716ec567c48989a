import { agentsUsed } from '../../compile/task/agents-used.js';
import type { Diagnostic } from '../../model/diagnostic.js';
import type { Agent, Config } from '../../model/generated/config.js';
import { pointerOf } from '../../model/pointer.js';
import { isThere, type Machine, missingProgram } from './missing-program.js';

/** In the order in which `auto` looks for them. */
const clis = ['claude', 'codex', 'gemini', 'opencode'] as const;

export interface FoundAgents {
  /** The config with `auto` replaced by what was found. */
  readonly config: Config;
  readonly auto: ReadonlySet<string>;
  readonly problems: readonly Diagnostic[];
  /** What keeps agents from being asked on this machine; `plan` tells, `exec` refuses. */
  readonly missing: readonly Diagnostic[];
}

/** Looks on this machine for the programs of agents. Starts none. */
export function findAgents(config: Config, machine: Machine): FoundAgents {
  const { agents } = config;
  if (!agents) return { config, auto: new Set(), problems: [], missing: [] };
  const used = agentsUsed(config);
  const auto = new Set(Object.keys(agents).filter((name) => agents[name]!.backend === 'auto'));
  const found = [...auto].map((name) => [name, resolved(agents[name]!, machine)] as const);
  const all = { ...agents, ...Object.fromEntries(found.filter(([, agent]) => agent !== undefined)) } as typeof agents;
  return {
    config: auto.size === 0 ? config : { ...config, agents: all },
    auto,
    problems: found.flatMap(([name, agent]) => (agent ? [] : [nobody(name)])),
    // A preset may bring agents along that the study does not ask.
    missing: Object.keys(all).flatMap((name) =>
      used.has(name) ? missingProgram(name, { ...config, agents: all }, machine) : [],
    ),
  };
}

/** The first CLI that is installed, otherwise the endpoint. What only the other would read is left out. */
function resolved(agent: Agent, machine: Machine): Agent | undefined {
  const { baseUrl, apiKeyEnv, temperature, toolCalls, limits, ...rest } = agent;
  const { endpoint, ...own } = limits ?? {};
  const cli = clis.find((name) => isThere(name, machine));
  if (cli) return { ...rest, ...(limits ? { limits: own } : {}), backend: cli };
  if (baseUrl === undefined || agent.model === undefined) return undefined;
  return { ...agent, ...(limits ? { limits: { ...own, ...endpoint } } : {}), backend: 'api' };
}

const nobody = (name: string): Diagnostic => ({
  code: 'AR325',
  message: `agent "${name}" is of the backend "auto", and neither ${clis.join(', ')} nor an endpoint is there`,
  at: { kind: 'config', pointer: pointerOf('agents', name, 'backend') },
  hint: 'Install one of them, or give the agent baseUrl and model',
});
