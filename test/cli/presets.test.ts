import { describe, expect, it } from 'vitest';
import { Project } from '../support/project.js';

const sound = `# Trains a model and looks at it.
#
#   train ──► gate
params:
  command: { type: string, format: shell, description: What trains., example: make train }
  turns: { type: integer, minimum: 1, description: Turns of the coder in one call., default: 10 }
  gate: { type: string, enum: [human, auto], description: Who looks., default: human }
variants:
  gate:
    human: { stages: { train: { gate: human } } }
    auto: { stages: { train: { gate: { kind: auto, checks: [{ file: out.txt }] } } } }
agents:
  coder: { backend: codex, lifecycle: persistent, limits: { turns: "{{vars.turns}}" } }
stages:
  train:
    uses: command
    with: { run: "{{{vars.command}}}" }
    outputs: [out.txt]
    retry: { attempts: 3, fix: coder }
    scope: [out.txt]
`;

describe('presets', () => {
  it('lists the built-in ones, a line each', async () => {
    const { stdout, code } = await new Project({}).run('presets');
    expect(code).toBe(0);
    expect(stdout).toContain('two-arms  ');
    expect(
      stdout
        .trim()
        .split('\n')
        .every((line) => /^[\w-]+ +\S/.test(line)),
    ).toBe(true);
  });

  it('shows what one does, its parameters, stages and agents; also one that is a file', async () => {
    const project = new Project({ 'lab/preset.yaml': sound });
    const shown = await project.run('presets', 'show', 'lab/preset.yaml');
    expect(shown.stdout).toBe(`./lab/preset.yaml

Trains a model and looks at it.

  train ──► gate

Parameters, with their defaults (set under vars, or with --set NAME=VALUE)
  command  required  What trains.
                     A command, such as make train
  turns    10        Turns of the coder in one call.
                     A whole number of at least 1
  gate     human     Who looks.
                     "human" or "auto"

Stages
  train  command  gate: human

Agents
  coder  codex  persistent
`);
    expect((await project.run('presets', 'show', 'two-arms')).stdout).toContain('autoresearch:two-arms\n');
    const wrong = await project.run('presets', 'show', 'two-arm');
    expect([wrong.code, wrong.stderr]).toEqual([
      2,
      'command line (autoresearch:two-arm) AR106 there is no built-in preset "two-arm"\n    hint: Did you mean "autoresearch:two-arms"?\n\n1 problem. Run autoresearch explain AR106 for more.\n',
    ]);
  });

  it('checks one: as it is, with every variant, and writes nothing', async () => {
    const project = new Project({ 'lab/preset.yaml': sound });
    const before = project.snapshot();
    const checked = await project.run('presets', 'check', 'lab/preset.yaml');
    expect([checked.stderr, checked.stdout, checked.code]).toEqual([
      '',
      './lab/preset.yaml is sound: 3 parameters, 1 stage, 2 variants\n',
      0,
    ]);
    expect(project.snapshot()).toEqual(before);
  });

  it('tells all that is wrong with one, at its place', async () => {
    const wrong = sound
      .replace(/^(#.*\n)+/, '')
      .replace('example: make train', 'minimum: 3')
      .replace('default: 10', 'default: 0')
      .replace('{ run: "{{{vars.command}}}" }', '{ run: "{{{vars.comand}}} {{vars.extra}}" }')
      .replace('params:', 'vars: { hidden: 1 }\nparams:');
    const { code, stderr } = await new Project({ 'p.yaml': wrong }).run('presets', 'check', 'p.yaml');
    expect(code).toBe(2);
    expect(stderr).toMatchInlineSnapshot(`
      "p.yaml AR113 nothing says what this preset does
          hint: Begin the file with a comment that says what the preset does

      p.yaml:1:9 AR114 the variable "hidden" is not among the params of this preset
        1 | vars: { hidden: 1 }
          |         ^~~~~~
          hint: Declare it: params: { hidden: { type: …, description: …, default: … } }

      p.yaml:3:3 AR112 the parameter "command" is declared wrongly: "minimum" says nothing of a value of the type string
        3 |   command: { type: string, format: shell, description: What trains., minimum: 3 }
          |   ^~~~~~~

      p.yaml:3:3 AR115 nothing uses the parameter "command"
        3 |   command: { type: string, format: shell, description: What trains., minimum: 3 }
          |   ^~~~~~~
          hint: Use it as {{vars.command}}, or take it out

      p.yaml:4:94 AR112 the default of "turns" does not fit it: 0
        4 | …rns: { type: integer, minimum: 1, description: Turns of the coder in one call., default: 0 }
          |                                                                                           ^

      p.yaml:15:18 AR114 the variable "comand" is not among the params of this preset
       15 |     with: { run: "{{{vars.comand}}} {{vars.extra}}" }
          |                  ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
          hint: Declare it: params: { comand: { type: …, description: …, default: … } }

      p.yaml:15:18 AR114 the variable "extra" is not among the params of this preset
       15 |     with: { run: "{{{vars.comand}}} {{vars.extra}}" }
          |                  ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
          hint: Declare it: params: { extra: { type: …, description: …, default: … } }

      7 problems. Run autoresearch explain AR113 for more (also AR114, AR112 and AR115).
      "
    `);
  });

  it('finds what is wrong in a variant that nobody chose', async () => {
    const text = sound.replace('auto, checks: [{ file: out.txt }]', 'auto, check: [{ file: out.txt }]');
    const { code, stderr } = await new Project({ 'p.yaml': text }).run('presets', 'check', './p.yaml');
    expect(code).toBe(2);
    expect(stderr).toMatchInlineSnapshot(`
      "p.yaml:11:32 AR205 stages.train.gate needs "checks" (with gate=auto)
       11 |     auto: { stages: { train: { gate: { kind: auto, check: [{ file: out.txt }] } } } }
          |                                ^~~~

      p.yaml:11:52 AR201 unknown key "check" (with gate=auto)
       11 |     auto: { stages: { train: { gate: { kind: auto, check: [{ file: out.txt }] } } } }
          |                                                    ^~~~~
          hint: Did you mean "checks"?

      2 problems. Run autoresearch explain AR205 for more (also AR201).
      "
    `);
  });

  it('runs a study of a preset from an npm package; what the study sets wrong is refused before anything runs', async () => {
    const project = new Project({
      'node_modules/lab-preset/package.json': '{ "name": "lab-preset", "main": "preset.yaml" }',
      'node_modules/lab-preset/preset.yaml': sound,
      'autoresearch.config.yaml': 'name: s\nextends: [lab-preset]\nvars: { command: echo hi > out.txt, gate: auto }\n',
    });
    expect((await project.run('presets', 'check', 'lab-preset')).stdout).toContain('lab-preset is sound');
    expect((await project.run('exec', '--replay')).code).toBe(0);
    expect(project.read('out.txt')).toBe('hi\n');
    const refused = await project.run('exec', '--replay', '--set', 'turns=0');
    expect([refused.code, refused.stderr]).toEqual([
      2,
      `--set (vars.turns) AR204 vars.turns must be a whole number of at least 1, but is 0
    related: node_modules/lab-preset/preset.yaml:6:3 declared here
  6 |   turns: { type: integer, minimum: 1, description: Turns of the coder in one call., default:…
    |   ^~~~~

1 problem. Run autoresearch explain AR204 for more.
`,
    ]);
  });
});
