import { describe, expect, test } from 'vitest';
import { at, codesOf, planOf, problemsOf, type Stages } from './study.js';

describe('AR307: a variable that nothing uses', () => {
  test('is an error at its key', async () => {
    expect(await problemsOf({ vars: { steps: 5 }, stages: { a: {} } })).toEqual([
      {
        code: 'AR307',
        message: 'nothing uses the variable "steps"',
        hint: 'Use it as {{vars.steps}}, or take it out',
        at: at('/vars/steps', { key: true }),
      },
    ]);
  });

  test('names what was probably meant', async () => {
    const problems = await problemsOf({ vars: { steps: 5 }, stages: { a: { env: { N: '{{vars.stesp}}' } } } });
    expect(problems).toContainEqual({
      code: 'AR307',
      message: 'nothing uses the variable "steps"',
      hint: 'vars.stesp is used, and there is no such variable: the two should have one name',
      at: at('/vars/steps', { key: true }),
    });
  });

  test('a variable of a preset may be left over', async () => {
    await planOf({ vars: { steps: 5 }, stages: { a: {} } }, { userVars: [] });
    expect(await codesOf({ vars: { steps: 5, own: 1 }, stages: { a: {} } }, { userVars: ['own'] })).toEqual(['AR307']);
  });

  test('text in quotes is no use', async () => {
    expect(await codesOf({ vars: { x: 'a' }, stages: { a: { when: "'vars.x' != ''" } } })).toEqual(['AR307']);
    expect(await codesOf({ vars: { x: 'a' }, stages: { a: { with: { run: 'echo vars.x' } } } })).toEqual(['AR307']);
    const checks = [{ name: 'vars.x', expression: "'vars.x' != ''" }, { file: 'vars.x' }];
    expect(await codesOf({ vars: { x: 'a' }, stages: { a: { uses: 'assert', with: { checks } } } })).toEqual(['AR307']);
  });

  test('being mentioned in a variable is no use', async () => {
    expect(await codesOf({ vars: { x: 'a', y: 'vars.x' }, stages: { a: { env: { Y: '{{vars.y}}' } } } })).toEqual([
      'AR307',
    ]);
  });
});

describe('what counts as a use', () => {
  const uses: Record<string, Stages> = {
    'an option': { a: { with: { run: 'echo {{vars.x}}' } } },
    'an item of a list': { a: { with: { run: ['echo', '{{vars.x}}'] } } },
    'the environment': { a: { env: { X: '{{vars.x}}' } } },
    'the working folder': { a: { cwd: 'in-{{vars.x}}' } },
    'an input': { a: { inputs: ['{{vars.x}}.txt'] } },
    'the key of a schema': { a: { outputs: ['{{vars.x}}.json'], schema: { '{{vars.x}}.json': 's.json' } } },
    'only the key of a schema': { a: { outputs: ['v.json'], schema: { '{{vars.x}}.json': 's.json' } } },
    'a block': { a: { with: { run: 'echo {{#if vars.x}}yes{{/if}}' } } },
    'a branch that is not taken': { a: { with: { run: 'echo {{#if name}}a{{else}}{{vars.x}}{{/if}}' } } },
    'the inside of a with': { a: { with: { run: 'echo {{#with vars}}{{x}}{{/with}}' } } },
    'when alone': { a: { when: "vars.x == 'v'" } },
    'when, by index': { a: { when: "vars['x'] == 'v'" } },
    'when, in has': { a: { when: 'has(vars.x)' } },
    'when, behind a true': { a: { when: "true || vars.x == 'w'" } },
    'when, inside a macro': { a: { when: "['v', 'w'].exists(each, each == vars.x)" } },
    'when, as the whole map': { a: { when: 'size(vars) > 0' } },
    'the check of a gate': { a: { gate: { kind: 'auto', checks: ['metrics.best == vars.x'] } } },
    'an assertion': { a: { uses: 'assert', with: { checks: [{ expression: "vars.x == 'v'" }] } } },
    'a short name of an assertion': {
      a: { uses: 'assert', with: { let: { short: 'vars.x' }, checks: [{ expression: "short == 'v'" }] } },
    },
    'the path of a mapping': { a: { uses: 'assert', with: { checks: [{ mapping: 'vars.x', has: 'v' }] } } },
    'the path of what is absent': { a: { uses: 'assert', with: { checks: [{ absent: 'vars.x' }] } } },
    'a path among those with the same keys': {
      a: { uses: 'assert', with: { checks: [{ sameKeys: ['vars.x', 'matrix'] }] } },
    },
    'a commit message': { a: { commit: 'step {{vars.x}}', outputs: ['o'] } },
  };

  test.each(Object.entries(uses))('%s', async (_where, stages) => {
    await planOf({ vars: { x: 'v' }, stages });
  });

  test('a matrix', async () => {
    await planOf({ vars: { x: [1, 2] }, stages: { a: { matrix: { seed: '{{vars.x}}' } } } });
    await planOf({ vars: { x: 3 }, stages: { a: { matrix: { seed: [1, '{{vars.x}}'] } } } });
  });

  test('a limit', async () => {
    await planOf({ vars: { x: '5m' }, stages: { a: { timeout: '{{vars.x}}' } } });
    await planOf({ vars: { x: '5m' }, stages: { a: { retry: { attempts: 2, backoff: '{{vars.x}}' } } } });
  });

  test('clusters, notifications and iteration', async () => {
    const stages = { a: {} };
    await planOf({ vars: { x: 'gpu' }, clusters: { c: { type: 'slurm', partition: '{{vars.x}}' } }, stages });
    await planOf({
      vars: { x: 'me' },
      notify: [{ on: ['run-finished'], run: 'mail {{vars.x}} {{event.summary}}' }],
      stages,
    });
    const metric = { stage: 'a', name: 'accuracy', better: 'higher' } as const;
    await planOf({
      vars: { x: 0.9 },
      iterate: { max: 3, until: 'metrics.accuracy > vars.x', metric },
      stages: { a: { uses: 'fake', cache: false } },
    });
  });

  test('a text that cannot be read is not taken for one that uses nothing', async () => {
    expect(await codesOf({ vars: { x: 1 }, stages: { a: { when: 'vars.x >' } } })).toEqual(['AR404']);
    expect(await codesOf({ vars: { x: 1 }, stages: { a: { with: { run: 'echo {{#if vars.x}}' } } } })).toEqual([
      'AR401',
    ]);
    expect(await codesOf({ vars: { x: 1, y: 2 }, stages: { a: { when: 'vars.x >' } } })).toEqual(['AR404', 'AR307']);
  });
});
