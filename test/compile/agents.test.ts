import { describe, expect, test } from 'vitest';
import type { Agent } from '../../src/model/generated/config.js';
import { at, compileStudy } from './study.js';

const problems = async (study: Parameters<typeof compileStudy>[0]) => {
  const result = await compileStudy(study);
  return result.ok ? [] : result.error;
};

describe('AR313: an agent and its backend', () => {
  test('a command agent without a command', async () => {
    expect(await problems({ agents: { coder: { backend: 'command' } }, stages: { a: {} } })).toEqual([
      {
        code: 'AR313',
        message: 'an agent of the backend "command" needs "run"',
        at: at('/agents/coder'),
        hint: 'Write the command that is to be run: it gets the prompt on its standard input',
      },
    ]);
  });

  test.each<[string, Agent, string]>([
    ['run', { backend: 'claude', run: './x' }, 'claude'],
    ['baseUrl', { backend: 'command', run: './x', baseUrl: 'http://127.0.0.1' }, 'command'],
    ['apiKeyEnv', { backend: 'command', run: './x', apiKeyEnv: 'KEY' }, 'command'],
    ['path', { backend: 'command', run: './x', path: '/bin/x' }, 'command'],
    ['args', { backend: 'api', baseUrl: 'http://x', model: 'm', args: ['-v'] }, 'api'],
    ['tools', { backend: 'codex', tools: ['shell'] }, 'codex'],
    ['temperature', { backend: 'claude', temperature: 1 }, 'claude'],
    ['toolCalls', { backend: 'gemini', toolCalls: 'text' }, 'gemini'],
    ['interactive', { backend: 'claude', interactive: true }, 'claude'],
  ])('%s that would not be read', async (key, agent, backend) => {
    expect(await problems({ agents: { coder: agent }, stages: { a: {} } })).toEqual([
      {
        code: 'AR313',
        message: `an agent of the backend "${backend}" does not use "${key}"`,
        at: at(`/agents/coder/${key}`, { key: true }),
        hint: 'Take it out, or choose the backend that uses it',
      },
    ]);
  });
});

describe('AR313: more about backends', () => {
  const only = async (agent: object) => problems({ agents: { coder: agent as never }, stages: { a: {} } });

  test('an endpoint needs an address and a model', async () => {
    expect((await only({ backend: 'api' })).map(({ message }) => message)).toEqual([
      'an agent of the backend "api" needs "baseUrl"',
      'an agent of the backend "api" needs "model"',
    ]);
  });

  test('time per step is for the loop that has steps', async () => {
    for (const backend of ['claude', 'command'] as const)
      expect(await only({ backend, run: 'x', limits: { endpoint: { turns: 3 } } } as never)).toContainEqual(
        expect.objectContaining({
          message: `an agent of the backend "${backend}" does not use "limits.endpoint"`,
          at: at('/agents/coder/limits/endpoint', { key: true }),
        }),
      );
    expect(await only({ backend: 'claude', limits: { step: '1m' } })).toMatchObject([
      {
        message: 'an agent of the backend "claude" does not use "limits.step"',
        at: at('/agents/coder/limits/step', { key: true }),
      },
    ]);
  });

  test('an interactive agent keeps its session', async () => {
    const agent = { backend: 'command', run: './x', interactive: true };
    expect(await only({ ...agent, lifecycle: 'persistent' })).toEqual([]);
    expect(await only({ ...agent, lifecycle: 'stateless' })).toMatchObject([
      {
        message: 'an interactive agent keeps its session, and cannot be "stateless"',
        at: at('/agents/coder/lifecycle'),
      },
    ]);
  });

  test('recordings keep whatever the recorded agent had', async () => {
    expect(await only({ backend: 'replay', run: './x', path: '/x', temperature: 1 })).toEqual([]);
  });
});

describe('AR314: an agent that nothing asks', () => {
  const coder = { backend: 'command', run: './x' } as const;
  const judged = {
    kind: 'auto-judge',
    agent: 'coder',
    criteria: ['good'] as string[],
    evidence: ['src'] as string[],
  } as const;
  const codes = async (study: Parameters<typeof compileStudy>[0], userAgents = ['coder']) => {
    const result = await compileStudy({ agents: { coder }, ...study }, { userAgents });
    return result.ok ? [] : result.error;
  };

  test('is an error at its key', async () => {
    expect(await codes({ stages: { a: {} } })).toEqual([
      {
        code: 'AR314',
        message: 'nothing uses the agent "coder"',
        at: at('/agents/coder', { key: true }),
        hint: 'Name it in retry.fix of a stage or in escalate, or take it out',
      },
    ]);
    expect(await codes({ stages: { a: { retry: { attempts: 2, fix: 'codr' } } } })).toMatchObject([
      { code: 'AR303' },
      { code: 'AR314', hint: '"codr" is asked for and not declared; is it this one?' },
    ]);
  });

  test.each<[string, Parameters<typeof compileStudy>[0]]>([
    ['an author', { stages: { a: { uses: 'agent', agent: 'coder', with: { instructions: 'x', verify: 'true' } } } }],
    ['a fixer', { stages: { a: { retry: { attempts: 2, fix: 'coder' } } } }],
    ['a judge', { stages: { a: { gate: judged } } }],
    ['who is asked at last', { escalate: ['coder'], stages: { a: {} } }],
  ])('%s is used', async (_, study) => {
    expect(await codes(study)).toEqual([]);
  });

  test('a preset may declare more than a study takes', async () => {
    expect(await codes({ stages: { a: {} } }, [])).toEqual([]);
  });
});

describe('AR209: who is never asked when the tries are spent', () => {
  const agents = { planner: { backend: 'command', run: './x' } } as const;

  test.each([
    [['human', 'planner'], 'human'],
    [['fail', 'planner'], 'fail'],
  ])('after the last word: %j', async (escalate, last) => {
    expect(await problems({ agents, escalate, stages: { a: {} } })).toEqual([
      {
        code: 'AR209',
        message: `"planner" has no effect after "${last}": it is never reached`,
        at: at('/escalate/1'),
        hint: `Take it out, or put it before "${last}"`,
      },
    ]);
  });

  test('a second time', async () => {
    expect(await problems({ agents, escalate: ['planner', 'planner', 'human', 'human'], stages: { a: {} } })).toEqual([
      {
        code: 'AR209',
        message: '"planner" has no effect here: it is asked once, and stands in the list already',
        at: at('/escalate/1'),
        hint: 'Take it out',
      },
      {
        code: 'AR209',
        message: '"human" has no effect after "human": it is never reached',
        at: at('/escalate/3'),
        hint: 'Take it out',
      },
    ]);
  });

  test.each([
    [['planner', 'human']],
    [['planner', 'fail']],
    [['human']],
    [['fail']],
    [['instructions', 'planner', 'human']],
    [['planner', 'instructions']],
  ])('%j is fine', async (escalate) => {
    expect(await problems({ agents, escalate, stages: { a: {} } })).toEqual([]);
  });
});

describe('notifications', () => {
  test('may use what the event says, and variables', async () => {
    const run =
      'echo {{event.summary}} {{event.type}} {{event.task}} {{event.run}} {{event.outcome}} {{event.time}} {{vars.x}}';
    expect(await problems({ vars: { x: 1 }, notify: [{ on: ['run-finished'], run }], stages: { a: {} } })).toEqual([]);
  });

  test('an unknown name is found at its place', async () => {
    const run = 'echo {{event.sumary}}';
    expect(await problems({ notify: [{ on: ['run-finished'], run }], stages: { a: {} } })).toMatchObject([
      { code: 'AR402', at: { kind: 'config', pointer: '/notify/0/run', within: [13, 19] } },
    ]);
  });
});
