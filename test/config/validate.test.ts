import { describe, expect, test } from 'vitest';
import { validateConfig } from '../../src/config/validate.js';

const stage = (more: object) => ({ name: 'x', stages: { train: { uses: 'command', ...more } } });

async function mistakes(value: unknown, faulty?: ReadonlySet<string>) {
  const result = await validateConfig(value, faulty);
  return result.ok ? [] : result.error;
}

test('a config with everything in it is valid, and is not copied', async () => {
  const config = {
    $schema: 'x',
    name: 'study',
    vars: { steps: 5, arms: ['a', 'b'] },
    agents: { coder: { backend: 'codex', limits: { turns: 10, timeout: '5m', usd: 2 } } },
    budget: { usdPerRun: 50, time: '12h' },
    protect: ['eval/**'],
    notify: [{ on: ['run-finished'], run: 'x' }],
    stages: {
      a: {
        uses: 'command',
        with: { anything: { goes: [1, null] } },
        timeout: '{{vars.t}}',
        matrix: { seed: [1, 2], arm: '{{vars.arms}}' },
      },
      b: { uses: './mine.ts', gate: { kind: 'auto-judge', agent: 'coder', criteria: ['good'], revise: { max: 2 } } },
      c: { uses: 'command', gate: 'human' },
    },
  };
  const result = await validateConfig(config);
  expect(result.ok && result.value).toBe(config);
});

describe('diagnostics', () => {
  test('unknown key (AR201)', async () => {
    expect(await mistakes({ name: 'x', stagess: {}, stages: { a: { uses: 'x' } } })).toEqual([
      {
        code: 'AR201',
        message: 'unknown key "stagess"',
        hint: 'Did you mean "stages"?',
        at: { kind: 'config', pointer: '/stagess', key: true },
      },
    ]);
    expect(await mistakes(stage({ retry: { attempts: 1, colour: 'red' } }))).toMatchObject([
      { code: 'AR201', hint: 'Known here: attempts, backoff, fix, total, classes' },
    ]);
    expect(await mistakes(stage({ colour: 'red' }))).toMatchObject([
      { code: 'AR201', hint: 'Options of what a stage uses belong under its with' },
    ]);
  });

  test.each([
    [{ ...stage({}), retry: { attempts: 1 } }, '/retry', '"retry" belongs under stages.<name>'],
    [stage({ attempts: 3 }), '/stages/train/attempts', '"attempts" belongs under stages.<name>.retry'],
    [
      stage({ retry: { attempts: 1, timeout: '1s' } }),
      '/stages/train/retry/timeout',
      '"timeout" belongs under stages.<name>',
    ],
    [stage({ usdPerRun: 1 }), '/stages/train/usdPerRun', '"usdPerRun" belongs under budget'],
    [stage({ vars: {} }), '/stages/train/vars', '"vars" belongs at the top level'],
    [
      stage({ run: 'true' }),
      '/stages/train/run',
      '"run" belongs under stages.<name>.with, like all options of what a stage uses',
    ],
    [stage({ criteria: ['x'] }), '/stages/train/criteria', '"criteria" belongs under stages.<name>.gate'],
    [stage({ gate: { kind: 'human', scope: [] } }), '/stages/train/gate/scope', '"scope" belongs under stages.<name>'],
    [
      { ...stage({}), timeout: '1s' },
      '/timeout',
      '"timeout" belongs under stages.<name>, under agents.<name>.limits or under clusters.<name>.submit',
    ],
  ])('misplaced key (AR202) %#', async (value, pointer, hint) => {
    const key = pointer.slice(pointer.lastIndexOf('/') + 1);
    expect(await mistakes(value)).toEqual([
      { code: 'AR202', message: `misplaced key "${key}"`, hint, at: { kind: 'config', pointer, key: true } },
    ]);
  });

  test('a slip of the finger is a slip, even where the word exists elsewhere', async () => {
    expect(await mistakes({ ...stage({}), agent: {} })).toMatchObject([
      { code: 'AR201', hint: 'Did you mean "agents"?' },
    ]);
  });

  test('a map that has one key it cannot do without is named with it', async () => {
    expect(await mistakes(stage({ retry: 3 }))).toEqual([
      {
        code: 'AR203',
        message: 'stages.train.retry must be a map, but is 3',
        hint: 'Write { attempts: 3 }',
        at: { kind: 'config', pointer: '/stages/train/retry' },
      },
    ]);
    expect(await mistakes({ ...stage({}), agents: { coder: 'command' } })).toMatchObject([
      { code: 'AR203', hint: 'Write { backend: "command" }' },
    ]);
    for (const retry of [0, 101, 1.5, '3', true])
      expect((await mistakes(stage({ retry })))[0], String(retry)).not.toHaveProperty('hint');
    expect((await mistakes({ ...stage({}), agents: { coder: 'nobody' } }))[0]).not.toHaveProperty('hint');
  });

  test('one word in singular and plural', async () => {
    expect(await mistakes(stage({ retries: { attempts: 3 } }))).toMatchObject([
      { code: 'AR201', message: 'unknown key "retries"', hint: 'Did you mean "retry"?' },
    ]);
  });

  test('wrong type (AR203)', async () => {
    expect(await mistakes(stage({ needs: 'data' }))).toEqual([
      {
        code: 'AR203',
        message: 'stages.train.needs must be a list of text, but is "data"',
        hint: 'Write ["data"]',
        at: { kind: 'config', pointer: '/stages/train/needs' },
      },
    ]);
  });

  test('value not allowed (AR204)', async () => {
    expect(await mistakes(stage({ retry: { attempts: 0 } }))).toEqual([
      {
        code: 'AR204',
        message: 'stages.train.retry.attempts must be a whole number from 1 to 100, but is 0',
        at: { kind: 'config', pointer: '/stages/train/retry/attempts' },
      },
    ]);
    expect(await mistakes({ name: 'x', stages: {} })).toMatchObject([
      { code: 'AR204', message: 'stages must be a map of at least 1 entry, but is an empty map' },
    ]);
  });

  test('missing key (AR205)', async () => {
    expect(await mistakes({ stages: { a: {} } })).toEqual([
      { code: 'AR205', message: 'the config needs "name"', at: { kind: 'config', pointer: '', key: true } },
      { code: 'AR205', message: 'stages.a needs "uses"', at: { kind: 'config', pointer: '/stages/a', key: true } },
    ]);
  });

  test.each<[unknown, string]>([
    [5, 'Write a unit, such as 5s or 5m'],
    ['5 min', 'Write a whole number and a unit, such as 500ms, 30s, 5m, 2h or 1d'],
    ['-5s', 'Write a whole number and a unit, such as 500ms, 30s, 5m, 2h or 1d'],
    ['', 'Write a whole number and a unit, such as 500ms, 30s, 5m, 2h or 1d'],
    [-1, 'Write a whole number and a unit, such as 500ms, 30s, 5m, 2h or 1d'],
  ])('bad duration (AR206): %j', async (timeout, hint) => {
    expect(await mistakes(stage({ timeout }))).toEqual([
      {
        code: 'AR206',
        message: `stages.train.timeout must be a duration, but is ${JSON.stringify(timeout)}`,
        hint,
        at: { kind: 'config', pointer: '/stages/train/timeout' },
      },
    ]);
  });

  test('bad name (AR207): of a key, of a value', async () => {
    const hint = 'A name is a letter, then letters, digits, "-" or "_"; at most 64 characters';
    expect(await mistakes({ name: 'my study', stages: { '1st': { uses: 'x' } } })).toEqual([
      {
        code: 'AR207',
        message: 'name is "my study", which is not a name',
        hint,
        at: { kind: 'config', pointer: '/name' },
      },
      {
        code: 'AR207',
        message: '"1st" is not a name',
        hint,
        at: { kind: 'config', pointer: '/stages/1st', key: true },
      },
    ]);
    expect(await mistakes({ ...stage({ env: { 'A-B': 'x' } }), vars: { 'a-b': 1 } })).toMatchObject([
      { code: 'AR207', message: '"a-b" is not a name' },
      { code: 'AR207', message: '"A-B" is not a name' },
    ]);
  });

  test('a gate is checked as the kind it says it is', async () => {
    expect(
      await mistakes(stage({ gate: { kind: 'auto-judge', agent: 'x', criteria: [], approvers: ['me'] } })),
    ).toEqual([
      {
        code: 'AR201',
        message: 'unknown key "approvers"',
        at: { kind: 'config', pointer: '/stages/train/gate/approvers', key: true },
        hint: 'Known here: kind, agent, criteria, evidence, votes, threshold, calibrate, revise, exhausted',
      },
      {
        code: 'AR204',
        message: 'stages.train.gate.criteria must be a list of text of at least 1 entry, but is an empty list',
        at: { kind: 'config', pointer: '/stages/train/gate/criteria' },
      },
    ]);
    expect(await mistakes(stage({ gate: { kind: 'judge' } }))).toMatchObject([
      { code: 'AR204', message: 'stages.train.gate.kind must be "human", "auto" or "auto-judge", but is "judge"' },
    ]);
    expect(await mistakes(stage({ gate: 3 }))).toMatchObject([
      { code: 'AR203', message: 'stages.train.gate must be "human", "auto" or a map, but is 3' },
    ]);
  });

  test('keys that every object has are unknown too', async () => {
    const hostile = JSON.parse(
      '{"name": "x", "__proto__": 1, "toString": 2, "stages": {"constructor": {"uses": "x"}, "a": {"uses": "x", "__proto__": {}}}}',
    );
    expect((await mistakes(hostile)).map(({ code, at }) => [code, at?.kind === 'config' && at.pointer])).toEqual([
      ['AR201', '/__proto__'],
      ['AR201', '/toString'],
      ['AR201', '/stages/a/__proto__'],
    ]);
  });

  test('what was complained about already is not complained about again', async () => {
    expect(
      await mistakes({ name: 'x', stages: { a: {}, b: { uses: 3 } } }, new Set(['/stages/a/uses', '/stages/b/uses'])),
    ).toEqual([]);
  });

  test('all mistakes of many stages at once', async () => {
    const stages = Object.fromEntries(
      Array.from({ length: 300 }, (_, index) => [`s${index}`, { uses: 'x', timeout: index }]),
    );
    expect(await mistakes({ name: 'x', stages })).toHaveLength(300);
  });
});
