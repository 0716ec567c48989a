import { appendFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { AgentAnswer, AgentRequest, Agents, CallSignals } from '../../model/agents/agent.js';
import type { Failure } from '../../model/failure.js';
import type { Agent, Price } from '../../model/generated/config.js';
import type { Clock, CommandRunner } from '../../model/ports.js';
import type { Environment } from '../command/environment.js';

export interface BackendPorts {
  /** Absolute: the project folder. */
  readonly root: string;
  readonly commands: CommandRunner;
  readonly clock: Clock;
  /** The runner's whole environment; each backend takes what it needs. */
  readonly env: Environment;
  /** What every command may see of it. */
  readonly allowed: Environment;
  readonly prices: { readonly [model: string]: Price };
  /** Absolute: where conversations of the run are kept. */
  readonly sessionsDir: string;
  /** The socket of the project's own tmux server, and what the names of its sessions begin with. */
  tmux(): { readonly socket: string; readonly prefix: string };
  /** Starts programs inside a fence; absent where there is none. */
  fenced?(request: AgentRequest): CommandRunner;
  replay(): Promise<Agents>;
  words(failure: Failure): string;
}

/** One door for all agents. A backend is loaded when the first question goes to it. */
export class AgentsByBackend implements Agents {
  readonly #ports: BackendPorts;
  readonly #loaded = new Map<string, Promise<Agents>>();

  constructor(ports: BackendPorts) {
    this.#ports = ports;
  }

  async ask(request: AgentRequest, signals: CallSignals): Promise<AgentAnswer> {
    const key = request.agent.interactive ? 'interactive' : request.agent.backend;
    const placed = told(withPlace(request, this.#ports.root));
    if (this.#ports.fenced && key !== 'interactive' && key !== 'replay') {
      // Each question has a fence of its own, and what speaks through it costs nothing to make.
      const ports = { ...this.#ports, commands: this.#ports.fenced(placed) };
      return (await load(key, ports)).ask({ ...placed, fenced: true }, signals);
    }
    let loaded = this.#loaded.get(key);
    if (!loaded) {
      loaded = load(key, this.#ports);
      this.#loaded.set(key, loaded);
    }
    return (await loaded).ask(placed, signals);
  }
}

/** A program that is named by a path is the project's own, wherever the agent works. */
function withPlace(request: AgentRequest, root: string): AgentRequest {
  const { path } = request.agent;
  return path?.includes('/') ? { ...request, agent: { ...request.agent, path: resolve(root, path) } } : request;
}

/** What it says while it works is kept in the call's own folder too, where `logs --fix` looks. A program writes its own log there. */
function told(request: AgentRequest): AgentRequest {
  if (request.agent.backend === 'command' && !request.agent.interactive) return request;
  const log = join(request.dir, 'stdout.log');
  return {
    ...request,
    said(line) {
      request.said(line);
      appendFileSync(log, `${line}\n`);
    },
  };
}

async function load(key: Agent['backend'] | 'interactive', ports: BackendPorts): Promise<Agents> {
  switch (key) {
    case 'claude':
      return cli((await import('./claude/claude.js')).claude, ports);
    case 'codex':
      return cli((await import('./codex/codex.js')).codex, ports);
    case 'gemini':
      return cli((await import('./gemini/gemini.js')).gemini, ports);
    case 'opencode':
      return cli((await import('./opencode/opencode.js')).opencode, ports);
    case 'command':
      return new (await import('./command/command-agent.js')).CommandAgent(ports);
    case 'interactive':
      return new (await import('./tmux/tmux-agent.js')).TmuxAgent({
        ...ports,
        ...ports.tmux(),
        env: ports.allowed,
        runnerEnv: ports.env,
      });
    case 'api':
      return new (await import('./api/api-agent.js')).ApiAgent(ports);
    case 'replay':
      return ports.replay();
    case 'auto':
      throw new Error('auto was not looked up');
  }
}

async function cli(
  dialect: ConstructorParameters<typeof import('./cli/cli-agent.js').CliAgent>[1],
  ports: BackendPorts,
) {
  const { CliAgent } = await import('./cli/cli-agent.js');
  return new CliAgent(ports, dialect);
}
