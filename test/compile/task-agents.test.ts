import { describe, expect, test } from 'vitest';
import type { Agent } from '../../src/model/generated/config.js';
import { at, codesOf, planOf, problemsOf, taskOf } from './study.js';

const agents: Record<string, Agent> = {
  coder: { backend: 'claude', model: 'opus', tools: ['Read'] },
  other: { backend: 'codex' },
};
const work = { uses: 'agent', with: { instructions: 'x', verify: 'true' } } as const;

describe('the agent of a stage', () => {
  test('is part of its tasks, and so is the scope', async () => {
    const plan = await planOf({
      agents,
      vars: { dir: 'src' },
      stages: { a: { ...work, agent: 'coder', scope: ['{{vars.dir}}/**'] } },
    });
    expect(taskOf(plan, 'a')).toMatchObject({
      agent: { name: 'coder', backend: 'claude', model: 'opus', family: 'anthropic', tools: ['Read'] },
      scope: ['src/**'],
    });
  });

  test('AR322: one is needed', async () => {
    expect(await problemsOf({ agents, stages: { a: work } })).toEqual([
      {
        code: 'AR322',
        message: 'stage "a" asks an agent and names none',
        at: at('/stages/a', { key: true }),
        hint: 'Add agent: one of "coder" or "other"',
      },
    ]);
    expect(await problemsOf({ stages: { a: work } })).toMatchObject([
      { code: 'AR322', hint: 'Declare one under agents, and add agent: NAME here' },
    ]);
  });

  test('AR323: none is asked', async () => {
    expect(
      await problemsOf({ agents, stages: { a: { uses: 'command', with: { run: 'true' }, agent: 'coder' } } }),
    ).toEqual([
      {
        code: 'AR323',
        message: 'the behaviour "command" asks no agent',
        at: at('/stages/a/agent', { key: true }),
        hint: 'Take it out, or write uses: agent',
      },
    ]);
  });

  test('AR324: helpers that nobody could count', async () => {
    const stage = { uses: 'agent', agent: 'other', with: { instructions: 'x', verify: 'true', helpers: 2 } };
    expect(await problemsOf({ agents, stages: { a: stage } })).toEqual([
      {
        code: 'AR324',
        message: 'agent "other" is of the backend "codex", whose helpers nobody could count',
        at: at('/stages/a/with/helpers', { key: true }),
        hint: 'Take helpers out, or use an agent of the backend claude, api or command',
      },
    ]);
    const uncounted: readonly Agent[] = [{ backend: 'gemini' }, { backend: 'opencode', family: 'x' }];
    for (const other of uncounted)
      expect(await codesOf({ agents: { ...agents, other }, stages: { a: stage } })).toEqual(['AR324']);
    const other: Agent = { backend: 'api', baseUrl: 'http://127.0.0.1:1', model: 'm', family: 'x' };
    expect(await codesOf({ agents: { ...agents, other }, stages: { a: stage } })).toEqual([]);
    expect(await codesOf({ agents, stages: { a: { ...stage, agent: 'coder' } } })).toEqual([]);
  });

  test('AR327: what the behaviour says is wrong', async () => {
    const stage = { uses: 'agent', agent: 'coder', with: { kind: 'debug', instructions: 'x' } };
    expect(await problemsOf({ agents, stages: { a: stage } })).toEqual([
      {
        code: 'AR327',
        message: 'a stage that debugs needs verify: the command that has to pass',
        at: at('/stages/a/with', { key: true }),
        hint: 'Change what the message names under with; autoresearch stages show agent prints what it takes',
      },
    ]);
  });

  test.each(['../out/**', '/etc/**', '.git/hooks', '.autoresearch/**', '!src/**'])(
    'AR504: a scope stays in the project: %s',
    async (path) => {
      expect(await codesOf({ agents, stages: { a: { ...work, agent: 'coder', scope: [path] } } })).toContain('AR504');
    },
  );

  test('counts in the worst case: every try may be asked three times', async () => {
    const capped = { coder: { backend: 'claude', limits: { usd: 2 } } } as const;
    const plan = await planOf({
      agents: capped,
      stages: { a: { ...work, agent: 'coder', retry: { attempts: 2, total: 4 } } },
    });
    expect(plan.worstCase).toMatchObject({ agentCalls: 12, usd: 24 });
  });
});
