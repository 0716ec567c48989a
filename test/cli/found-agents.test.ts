import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { findAgents } from '../../src/cli/project/found-agents.js';
import type { Config } from '../../src/model/generated/config.js';

const config = (agent: string): Config => ({
  name: 'study',
  agents: { coder: { backend: 'claude', path: './no-coder' }, judge: { backend: 'codex', path: './no-judge' } },
  stages: { work: { uses: 'agent', agent, with: { instructions: 'do it' } } },
});

test.each(['coder', 'judge'])('only the programs of those who may be asked have to be there: %s', (agent) => {
  const { missing } = findAgents(config(agent), { root: '/nowhere', path: '' });
  expect(missing.map(({ message }) => message)).toEqual([
    `./no-${agent}, the program of agent "${agent}", is not there`,
  ]);
});

test('auto: what holds for the endpoint holds there and nowhere else', () => {
  const auto: Config = {
    name: 'study',
    agents: {
      coder: {
        ...{ backend: 'auto', baseUrl: 'http://127.0.0.1:9/v1', model: 'x' },
        limits: { turns: 10, usd: 2, endpoint: { turns: 15, files: 5 } },
      },
    },
    stages: { work: { uses: 'agent', agent: 'coder', with: { instructions: 'do it' } } },
  };
  const none = findAgents(auto, { root: '/nowhere', path: '/nowhere' });
  expect(none.config.agents!.coder).toEqual({
    ...auto.agents!.coder,
    backend: 'api',
    limits: { turns: 15, usd: 2, files: 5 },
  });
  const bin = mkdtempSync(join(tmpdir(), 'bin-'));
  writeFileSync(join(bin, 'claude'), '#!/bin/sh\n', { mode: 0o755 });
  const found = findAgents(auto, { root: '/nowhere', path: bin });
  expect(found.config.agents!.coder).toEqual({ backend: 'claude', model: 'x', limits: { turns: 10, usd: 2 } });
});

const commandStudy = (run: string, stage: object = {}, more: Config['stages'] = {}): Config => ({
  name: 'study',
  agents: { coder: { backend: 'command', run } },
  stages: { work: { uses: 'agent', agent: 'coder', with: { instructions: 'do it' }, ...stage }, ...more },
});
const found = (config: Config): string[] =>
  findAgents(config, { root: '/nowhere', path: '/usr/bin:/bin' }).missing.map(({ message }) => message);

test.each(['./agent', '/no/agent.sh --x', 'no-such-agent | tee log', 'tools/agent;'])(
  'the first word of a command has to be there: %s',
  (run) => expect(found(commandStudy(run))).toHaveLength(1),
);

test.each([
  'sh ./agent',
  'cd tools && ./agent',
  'MODE=fast ./agent',
  '$HOME/agent',
  '"./agent"',
  './agent || ./other',
  'if true; then ./agent; fi',
  '{ ./agent; }',
])('unless nobody can say what is run: %s', (run) => expect(found(commandStudy(run))).toEqual([]));

test('nor is it missed where a stage makes it, has a folder or a PATH of its own', () => {
  expect(found(commandStudy('./bin/agent', {}, { build: { uses: 'command', outputs: ['bin/agent'] } }))).toEqual([]);
  expect(found(commandStudy('./bin/agent', {}, { build: { uses: 'command', outputs: ['bin/**'] } }))).toEqual([]);
  expect(found(commandStudy('./bin/agent', {}, { build: { uses: 'command', outputs: ['{{vars.x}}'] } }))).toEqual([]);
  expect(found(commandStudy('./bin/agent', {}, { build: { uses: 'command', outputs: ['bin/agents'] } }))).toHaveLength(
    1,
  );
  expect(found(commandStudy('./agent', { cwd: 'sub' }))).toEqual([]);
  expect(found(commandStudy('no-such-agent', { env: { PATH: '/opt/bin' } }))).toEqual([]);
  expect(found(commandStudy('/no/such/agent', { cwd: 'sub' }))).toHaveLength(1);
});
