import { describe, expect, test } from 'vitest';
import type { Config } from '../../src/model/generated/config.js';
import { at, codesOf, planOf, problemsOf, type Stages, type Study } from './study.js';

const agents = {
  bare: { backend: 'command', run: 'x' },
  model: { backend: 'command', run: 'x', model: 'm-1' },
  capped: { backend: 'command', run: 'x', limits: { usd: 1 } },
} as const satisfies Config['agents'];
const prices = { 'm-1': { input: 1, output: 2 } };
const budget = { usdPerRun: 5 };

describe('AR310: money is limited and nobody knows what a call may cost', () => {
  test('is an error at the agent, and names what to do', async () => {
    expect(await problemsOf({ agents, budget, stages: { a: { agent: 'bare' } } })).toEqual([
      {
        code: 'AR310',
        message: 'money is limited, but nothing says what a call of agent "bare" may cost',
        at: at('/agents/bare', { key: true }),
        hint: 'Give it limits.usd',
      },
    ]);
    expect(await problemsOf({ agents, budget, stages: { a: { agent: 'model' } } })).toMatchObject([
      { code: 'AR310', hint: 'Give it limits.usd, or a price for "m-1" under prices' },
    ]);
  });

  test('names a price that was probably meant', async () => {
    const study = { agents, budget, prices: { 'm-l': prices['m-1'] }, stages: { a: { agent: 'model' } } };
    expect(await problemsOf(study)).toMatchObject([
      { code: 'AR310', hint: 'Give it limits.usd, or a price for "m-1" under prices. Did you mean "m-l"?' },
      { code: 'AR311', message: 'no agent is of the model "m-l"', hint: 'Did you mean "m-1"?' },
    ]);
  });

  test.each<[string, Partial<Config>]>([
    ['a run', { budget: { usdPerRun: 1 } }],
    ['a day', { budget: { usdPerDay: 1 } }],
  ])('whatever is limited: %s', async (_, more) => {
    expect(await codesOf({ agents, ...more, stages: { a: { agent: 'bare' } } })).toEqual(['AR310']);
  });

  const judged = { kind: 'auto-judge' as const, agent: 'bare', criteria: ['good'], evidence: ['src/**'] };
  test.each<[string, Stages, string[]?]>([
    ['an author', { a: { agent: 'bare' } }],
    ['a fixer', { a: { retry: { attempts: 2, fix: 'bare' } } }],
    ['a judge', { a: { gate: judged } }],
    ['who is asked at last', { a: {} }, ['bare', 'fail']],
    ['another stage than the limited one', { a: { agent: 'bare' }, b: { agent: 'capped', budget: { usd: 1 } } }],
  ])('whoever spends it: %s', async (_, stages, escalate) => {
    const limited = Object.values(stages).some((stage) => stage.budget) ? {} : { budget };
    expect(await codesOf({ agents, ...limited, stages, ...(escalate ? { escalate } : {}) })).toEqual(['AR310']);
  });

  test('a price, a cap, an agent that nobody asks, and a budget without money are fine', async () => {
    await planOf({ agents, budget, prices, stages: { a: { agent: 'model' }, b: { agent: 'capped' } } });
    await planOf({ agents, budget, stages: { a: { agent: 'capped', retry: { attempts: 2, fix: { run: 'bare' } } } } });
    await planOf({ agents, budget: { callsPerRun: 1, tokensPerRun: 1, time: '1h' }, stages: { a: { agent: 'bare' } } });
    await planOf({ agents, stages: { a: { agent: 'bare', budget: { calls: 1, tokens: 5 } } } });
  });
});

describe('AR311: a price for a model that no agent has', () => {
  test('is an error at its key', async () => {
    expect(await problemsOf({ agents, prices: { other: prices['m-1'] }, stages: { a: {} } })).toEqual([
      {
        code: 'AR311',
        message: 'no agent is of the model "other"',
        at: at('/prices/other', { key: true }),
        hint: 'Take the price out, or name the model at an agent',
      },
    ]);
  });

  test('a preset may know more prices than a study needs', async () => {
    await planOf({ prices: { other: prices['m-1'] }, stages: { a: {} } }, { userPrices: [] });
    await planOf({ agents, prices, stages: { a: {} } });
  });
});

describe('AR312: a stage budget where nothing can be spent', () => {
  test('is an error at its key', async () => {
    expect(
      await problemsOf({ stages: { a: { budget: { calls: 1 }, retry: { attempts: 2, fix: { run: 'x' } } } } }),
    ).toEqual([
      {
        code: 'AR312',
        message: 'the budget of stage "a" has no effect: no agent works, mends or judges in it',
        at: at('/stages/a/budget', { key: true }),
        hint: 'Take it out, or let an agent do something in the stage',
      },
    ]);
  });

  test('an agent anywhere in it can spend', async () => {
    const own = { calls: 1 };
    await planOf({ agents, stages: { a: { budget: own, retry: { attempts: 2, fix: 'bare' } } } });
    await planOf({ agents, escalate: ['bare'], stages: { a: { budget: own } } });
    expect(await codesOf({ agents, escalate: ['human'], stages: { a: { budget: own } } })).toEqual(['AR312']);
  });
});

test.each(['0s', '{{vars.t}}'])('AR206: no time at all is not a budget, nor is a template (%s)', async (time) => {
  expect(
    await problemsOf({ vars: { t: '1h' }, budget: { time }, stages: { a: { env: { T: '{{vars.t}}' } } } }),
  ).toEqual([
    {
      code: 'AR206',
      message: `budget.time must be a length of time, but is "${time}"`,
      at: at('/budget/time'),
      hint: 'Write a whole number and a unit, such as 30m, 12h or 2d',
    },
  ]);
});

describe('AR315: a cap above a ceiling', () => {
  const one = (usd: number): NonNullable<Config['agents']> => ({
    coder: { backend: 'command', run: 'x', limits: { usd } },
  });
  const mended = { retry: { attempts: 2, fix: 'coder' } };

  test.each<[string, Study, number]>([
    ['budget.usdPerRun', { budget: { usdPerRun: 1 }, stages: { a: mended } }, 1],
    ['budget.usdPerDay', { budget: { usdPerDay: 0.5 }, stages: { a: mended } }, 0.5],
    ['stages.a.budget.usd', { stages: { a: { ...mended, budget: { usd: 1.5 } } } }, 1.5],
    ['stages.a.budget.usd', { escalate: ['coder'], stages: { a: { budget: { usd: 1 } }, b: {} } }, 1],
  ])('%s: no call could ever start', async (ceiling, study, usd) => {
    expect(await problemsOf({ agents: one(2), ...study })).toEqual([
      {
        code: 'AR315',
        message: `no call of agent "coder" could ever start: limits.usd is 2, and ${ceiling} is ${usd}`,
        at: at('/agents/coder/limits/usd'),
        hint: `Write at most ${usd} here, or raise ${ceiling}`,
      },
    ]);
  });

  test('as much as the ceiling is fine, and so is an agent that others ask', async () => {
    await planOf({ agents: one(1), budget: { usdPerRun: 1, usdPerDay: 1 }, stages: { a: mended } });
    await planOf({
      agents: { ...one(5), ...agents },
      stages: { a: mended, b: { agent: 'capped', budget: { usd: 1 } } },
    });
  });
});
