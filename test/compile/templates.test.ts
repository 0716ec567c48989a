import { describe, expect, test } from 'vitest';
import { at, behaviour, codesOf, planOf, problemsOf, type Stages, taskOf } from './study.js';

const optionsOf = async (stage: Stages[string], vars = {}): Promise<unknown> =>
  (await planOf({ vars, stages: { a: stage } })).tasks[0]?.options;

describe('values', () => {
  test('a text that is one whole value keeps its type; all others become text', async () => {
    const vars = { n: 3, on: false, name: 'x', list: [1, 'two'] };
    const data = {
      n: '{{vars.n}}',
      on: '{{vars.on}}',
      list: '{{vars.list}}',
      spaced: '{{ vars.n }}',
      text: 'n={{vars.n}}',
      deep: [{ on: '{{vars.on}}{{vars.name}}' }],
    };
    expect(await optionsOf({ uses: 'fake', with: { data } }, vars)).toEqual({
      data: { n: 3, on: false, list: [1, 'two'], spaced: 3, text: 'n=3', deep: [{ on: 'falsex' }] },
    });
  });

  test('a number in a place for text becomes text, in a place for a number it stays one', async () => {
    expect(
      await optionsOf({ uses: 'fake', with: { count: '{{vars.n}}', text: '{{vars.n}}', any: '{{vars.n}}' } }, { n: 3 }),
    ).toEqual({
      count: 3,
      text: '3',
      any: 3,
    });
    expect(
      await optionsOf(
        { with: { run: ['train', '--lr', '{{vars.lr}}', '--fast', '{{vars.fast}}'] } },
        { lr: 1e-7, fast: true },
      ),
    ).toEqual({
      run: ['train', '--lr', '1e-7', '--fast', 'true'],
    });
  });

  test('the names of a task', async () => {
    const env = { ALL: '{{name}}/{{stage.name}}/{{task.id}}/{{agentId}}/{{matrix.seed}}' };
    const plan = await planOf({ stages: { a: { matrix: { seed: [7] }, env } } });
    expect(taskOf(plan, 'a:seed=7').env).toEqual({ ALL: 'study/a/a:seed=7/default/7' });
  });

  test('every field that takes templates', async () => {
    const plan = await planOf({
      vars: { dir: 'work', time: '90s', pause: '2s' },
      stages: {
        a: {
          inputs: ['{{vars.dir}}/in'],
          outputs: ['{{vars.dir}}/out.json'],
          schema: { '{{vars.dir}}/out.json': '{{vars.dir}}/s.json' },
          env: { DIR: '{{vars.dir}}' },
          cwd: './{{vars.dir}}/',
          timeout: '{{vars.time}}',
          idle: '{{vars.time}}',
          retry: { attempts: 2, backoff: '{{vars.pause}}' },
        },
      },
    });
    expect(plan.tasks[0]).toMatchObject({
      inputs: ['work/in'],
      outputs: ['work/out.json'],
      schema: { 'work/out.json': 'work/s.json' },
      env: { DIR: 'work' },
      cwd: 'work',
      timeoutMs: 90_000,
      idleMs: 90_000,
      retry: { attempts: 2, backoff: '2s' },
    });
  });

  test('an option called __proto__ is an option like any other', async () => {
    const data = JSON.parse('{"__proto__": {"x": "{{vars.n}}"}, "constructor": 1}');
    const options = (await optionsOf({ uses: 'fake', with: { data } }, { n: 3 })) as { data: object };
    expect(JSON.stringify(options)).toBe('{"data":{"__proto__":{"x":3},"constructor":1}}');
    const plain = (await optionsOf({ uses: 'fake', with: { data: JSON.parse('{"__proto__": 1}') } })) as {
      data: object;
    };
    expect(JSON.stringify(plain)).toBe('{"data":{"__proto__":1}}');
  });
});

describe('shell text', () => {
  test('values are quoted, and nothing is pointed out', async () => {
    const plan = await planOf({
      vars: { title: "it's; rm -rf /" },
      stages: { a: { with: { run: 'echo {{vars.title}} done' } } },
    });
    expect(plan.tasks[0]?.options).toEqual({ run: "echo 'it'\\''s; rm -rf /' done" });
    expect(plan.tasks[0]).not.toHaveProperty('rawShell');
  });

  test('raw values go in as they are, and are pointed out', async () => {
    const plan = await planOf({ vars: { flags: '--a --b' }, stages: { a: { with: { run: 'run {{{vars.flags}}}' } } } });
    expect(plan.tasks[0]).toMatchObject({ options: { run: 'run --a --b' }, rawShell: ['vars.flags'] });
  });

  test('a list of words has no shell, so nothing is quoted', async () => {
    const plan = await planOf({
      vars: { title: 'a b' },
      stages: { a: { with: { run: ['echo', '{{vars.title}}', '{{{vars.title}}}'] } } },
    });
    expect(plan.tasks[0]?.options).toEqual({ run: ['echo', 'a b', 'a b'] });
    expect(plan.tasks[0]).not.toHaveProperty('rawShell');
  });

  test('AR403: a place where a value cannot be quoted', async () => {
    const run = 'echo `cat {{vars.x}}`';
    expect(await problemsOf({ vars: { x: 'a b' }, stages: { a: { with: { run } } } })).toEqual([
      {
        code: 'AR403',
        message: 'the value of "vars.x" cannot be quoted safely inside backticks',
        hint: 'Put it into "env" and write "$NAME" in the shell text',
        at: at('/stages/a/with/run', { within: [12, 18] }),
      },
    ]);
  });

  /** Wherever a schema hides it, text for a shell is text for a shell. */
  const shell = { type: 'string', format: 'shell' };
  const schemas = {
    'a property': { properties: { run: shell } },
    'another branch': {
      anyOf: [{ properties: { run: { type: 'array' } } }, { properties: { run: shell } }],
      properties: { run: {} },
    },
    'all of': { properties: { run: { allOf: [{ type: 'string', minLength: 1 }, shell] } } },
    'a reference': { definitions: { line: shell }, properties: { run: { $ref: '#/definitions/line' } } },
    'a reference to a reference': {
      definitions: { a: { $ref: '#/definitions/b' }, b: { anyOf: [{ type: 'null' }, shell] } },
      properties: { run: { $ref: '#/definitions/a' } },
    },
    'a pattern': { patternProperties: { '^r': shell } },
    'any other property': { properties: { other: {} }, additionalProperties: shell },
    'a condition': { if: { properties: { x: { const: 1 } }, required: ['x'] }, else: { properties: { run: shell } } },
  };
  test.each(Object.entries(schemas))('is found through %s', async (_way, schema) => {
    const loaded = await behaviour({ type: 'object', ...schema });
    const study = { vars: { x: 'a b' }, stages: { a: { uses: 'mine', with: { run: 'echo {{vars.x}}' } } } };
    const plan = await planOf(study, { behaviours: { mine: loaded } });
    expect(plan.tasks[0]?.options).toEqual({ run: "echo 'a b'" });
  });

  test('is found in lists, and in lists with a schema for each place', async () => {
    const many = await behaviour({ type: 'object', properties: { runs: { type: 'array', items: shell } } });
    const each = await behaviour({
      type: 'object',
      properties: {
        runs: { type: 'array', items: [{ type: 'string' }, shell, shell], additionalItems: false, minItems: 3 },
      },
    });
    const stages: Stages = { a: { uses: 'mine', with: { runs: ['{{vars.x}}', '{{vars.x}}', '{{vars.x}}'] } } };
    const study = { vars: { x: 'a b' }, stages };
    expect((await planOf(study, { behaviours: { mine: many } })).tasks[0]?.options).toEqual({
      runs: ["'a b'", "'a b'", "'a b'"],
    });
    expect((await planOf(study, { behaviours: { mine: each } })).tasks[0]?.options).toEqual({
      runs: ['a b', "'a b'", "'a b'"],
    });
  });

  test('a schema that refers to itself is followed as far as the value goes', async () => {
    const tree = await behaviour({ type: 'object', properties: { run: shell, next: { $ref: '#' } } });
    const study = {
      vars: { x: 'a b' },
      stages: { a: { uses: 'mine', with: { next: { next: { run: '{{vars.x}}' } } } } },
    };
    expect((await planOf(study, { behaviours: { mine: tree } })).tasks[0]?.options).toEqual({
      next: { next: { run: "'a b'" } },
    });
  });
});

describe('mistakes', () => {
  test('AR402: an unknown name, at its place in any field', async () => {
    const study = {
      vars: { steps: 5 },
      stages: { a: { with: { run: ['x', '--steps={{vars.steps}}', '--n={{vars.stpes}}'] } } },
    };
    expect(await problemsOf(study)).toEqual([
      {
        code: 'AR402',
        message: 'unknown name "vars.stpes"',
        hint: 'Did you mean "vars.steps"?',
        at: at('/stages/a/with/run/2', { within: [11, 16] }),
      },
    ]);
  });

  const fields: [Stages[string], string][] = [
    [{ inputs: ['a', 'x/{{vars.no}}'] }, '/stages/a/inputs/1'],
    [{ outputs: ['{{vars.no}}/x'] }, '/stages/a/outputs/0'],
    [{ env: { 'A/B': '{{vars.no}}' } }, '/stages/a/env/A~1B'],
    [{ cwd: '{{vars.no}}' }, '/stages/a/cwd'],
    [{ timeout: '{{vars.no}}' }, '/stages/a/timeout'],
    [{ idle: '{{vars.no}}' }, '/stages/a/idle'],
    [{ retry: { attempts: 2, backoff: '{{vars.no}}' } }, '/stages/a/retry/backoff'],
    [{ matrix: { seed: '{{vars.no}}' } }, '/stages/a/matrix/seed'],
    [{ matrix: { seed: [1, '{{vars.no}}'] } }, '/stages/a/matrix/seed/1'],
    [{ outputs: ['o'], schema: { o: '{{vars.no}}' } }, '/stages/a/schema/o'],
    [{ uses: 'fake', with: { count: '{{vars.no}}' } }, '/stages/a/with/count'],
    [{ uses: 'fake', with: { data: { deep: [{ x: '{{vars.no}}' }] } } }, '/stages/a/with/data/deep/0/x'],
  ];
  test.each(fields)('%j is one mistake', async (stage, pointer) => {
    const problems = await problemsOf({ stages: { a: stage } });
    expect(problems.map(({ code, at: place }) => [code, place && 'pointer' in place ? place.pointer : ''])).toEqual([
      ['AR402', pointer],
    ]);
  });

  test('AR402: prototypes have no names', async () => {
    expect(
      await codesOf({
        stages: { a: { env: { A: '{{vars.constructor}}', B: '{{__proto__}}', C: '{{matrix.toString}}' } } },
      }),
    ).toEqual(['AR402', 'AR402', 'AR402']);
  });

  test('AR402: a matrix of which the stage has none', async () => {
    expect(await codesOf({ stages: { a: { env: { A: '{{matrix.seed}}' } }, b: { matrix: { seed: [1] } } } })).toEqual([
      'AR402',
    ]);
  });

  test('AR401: a syntax error', async () => {
    const problems = await problemsOf({ stages: { a: { env: { A: 'x {{#if name}} y' } } } });
    expect(problems.map(({ code, at: place }) => [code, place && 'pointer' in place ? place.pointer : ''])).toEqual([
      ['AR401', '/stages/a/env/A'],
    ]);
  });

  test('AR407: a template in a variable', async () => {
    const study = {
      vars: { a: '{{vars.b}}', b: ['x', '{{name}}'] },
      stages: { s: { env: { A: '{{vars.a}}' }, matrix: { b: '{{vars.b}}' } } },
    };
    const hint = 'Write the value itself, and put the parts together where it is used';
    expect((await problemsOf(study)).slice(0, 2)).toEqual([
      { code: 'AR407', message: 'a variable cannot hold a template', hint, at: at('/vars/a') },
      { code: 'AR407', message: 'a variable cannot hold a template', hint, at: at('/vars/b/1') },
    ]);
  });

  test('a name that the user chooses can be a variable, if no other one is the same', async () => {
    const metrics = { type: 'object', additionalProperties: { type: 'string' } } as const;
    const loaded = await behaviour({ type: 'object', properties: { metrics } });
    const behaviours = { named: loaded };
    const study = (written: Record<string, string>) => ({
      vars: { metric: 'loss' },
      stages: { a: { uses: 'named', with: { metrics: written } } },
    });
    const plan = await planOf(study({ '{{vars.metric}}': 'x', 'eval_{{vars.metric}}': 'y' }), { behaviours });
    expect(plan.tasks[0]?.options).toEqual({ metrics: { loss: 'x', eval_loss: 'y' } });
    expect(await problemsOf(study({ loss: 'x', '{{vars.metric}}': 'y' }), { behaviours })).toMatchObject([
      { code: 'AR407', message: 'two keys of this map are "loss"' },
    ]);
    expect(await problemsOf(study({ '{{vars.metrik}}': 'x' }), { behaviours })).toMatchObject([
      { code: 'AR402' },
      { code: 'AR307' },
    ]);
  });

  test('AR407: a template in the key of an option', async () => {
    const stages: Stages = { a: { uses: 'fake', with: { data: { '{{vars.k}}': 1 } } } };
    expect(await problemsOf({ vars: { k: 'x' }, stages })).toEqual([
      {
        code: 'AR407',
        message: 'a key of an option cannot hold a template',
        hint: 'Write the key itself',
        at: at('/stages/a/with/data/{{vars.k}}', { key: true }),
      },
    ]);
  });

  test('AR408: a list or a map where text is due', async () => {
    expect(
      await problemsOf({ vars: { list: ['a'] }, stages: { a: { cwd: '{{vars.list}}', env: { ALL: '{{vars}}' } } } }),
    ).toEqual([
      { code: 'AR408', message: 'this gives a map where text is due', at: at('/stages/a/env/ALL') },
      { code: 'AR408', message: 'this gives a list where text is due', at: at('/stages/a/cwd') },
    ]);
  });

  test('AR408: a list inside text', async () => {
    const problems = await problemsOf({ vars: { list: ['a'] }, stages: { a: { inputs: ['x/{{vars.list}}'] } } });
    expect(problems.map(({ code, at: place }) => [code, place])).toEqual([
      ['AR408', at('/stages/a/inputs/0', { within: [4, 13] })],
    ]);
  });

  test('AR206: a duration that is none after the template is filled in', async () => {
    const hint = 'Write a whole number and a unit, such as 500ms, 30s, 5m, 2h or 1d';
    const study = {
      vars: { t: 30, u: 'soon' },
      stages: { a: { timeout: '{{vars.t}}', retry: { attempts: 2, backoff: '{{vars.u}}' } } },
    };
    expect(await problemsOf(study)).toEqual([
      { code: 'AR206', message: 'backoff must be a duration, but is "soon"', hint, at: at('/stages/a/retry/backoff') },
      { code: 'AR206', message: 'timeout must be a duration, but is "30"', hint, at: at('/stages/a/timeout') },
    ]);
  });

  test('AR206: no time at all', async () => {
    const hint = 'Write a whole number and a unit, such as 500ms, 30s, 5m, 2h or 1d';
    expect(await problemsOf({ stages: { a: { timeout: '0s', idle: '0ms' } } })).toEqual([
      {
        code: 'AR206',
        message: 'a limit of no time at all would end every attempt',
        hint,
        at: at('/stages/a/timeout'),
      },
      { code: 'AR206', message: 'a limit of no time at all would end every attempt', hint, at: at('/stages/a/idle') },
    ]);
    await planOf({ stages: { a: { retry: { attempts: 2, backoff: '0s' } } } });
  });
});
