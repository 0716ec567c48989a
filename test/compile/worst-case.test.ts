import { describe, expect, test } from 'vitest';
import type { WorstCase } from '../../src/model/plan.js';
import { planOf, type Study } from './study.js';

const worst = async (study: Study): Promise<WorstCase> => (await planOf(study)).worstCase;
const minute = 60_000;

describe('worst case', () => {
  test('of commands: attempts, no agents, no money', async () => {
    const stages = { a: { retry: { attempts: 3 } }, b: { matrix: { seed: [1, 2] as [number, number] } } };
    expect(await worst({ stages })).toEqual({ attempts: 5, agentCalls: 0, usd: 0, timeMs: null });
  });

  test('time is all attempts one after another, with doubling pauses', async () => {
    const stages = {
      a: { timeout: '1m' },
      b: { needs: ['a'], timeout: '10m', retry: { attempts: 3, backoff: '1m' } },
      c: { needs: ['a'], timeout: '20m' },
      d: { needs: ['b', 'c'], timeout: '1m' },
    };
    expect((await worst({ stages })).timeMs).toBe((1 + (3 * 10 + 1 + 2) + 20 + 1) * minute);
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
      attempts: 1 + 1 + 4 + 1,
      agentCalls: 0,
      usd: 0,
      timeMs: (10 + 1 + 4 + 1) * minute,
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
      gate: { kind: 'auto-judge', agent: 'judge', criteria: ['good'], votes: 3, revise: { max: 2 } },
    } as const;
    // Three rounds of three tries, two fixes and three votes each.
    expect(
      await worst({ agents, stages: { build: { ...build, gate: { ...build.gate, criteria: ['good'] } } } }),
    ).toMatchObject({
      attempts: 3,
      agentCalls: 3 * (3 + 2 + 3),
      usd: 3 * (3 * 2 + 2 * 1 + 3 * 0.5),
    });
  });

  test('an agent without a ceiling leaves the money unknown, never zero', async () => {
    const agents = { coder: { backend: 'codex', limits: { usd: 2 } }, free: { backend: 'auto' } } as const;
    expect(await worst({ agents, stages: { a: { agent: 'coder' }, b: { agent: 'free' } } })).toMatchObject({
      agentCalls: 2,
      usd: null,
    });
    expect(
      await worst({ agents, stages: { a: { agent: 'coder' }, b: { agent: 'free', when: 'false' } } }),
    ).toMatchObject({ agentCalls: 1, usd: 2 });
  });

  test('a fixer that never gets its turn is not counted', async () => {
    const agents = { fixer: { backend: 'codex' } } as const;
    expect(await worst({ agents, stages: { a: { retry: { attempts: 1, fix: 'fixer' } } } })).toMatchObject({
      agentCalls: 0,
      usd: 0,
    });
  });
});
