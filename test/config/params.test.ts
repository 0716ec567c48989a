import { describe, expect, test } from 'vitest';
import { fitsParam, schemaOf } from '../../src/config/param-values.js';
import type { Param } from '../../src/model/generated/params.js';
import { compileSchema } from '../../src/source/schema/schema.js';
import { complaints, type Files, resolved } from './resolved.js';

const preset = `# Trains.
params:
  command: { type: string, format: shell, description: What trains one model., example: python train.py }
  steps: { type: integer, minimum: 1, maximum: 100, description: Steps of training., default: 5 }
  gate: { type: string, enum: [human, auto], description: Who looks., default: auto }
  limit: { type: string, format: duration, description: How long., default: 5m }
  files: { type: array, items: { type: string }, minItems: 1, description: What is protected., default: [a.txt, b.txt] }
variants:
  gate:
    human: { stages: { train: { gate: human } } }
    auto: { stages: { train: { gate: { kind: auto, checks: [{ file: out.txt }] } } } }
agents:
  coder: { backend: claude, limits: { turns: "{{vars.steps}}", timeout: "{{vars.limit}}" } }
protect: [first.txt, "{{vars.files}}", last.txt]
stages:
  train: { uses: command, with: { run: "{{{vars.command}}} {{vars.steps}}" }, agent: coder, scope: "{{vars.files}}" }
`;

const study = (vars: string, more = ''): Files => ({
  'presets/lab.yaml': preset,
  'autoresearch.config.yaml': `name: s\nextends: ["autoresearch:lab"]\n${vars}\n${more}`,
});

describe('parameters of a preset', () => {
  test('are variables: defaults count, the study wins, settings keep the type, lists take the place of their entry', async () => {
    const { config, originOf, layers } = await resolved(study('vars: { command: make, steps: 7 }'));
    expect(config.vars).toEqual({ command: 'make', steps: 7, gate: 'auto', limit: '5m', files: ['a.txt', 'b.txt'] });
    expect(config.agents?.coder?.limits).toEqual({ turns: 7, timeout: '5m' });
    expect(config.protect).toEqual(['first.txt', 'a.txt', 'b.txt', 'last.txt']);
    expect(config.stages.train).toMatchObject({
      scope: ['a.txt', 'b.txt'],
      gate: { kind: 'auto', checks: [{ file: 'out.txt' }] },
      with: { run: '{{{vars.command}}} {{vars.steps}}' },
    });
    expect(config).not.toHaveProperty('params');
    const names = [
      '/agents/coder/limits/turns',
      '/agents/coder/limits/timeout',
      '/stages/train/gate/kind',
      '/protect/3',
    ];
    expect(names.map((pointer) => originOf(pointer)?.layer.name)).toEqual([
      'autoresearch.config.yaml',
      'autoresearch:lab',
      'autoresearch:lab (gate: auto)',
      'autoresearch:lab',
    ]);
    expect(originOf('/protect/2')?.pointer).toBe('/vars/files/1');
    expect(originOf('/protect/3')?.pointer).toBe('/protect/2');
    expect(layers).toHaveLength(4);
  });

  test('a value chooses its variant, also from the command line, and the study wins over the variant', async () => {
    const files = study('vars: { command: make }', 'stages: { train: { timeout: 1h } }');
    expect((await resolved(files, { set: ['gate=human', 'files=x,y'] })).config).toMatchObject({
      protect: ['first.txt', 'x', 'y', 'last.txt'],
      stages: { train: { gate: 'human', timeout: '1h' } },
    });
    const own = study(
      'vars: { command: make, gate: human }',
      'stages: { train: { gate: { kind: human, expires: 1d } } }',
    );
    expect((await resolved(own)).config.stages.train?.gate).toEqual({ kind: 'human', expires: '1d' });
  });

  test('one without a default can come from --set', async () => {
    expect((await resolved(study(''), { set: ['command=make it'] })).config.vars?.command).toBe('make it');
  });

  test('one that is not set is told of at the entry that brings it, with what it is for', async () => {
    expect(await complaints(study('vars: { steps: 5 }'))).toEqual([
      `autoresearch.config.yaml:2:11 AR111 autoresearch:lab needs the parameter "command": What trains one model (Set it under vars, such as command: "python train.py")
extends: ["autoresearch:lab"]
          ^^^^^^^^^^^^^^^^^^
presets/lab.yaml:3:3 declared here`,
    ]);
    expect((await complaints(study('vars: { comand: make }')))[0]).toContain(
      '(Did you mean "command" where vars say "comand"?)',
    );
    expect((await complaints(study('vars: { command: null }')))[1]).toContain('AR109');
    expect((await complaints(study('vars: { command: x, steps: null }')))[0]).toContain('needs the parameter "steps"');
  });

  test('one of a preset behind a preset is told of at the entry of the study', async () => {
    const files = {
      'presets/lab.yaml': preset,
      'presets/top.yaml': '# Top.\nextends: ["autoresearch:lab"]\n',
      'autoresearch.config.yaml': 'name: s\nextends:\n  - autoresearch:top\n',
    };
    expect((await complaints(files))[0]).toMatch(/^autoresearch\.config\.yaml:3:5 AR111 autoresearch:lab needs/);
  });

  test.each([
    ['steps: 0'],
    ['steps: 101'],
    ['steps: "7"'],
    ['gate: hunan'],
    ['limit: soon'],
    ['limit: 0s'],
    ['files: []'],
    ['files: [a, 1]'],
    ['command: " "'],
  ])('a value that does not fit is told of where it stands, and nothing is clamped: %s', async (written) => {
    const command = written.startsWith('command') ? '' : 'command: make, ';
    const [first, ...more] = await complaints(study(`vars: { ${command}${written} }`));
    expect(more).toEqual([]);
    expect(first).toMatchSnapshot();
  });

  test('a wrong value of --set and of the default are told of too', async () => {
    expect(await complaints(study('vars: { command: make }'), { set: ['steps=1000'] })).toEqual([
      '--set AR204 vars.steps must be a whole number from 1 to 100, but is 1000',
    ]);
    const files = study('vars: { command: make }');
    const wrong = { ...files, 'presets/lab.yaml': preset.replace('default: 5 }', 'default: 500 }') };
    expect((await complaints(wrong))[0]).toMatch(/^presets\/lab\.yaml:4:95 AR204 vars\.steps must be/);
  });

  test('a setting that names no variable is an error where it stands; in a study without presets too', async () => {
    const text =
      'name: s\nvars: { turns: 3 }\nagents: { a: { backend: claude, limits: { turns: "{{vars.turn}}" } } }\n';
    const stages = 'stages: { t: { uses: work, agent: a } }\n';
    const [first] = await complaints({ 'autoresearch.config.yaml': text + stages });
    expect(first).toBe(`autoresearch.config.yaml:3:50 AR402 there is no variable "turn" (Did you mean "turns"?)
agents: { a: { backend: claude, limits: { turns: "{{vars.turn}}" } } }
                                                 ^^^^^^^^^^^^^^^`);
    const { config, settled } = await resolved({
      'autoresearch.config.yaml': text.replace('vars.turn}', 'vars.turns}') + stages,
    });
    expect(config.agents?.a?.limits?.turns).toBe(3);
    expect([...settled]).toEqual(['turns']);
  });

  test('a command of an agent is only taken raw where that is said', async () => {
    const text = (run: string): Files => ({
      'autoresearch.config.yaml': `name: s\nvars: { cmd: node a.mjs }\nagents: { a: { backend: command, run: "${run}" } }\nstages: { t: { uses: work, agent: a } }\n`,
    });
    expect((await resolved(text('{{{vars.cmd}}}'))).config.agents?.a?.run).toBe('node a.mjs');
    for (const part of ['{{vars.cmd}}', '{{{vars.cmd}}} --fast'])
      expect((await complaints(text(part)))[0]).toMatch(
        /^autoresearch\.config\.yaml:3:\d+ AR407 a variable cannot be a part of agents\.a\.run \(Write "\{\{\{vars\.cmd\}\}\}" and nothing else, and the whole value in the variable\)\n/,
      );
    const model = text('{{{vars.cmd}}}')['autoresearch.config.yaml']!.replace(
      'backend: command',
      'model: "a-{{vars.cmd}}", backend: command',
    );
    expect(await complaints({ 'autoresearch.config.yaml': model })).toEqual([
      `autoresearch.config.yaml:3:23 AR407 a variable cannot be a part of agents.a.model (Write "{{vars.cmd}}" and nothing else, and the whole value in the variable)
agents: { a: { model: "a-{{vars.cmd}}", backend: command, run: "{{{vars.cmd}}}" } }
                      ^^^^^^^^^^^^^^^^`,
    ]);
  });

  test.each([
    ['params in a study', { 'autoresearch.config.yaml': 'name: s\nparams: {}\nstages: { a: { uses: command } }\n' }],
    ['an unknown word of a parameter', lab('params:\n  a: { type: string, description: A., defualt: x }')],
    ['a type that there is not', lab('params:\n  a: { type: text, description: A. }')],
    ['no description', lab('params:\n  a: { type: string }')],
    [
      'variants of nothing',
      lab('variants: { gat: { human: {} } }\nparams: { gate: { type: boolean, description: G. } }'),
    ],
    ['variants of no values', lab('variants: { g: { x: {} } }\nparams: { g: { type: string, description: G. } }')],
    [
      'a variant of another value',
      lab('variants: { g: { tru: {} } }\nparams: { g: { type: boolean, description: G. } }'),
    ],
    [
      'a variant with variables',
      lab('variants: { g: { true: { vars: { a: 1 } } } }\nparams: { g: { type: boolean, description: G. } }'),
    ],
    [
      'a mistake in a variant',
      lab(
        'variants: { g: { "true": { stages: { a: { nees: [b] } } } } }\nparams: { g: { type: boolean, description: G., default: true } }',
      ),
    ],
    [
      'bounds that contradict the type',
      lab('params: { g: { type: boolean, description: G., default: x, minimum: 3 } }'),
    ],
  ])('%s', async (_, files) => {
    expect(await complaints(files as Files)).toMatchSnapshot();
  });
});

function lab(text: string): Files {
  return {
    'presets/lab.yaml': `# Lab.\n${text}\n`,
    'autoresearch.config.yaml': 'name: s\nextends: ["autoresearch:lab"]\nstages: { a: { uses: command } }\n',
  };
}

test('the quick look and JSON Schema agree on what fits', async () => {
  const params: Param[] = [
    { type: 'string', description: 'x' },
    { type: 'string', description: 'x', minLength: 2, maxLength: 3, pattern: '^a' },
    { type: 'string', description: 'x', enum: ['a', 'ab'] },
    { type: 'integer', description: 'x', minimum: 0, maximum: 2 },
    { type: 'number', description: 'x', exclusiveMinimum: 0, exclusiveMaximum: 2 },
    { type: 'boolean', description: 'x' },
    { type: 'array', description: 'x', minItems: 1, maxItems: 2, uniqueItems: true },
    { type: 'array', description: 'x', items: { type: 'integer', minimum: 1 } },
  ];
  const scalars = ['', 'a', 'ab', 'abc', 'abcd', 'b', '😀', 0, 1, 2, 3, -1, 0.5, 1.5, true, false];
  const values = [...scalars, [], [1], [1, 1], [1, 2], [1, 2, 3], ['a'], [0], [1.5], [true, 'x']];
  for (const param of params) {
    const check = await compileSchema(schemaOf(param));
    if (!check.ok) throw new Error(check.error);
    for (const value of values)
      expect([param, value, fitsParam(param, value)]).toEqual([param, value, check.value(value).length === 0]);
  }
});
