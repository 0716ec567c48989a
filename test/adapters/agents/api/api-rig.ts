import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { ApiAgent } from '../../../../src/adapters/agents/api/api-agent.js';
import { createCommandRunner } from '../../../../src/adapters/command/command-runner.js';
import { systemClock } from '../../../../src/adapters/system-clock.js';
import type { AgentAnswer, AgentRequest } from '../../../../src/model/agents/agent.js';
import type { Agent } from '../../../../src/model/generated/config.js';
import type { Clock } from '../../../../src/model/ports.js';
import { agentRequest } from '../../../support/agent-request.js';
import { type ChatTurn, type FakeChat, startFakeChat } from '../../../support/fake-chat.js';

export const key = 'k-very"secret\\0123456789';

export interface Asked {
  readonly cwd: string;
  readonly dir: string;
  readonly said: string[];
  readonly answer: Promise<AgentAnswer>;
  readonly stop: AbortController;
  readonly kill: AbortController;
}

export interface AskOptions {
  readonly agent?: Partial<Agent>;
  readonly request?: Partial<AgentRequest>;
  readonly cwd?: string;
  readonly sessionsDir?: string;
  readonly clock?: Clock;
  readonly env?: { readonly [name: string]: string };
  readonly prices?: { readonly [model: string]: { input: number; output: number } };
}

export interface Rig {
  readonly chat: FakeChat;
  ask(script: Parameters<FakeChat['script']>[0], options?: AskOptions): Asked;
}

/** An endpoint that says what a test scripts, and an agent that asks it. */
export function apiRig(): Rig {
  let chat: FakeChat;
  const environment = { PATH: process.env.PATH, HOME: tmpdir(), FAKE_KEY: key };
  const commands = createCommandRunner({ clock: systemClock, env: environment, maxSlots: 2, graceMs: 200 });
  beforeAll(async () => {
    chat = await startFakeChat();
  });
  afterAll(async () => {
    await chat.close();
    await commands.close();
  });
  return {
    get chat() {
      return chat;
    },
    ask(script, { agent, request, prices, env = { FAKE_KEY: key }, clock = systemClock, ...places } = {}) {
      chat.script(script);
      const { cwd = newFolder(), sessionsDir = join(newFolder(), 'sessions') } = places;
      const dir = join(newFolder(), 'call');
      mkdirSync(dir);
      const said: string[] = [];
      const [stop, kill] = [new AbortController(), new AbortController()];
      const api = new ApiAgent({ clock, env, commands, sessionsDir, ...(prices ? { prices } : {}) });
      const answer = api.ask(
        agentRequest({
          agent: { backend: 'api', baseUrl: chat.baseUrl, apiKeyEnv: 'FAKE_KEY', model: 'tiny', ...agent },
          cwd,
          dir,
          said: (line) => said.push(line),
          ...request,
        }),
        { stop: stop.signal, kill: kill.signal },
      );
      return { cwd, dir, said, answer, stop, kill };
    },
  };
}

export const newFolder = (): string => realpathSync(mkdtempSync(join(tmpdir(), 'autoresearch-api-')));

export const done: ChatTurn = { calls: [['finish', { outcome: 'done', summary: 'ok' }]] };

/** What the model was told about its n-th call. */
export const toldAfter = (chat: FakeChat, request: number): string =>
  String(chat.requests[request]?.body.messages.at(-1)?.content);

/** Everything in a folder, as one text. */
export const allText = (dir: string): string =>
  readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8'))
    .join('\n');
