import { describe, expect, test } from 'vitest';
import type { WorstCase } from '../../src/model/plan.js';
import { planOf, type Study } from './study.js';

const worst = async (study: Study): Promise<WorstCase> => (await planOf(study)).worstCase;
const minute = 60_000;

describe('worst case', () => {
  test('of commands: attempts, no agents, no money', async () => {
    const stages = { a: { retry: { attempts: 3 } }, b: { matrix: { seed: [1, 2] as [number, number] } } };
    expect(await worst({ stages })).toEqual({ attempts: 5 * 3 + 2, agentCalls: 0, usd: 0, timeMs: null });
  });

  test('time is all attempts one after another, with doubling pauses', async () => {
    const stages = {
      a: { timeout: '1m' },
      b: { needs: ['a'], timeout: '10m', retry: { attempts: 3, backoff: '1m', total: 8 } },
      c: { needs: ['a'], timeout: '20m' },
      d: { needs: ['b', 'c'], timeout: '1m' },
    };
    // Seven pauses: three kinds of errors with two each, and one more.
    expect((await worst({ stages })).timeMs).toBe((1 + (8 * 10 + 3 * (1 + 2) + 1) + 20 + 1) * minute);
  });

  test('no pause is longer than an hour', async () => {
    const stages = { a: { timeout: '1m', retry: { attempts: 4, backoff: '40m', total: 4 } } };
    expect((await worst({ stages })).timeMs).toBe((4 * 1 + 40 + 60 + 60) * minute);
  });

  test('one task without a limit leaves the time unknown, never zero', async () => {
    expect((await worst({ stages: { a: { timeout: '1m' }, b: {} } })).timeMs).toBeNull();
  });

  test('what is left out costs nothing', async () => {
    const matrix = { seed: [1, 2] as [number, number] };
    const stages = {
      slow: { timeout: '10m', outputs: ['in/1'] },
      quick: { timeout: '1m', outputs: ['in/2'] },
      train: {
        matrix,
        when: 'matrix.seed == 2',
        inputs: ['in/{{matrix.seed}}'],
        timeout: '1m',
        retry: { attempts: 4 },
      },
      end: { needs: ['train'], timeout: '1m' },
      off: { when: 'false' },
    };
    expect(await worst({ stages })).toEqual({
      attempts: 1 + 1 + 5 * 4 + 1,
      agentCalls: 0,
      usd: 0,
      timeMs: (10 + 1 + 5 * 4 + 1) * minute,
    });
  });

  test('agents: authors, fixers and judges, for every try and every round', async () => {
    const agents = {
      coder: { backend: 'codex', limits: { usd: 2 } },
      fixer: { backend: 'codex', limits: { usd: 1 } },
      judge: { backend: 'claude', limits: { usd: 0.5 } },
    } as const;
    const build = {
      agent: 'coder',
      retry: { attempts: 3, fix: 'fixer' },
      gate: {
        kind: 'auto-judge',
        agent: 'judge',
        criteria: ['good'],
        evidence: ['src/**'],
        votes: 3,
        revise: { max: 2 },
      },
    } as const;
    // Three rounds of fifteen tries, fourteen fixes and three votes each; each question may be put three times.
    expect(
      await worst({
        agents,
        stages: { build: { ...build, gate: { ...build.gate, criteria: ['good'], evidence: ['src/**'] } } },
      }),
    ).toMatchObject({
      attempts: 3 * 15,
      agentCalls: 3 * 3 * (15 + 14 + 3),
      usd: 3 * 3 * (15 * 2 + 14 * 1 + 3 * 0.5),
    });
  });

  test('an agent without a ceiling leaves the money unknown, never zero', async () => {
    const agents = { coder: { backend: 'codex', limits: { usd: 2 } }, free: { backend: 'auto' } } as const;
    expect(await worst({ agents, stages: { a: { agent: 'coder' }, b: { agent: 'free' } } })).toMatchObject({
      agentCalls: 2 * 3,
      usd: null,
    });
    expect(
      await worst({ agents, stages: { a: { agent: 'coder' }, b: { agent: 'free', when: 'false' } } }),
    ).toMatchObject({ agentCalls: 3, usd: 6 });
  });

  test('a fixer is called once less than there are tries', async () => {
    const agents = { fixer: { backend: 'codex' } } as const;
    expect(await worst({ agents, stages: { a: { retry: { attempts: 2, total: 3, fix: 'fixer' } } } })).toMatchObject({
      attempts: 3,
      agentCalls: 2 * 3,
      usd: null,
    });
  });

  test('whoever is asked when the tries are spent is asked once for each task, and can earn it one more try', async () => {
    const agents = {
      planner: { backend: 'command', run: 'x', limits: { usd: 2 } },
      chief: { backend: 'command', run: 'x', limits: { usd: 5 } },
    } as const;
    const stages = {
      a: { timeout: '1m', retry: { attempts: 3, total: 4 } },
      b: { timeout: '1m', matrix: { seed: [1, 2] as [number, number] } },
      off: { when: 'false' },
    };
    expect(await worst({ agents, stages, escalate: ['planner', 'chief', 'human'] })).toEqual({
      attempts: 4 + 2 + 2 * (1 + 2),
      agentCalls: 3 * (2 * 3),
      usd: 3 * 3 * (2 + 5),
      timeMs: (4 + 2 + 2 * (1 + 2)) * minute,
    });
    expect(await worst({ stages, escalate: ['human'] })).toMatchObject({ attempts: 6, agentCalls: 0, usd: 0 });
  });

  describe('a budget that is reached first', () => {
    const agents = { fixer: { backend: 'command', run: 'x', limits: { usd: 1 } } } as const;
    const stages = { a: { retry: { attempts: 2, total: 3, fix: 'fixer' } } };

    test('is told', async () => {
      const budget = { usdPerRun: 5.99, callsPerRun: 5 };
      expect(await worst({ agents, stages, budget })).toMatchObject({
        agentCalls: 6,
        usd: 6,
        stoppedAt: { usd: 5.99, calls: 5 },
      });
    });

    test('stops what is not bounded otherwise', async () => {
      const priced = { fixer: { backend: 'command', run: 'x', model: 'm' } } as const;
      const prices = { m: { input: 1, output: 1 } };
      const budget = { usdPerRun: 1 };
      expect(await worst({ agents: priced, prices, stages, budget })).toMatchObject({
        usd: null,
        stoppedAt: { usd: 1 },
      });
    });

    test('is not told where it is never reached', async () => {
      expect(await worst({ agents, stages, budget: { usdPerRun: 6, callsPerRun: 6 } })).not.toHaveProperty('stoppedAt');
      expect(await worst({ stages: { a: {} }, budget: { usdPerRun: 1 } })).not.toHaveProperty('stoppedAt');
    });
  });
});
