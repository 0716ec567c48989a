import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll } from 'vitest';
import { RecordingAgents } from '../../../src/adapters/agents/cassette/recording-agents.js';
import { ReplayAgents } from '../../../src/adapters/agents/cassette/replay-agents.js';
import { systemClock } from '../../../src/adapters/system-clock.js';
import type { AgentAnswer, AgentRequest, Agents } from '../../../src/model/agents/agent.js';
import { agentRequest } from '../../support/agent-request.js';

/** A project in a folder of its own, and somebody who works in it. */
export interface Lab {
  readonly root: string;
  readonly home: string;
  readonly run: string;
  readonly folder: string;
  readonly hide: (text: string) => string;
  readonly said: string[];
}

const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

const newFolder = (name: string): string => {
  const folder = mkdtempSync(join(tmpdir(), name));
  folders.push(folder);
  return folder;
};

export function lab(own: Partial<Lab> = {}): Lab {
  const home = newFolder('home-');
  const root = own.root ?? join(home, 'study');
  mkdirSync(root, { recursive: true });
  return { root, home, run: '7-abcd', folder: join(root, 'cassettes'), hide: (text) => text, said: [], ...own };
}

export type Deed = (request: AgentRequest) => AgentAnswer | Promise<AgentAnswer>;

export const done: AgentAnswer = { ok: true, reply: { outcome: 'done', summary: 'ok' } };

export const recorder = (where: Lab, deed: Deed): RecordingAgents =>
  new RecordingAgents({ ...where, clock: systemClock, agents: { ask: async (request) => deed(request) } });

export const player = (where: Lab): ReplayAgents => new ReplayAgents(where);

export const signals = { stop: new AbortController().signal, kill: new AbortController().signal };

/** Asks in the lab's own folder, as the runner would. */
export function ask(agents: Agents, where: Lab, own: Partial<AgentRequest> = {}): Promise<AgentAnswer> {
  const dir = newFolder('call-');
  const request = agentRequest({
    agent: { backend: 'command', run: 'true', model: 'tiny' },
    cwd: where.root,
    dir,
    said: (line) => void where.said.push(line),
    ...own,
  });
  return agents.ask(request, signals);
}

export function put(root: string, path: string, content: string | Buffer, mode = 0o644): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), content);
  chmodSync(join(root, path), mode);
}

/** Every file and link with its mode and content; without the cassettes. */
export function treeOf(root: string, folder = ''): Record<string, string> {
  const found: Record<string, string> = {};
  for (const name of readdirSync(join(root, folder)).sort()) {
    const path = join(folder, name);
    const stats = lstatSync(join(root, path));
    if (path === 'cassettes') continue;
    if (stats.isDirectory()) Object.assign(found, treeOf(root, path));
    else if (stats.isSymbolicLink()) found[path] = `-> ${readlinkSync(join(root, path))}`;
    else found[path] = `${(stats.mode & 0o7777).toString(8)} ${readFileSync(join(root, path), 'latin1')}`;
  }
  return found;
}

export const cassettes = (where: Lab): readonly string[] =>
  readdirSync(where.folder).filter((name) => name.endsWith('.json'));

export const textOf = (where: Lab, name = cassettes(where)[0]!): string =>
  readFileSync(join(where.folder, name), 'utf8');
