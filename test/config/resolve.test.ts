import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { resolveConfig } from '../../src/config/resolve.js';
import { complaints, door, resolved, resolveFiles, shown } from './resolved.js';
import { tempProject } from './temp-project.js';

const yaml = 'name: study\nstages:\n  a: { uses: command }\n';

describe('a config that is right', () => {
  const same = {
    name: 'study',
    vars: { steps: 5 },
    stages: { a: { uses: 'command', with: { run: 'echo {{vars.steps}}' } } },
  };
  const asYaml =
    'name: study\nvars: { steps: 5 }\nstages:\n  a:\n    uses: command\n    with: { run: "echo {{vars.steps}}" }\n';
  const asModule = `import { defineConfig } from 'autoresearch';\nexport default defineConfig(${JSON.stringify(same)});\n`;

  test.each([
    ['autoresearch.config.yaml', asYaml],
    ['autoresearch.config.yml', asYaml],
    ['autoresearch.config.json', JSON.stringify(same)],
    ['autoresearch.config.ts', asModule],
    ['autoresearch.config.mts', asModule],
    ['autoresearch.config.js', asModule],
    ['autoresearch.config.mjs', asModule],
    ['.autoresearchrc', asYaml],
    ['.autoresearchrc', JSON.stringify(same)],
    ['.autoresearchrc.yaml', asYaml],
    ['.autoresearchrc.json', JSON.stringify(same)],
    ['package.json', JSON.stringify({ name: 'p', autoresearch: same })],
  ])('is the same in %s', async (name, text) => {
    const { root, result } = await resolveFiles({ [name]: text });
    if (!result.ok) throw new Error(JSON.stringify(result.error));
    const { config, file, layers } = result.value;
    expect({ config, root: result.value.root, file }).toEqual({ config: same, root, file: join(root, name) });
    expect(layers.map((layer) => layer.name)).toEqual([name]);
  });

  test('found from a folder below: names are relative to where one stands, the root is the folder of the config', async () => {
    const root = tempProject({ 'autoresearch.config.yaml': yaml, 'deep/er/x': '' });
    const result = await resolveConfig({ cwd: join(root, 'deep/er'), set: [], presetsDir: '/none', door });
    expect(result).toMatchObject({ ok: true, value: { root, layers: [{ name: '../../autoresearch.config.yaml' }] } });
  });

  test('named by --config, also when there are two, and package.json too', async () => {
    const files = {
      'autoresearch.config.yaml': yaml,
      'autoresearch.config.json': '{',
      'studies/b.yaml': yaml.replace('study', 'other'),
      'package.json': '{"autoresearch": {"name": "p", "stages": {"a": {"uses": "x"}}}}',
    };
    expect((await resolved(files, { configFile: 'studies/b.yaml' })).config.name).toBe('other');
    expect((await resolved(files, { configFile: 'package.json' })).config.name).toBe('p');
    expect(await complaints({ 'package.json': '{}' }, { configFile: 'package.json' })).toEqual([
      'package.json AR101 package.json has no "autoresearch" key',
    ]);
  });

  test('--set overrides vars and is a layer of its own', async () => {
    const { config, layers, originOf, locate } = await resolved(
      { 'autoresearch.config.yaml': `${yaml}vars: { steps: 5, seeds: [1], keep: x }\n` },
      { set: ['steps=10', 'seeds=4,5'] },
    );
    expect(config.vars).toEqual({ steps: 10, seeds: [4, 5], keep: 'x' });
    expect(layers.map(({ name }) => name)).toEqual(['autoresearch.config.yaml', '--set']);
    expect(originOf('/vars/steps')?.layer.name).toBe('--set');
    expect(originOf('/vars/keep')?.layer.name).toBe('autoresearch.config.yaml');
    expect(locate([{ code: 'AR307', message: 'm', at: { kind: 'config', pointer: '/vars/steps' } }])).toMatchObject([
      { place: { file: '--set', pointer: '/vars/steps' } },
    ]);
  });

  test('extends is gone from the result, and the layers are not changed by it', async () => {
    const { config, layers } = await resolved({
      'autoresearch.config.yaml': `extends: [./base.yaml]\n${yaml}`,
      'base.yaml': 'protect: [a]\n',
    });
    expect(Object.keys(config)).toEqual(['protect', 'name', 'stages']);
    expect(layers.map(({ document }) => Object.keys(document.value as object))).toEqual([
      ['protect'],
      ['extends', 'name', 'stages'],
    ]);
  });
});

describe('mistakes are shown at their place', () => {
  const json =
    '{\n  "name": "study",\n  "stages": {\n    "train": { "uses": "command", "timout": "5m", "retry": { "attempts": 0 } },\n    "test": {}\n  },\n  "budget": { "time": "soon" }\n}\n';
  const ts = `import { defineConfig } from 'autoresearch';

const retry = { attempts: 0 } as const;
export default defineConfig({
  name: 'study',
  stages: {
    train: { uses: 'command', timout: '5m', retry },
    test: {},
  },
  budget: { time: 'soon' },
});
`;

  test('in YAML', async () => {
    const text =
      'name: study\nstages:\n  train:\n    uses: command\n    timout: 5m\n    retry: { attempts: 0 }\n  test: {}\nbudget:\n  time: soon\n';
    expect(await complaints({ 'autoresearch.config.yaml': text })).toEqual([
      'autoresearch.config.yaml:5:5 AR201 unknown key "timout" (Did you mean "timeout"?)\n    timout: 5m\n    ^^^^^^',
      'autoresearch.config.yaml:6:24 AR204 stages.train.retry.attempts must be a whole number from 1 to 100, but is 0\n    retry: { attempts: 0 }\n                       ^',
      'autoresearch.config.yaml:7:3 AR205 stages.test needs "uses"\n  test: {}\n  ^^^^',
      'autoresearch.config.yaml:9:9 AR206 budget.time must be a duration, but is "soon" (Write a whole number and a unit, such as 500ms, 30s, 5m, 2h or 1d)\n  time: soon\n        ^^^^',
    ]);
  });

  test('in JSON', async () => {
    expect(await complaints({ 'autoresearch.config.json': json })).toEqual([
      'autoresearch.config.json:4:35 AR201 unknown key "timout" (Did you mean "timeout"?)\n    "train": { "uses": "command", "timout": "5m", "retry": { "attempts": 0 } },\n                                  ^^^^^^^^',
      'autoresearch.config.json:4:74 AR204 stages.train.retry.attempts must be a whole number from 1 to 100, but is 0\n    "train": { "uses": "command", "timout": "5m", "retry": { "attempts": 0 } },\n                                                                         ^',
      'autoresearch.config.json:5:5 AR205 stages.test needs "uses"\n    "test": {}\n    ^^^^^^',
      'autoresearch.config.json:7:23 AR206 budget.time must be a duration, but is "soon" (Write a whole number and a unit, such as 500ms, 30s, 5m, 2h or 1d)\n  "budget": { "time": "soon" }\n                      ^^^^^^',
    ]);
  });

  test('in TypeScript, following constants of the file', async () => {
    expect(await complaints({ 'autoresearch.config.ts': ts })).toEqual([
      'autoresearch.config.ts:3:27 AR204 stages.train.retry.attempts must be a whole number from 1 to 100, but is 0\nconst retry = { attempts: 0 } as const;\n                          ^',
      'autoresearch.config.ts:7:31 AR201 unknown key "timout" (Did you mean "timeout"?)\n    train: { uses: \'command\', timout: \'5m\', retry },\n                              ^^^^^^',
      'autoresearch.config.ts:8:5 AR205 stages.test needs "uses"\n    test: {},\n    ^^^^',
      'autoresearch.config.ts:10:19 AR206 budget.time must be a duration, but is "soon" (Write a whole number and a unit, such as 500ms, 30s, 5m, 2h or 1d)\n  budget: { time: \'soon\' },\n                  ^^^^^^',
    ]);
  });

  test('in TypeScript that computes its stages: the pointer is in the words, the place is the nearest name', async () => {
    const text =
      "const names = ['a', 'b'];\nexport default {\n  name: 'x',\n  stages: Object.fromEntries(names.map((name) => [name, { uses: 'command', cache: 'no' }])),\n};\n";
    expect(await complaints({ 'autoresearch.config.ts': text })).toEqual(
      ['a', 'b'].map(
        (name) =>
          `autoresearch.config.ts:4:3 AR203 stages.${name}.cache must be true or false, but is "no"\n  stages: Object.fromEntries(names.map((name) => [name, { uses: 'command', cache: 'no' }])),\n  ^^^^^^`,
      ),
    );
  });

  test('in package.json', async () => {
    expect(
      await complaints({
        'package.json': '{\n  "autoresearch": { "nam": "x", "stages": { "a": { "uses": "x" } } }\n}\n',
      }),
    ).toEqual([
      'package.json AR205 the config needs "name"',
      'package.json:2:21 AR201 unknown key "nam" (Did you mean "name"?)\n  "autoresearch": { "nam": "x", "stages": { "a": { "uses": "x" } } }\n                    ^^^^^',
    ]);
  });

  test('in the layer that wrote it, the config first, then its presets', async () => {
    const files = {
      'autoresearch.config.yaml':
        'name: x\nextends: [./low.json, "autoresearch:high"]\nprotect: { $append: [3] }\nstages:\n  a: { needs: b }\n',
      'low.json': '{ "protect": ["ok", 1], "stages": { "a": { "uses": "command", "cwd": "" } } }',
      'presets/high.yaml': 'protect:\n  $append:\n    - 2\nsandbox: never\n',
    };
    expect(await complaints(files)).toEqual([
      'autoresearch.config.yaml:3:22 AR203 protect[3] must be text that is not empty, but is 3 (Put quotes around it: "3")\nprotect: { $append: [3] }\n                     ^',
      'autoresearch.config.yaml:5:15 AR203 stages.a.needs must be a list of text, but is "b" (Write ["b"])\n  a: { needs: b }\n              ^',
      'presets/high.yaml:3:7 AR203 protect[2] must be text that is not empty, but is 2 (Put quotes around it: "2")\n    - 2\n      ^',
      'presets/high.yaml:4:10 AR204 sandbox must be "auto", "bwrap" or "none", but is "never"\nsandbox: never\n         ^^^^^',
      'low.json:1:21 AR203 protect[1] must be text that is not empty, but is 1 (Put quotes around it: "1")\n{ "protect": ["ok", 1], "stages": { "a": { "uses": "command", "cwd": "" } } }\n                    ^',
      'low.json:1:70 AR204 stages.a.cwd must be text that is not empty, but is ""\n{ "protect": ["ok", 1], "stages": { "a": { "uses": "command", "cwd": "" } } }\n                                                                     ^^',
    ]);
  });

  test('merging, setting and checking complain together, and once for each mistake', async () => {
    const text = 'name: x\nvars: { steps: 5 }\nstages:\n  a:\n    uses:\n    cache: 3\n';
    expect(await complaints({ 'autoresearch.config.yaml': text }, { set: ['stps=1', 'steps=x'] })).toEqual([
      'autoresearch.config.yaml:5:5 AR109 stages.a.uses has no value (Give it a value, or take it out: null removes what a preset sets)\n    uses:\n    ^^^^',
      'autoresearch.config.yaml:6:12 AR203 stages.a.cache must be true or false, but is 3\n    cache: 3\n           ^',
      '--set stps=1 AR308 there is no variable "stps" (Did you mean "steps"?)',
      '--set steps=x AR309 the variable "steps" must be a number, but is set to "x"',
    ]);
  });

  test('what is missing at the top is missing in the config, whatever is set', async () => {
    expect(
      await complaints(
        { 'autoresearch.config.yaml': 'vars: { n: 1 }\nstages: { a: { uses: x } }\n' },
        { set: ['n=2'] },
      ),
    ).toEqual(['autoresearch.config.yaml AR205 the config needs "name"']);
  });

  test('merging (AR109) in JSON and TypeScript', async () => {
    expect(
      await complaints({
        'autoresearch.config.json': '{ "name": "x", "stages": { "a": { "uses": "x", "cwd": null } } }',
      }),
    ).toEqual([
      'autoresearch.config.json:1:48 AR109 stages.a.cwd has no value (Give it a value, or take it out: null removes what a preset sets)\n{ "name": "x", "stages": { "a": { "uses": "x", "cwd": null } } }\n                                               ^^^^^',
    ]);
    expect(
      await complaints({
        'autoresearch.config.ts':
          "export default { name: 'x', protect: { $append: ['a'] }, stages: { a: { uses: 'x' } } };",
      }),
    ).toEqual([
      "autoresearch.config.ts:1:29 AR109 protect cannot be appended to: there is nothing below (Write the list itself instead of \"$append\")\nexport default { name: 'x', protect: { $append: ['a'] }, stages: { a: { uses: 'x' } } };\n                            ^^^^^^^",
    ]);
  });

  test('a key written twice (AR108), with its first place', async () => {
    expect(await complaints({ 'autoresearch.config.yaml': 'name: x\nname: y\nstages: { a: { uses: x } }\n' })).toEqual([
      'autoresearch.config.yaml:2:1 AR108 the key "name" is written twice (Keep one of the two)\nname: y\n^^^^\nautoresearch.config.yaml:1:1 first written here',
    ]);
    expect(
      await complaints({
        'autoresearch.config.json': '{"name": "x",\n "name": "y",\n "stages": {"a": {"uses": "x"}}}',
      }),
    ).toEqual([
      'autoresearch.config.json:2:2 AR108 the key "name" is written twice (Keep one of the two)\n "name": "y",\n ^^^^^^\nautoresearch.config.json:1:2 first written here',
    ]);
  });

  test('a key written twice does not hide what else is wrong, and nothing is said of what follows from it', async () => {
    const texts = {
      'autoresearch.config.yaml':
        'name: x\nstages:\n  a: { uses: x, timeout: 5, timeout: 6s }\n  b: { uses: x, tiemout: 1s }\n  b: { uses: x }\n  c: { use: x }\n',
      'autoresearch.config.json':
        '{"name": "x", "stages": {\n"a": {"uses": "x", "timeout": 5, "timeout": "6s"},\n"b": {"uses": "x", "tiemout": "1s"},\n"b": {"uses": "x"},\n"c": {"use": "x"}}}',
    };
    for (const [file, text] of Object.entries(texts)) {
      const said = (await complaints({ [file]: text })).map((complaint) =>
        complaint.split('\n')[0]!.replace(/^\S+ /, ''),
      );
      expect(said).toEqual([
        'AR108 the key "timeout" is written twice (Keep one of the two)',
        'AR108 the key "b" is written twice (Keep one of the two)',
        'AR205 stages.c needs "uses"',
        'AR201 unknown key "use" (Did you mean "uses"?)',
      ]);
    }
  });

  test('nor does one in a module, or a value that is different each time', async () => {
    const text =
      "export default {\n name: 'x', vars: { a: Date.now(), a: Date.now() },\n stages: { a: { uses: 'x', timeout: 5 } } };";
    const said = await complaints({ 'autoresearch.config.ts': text });
    expect(said.map((complaint) => complaint.split('\n')[0])).toEqual([
      'autoresearch.config.ts:2:36 AR108 the key "a" is written twice (Keep one of the two)',
      'autoresearch.config.ts:2:39 AR119 vars.a is different each time: it depends on the time or on chance (Write the value itself, or make it a variable and set it with --set)',
      'autoresearch.config.ts:3:37 AR206 stages.a.timeout must be a duration, but is 5 (Write a unit, such as 5s or 5m)',
    ]);
  });

  test('what stands once and is used at two places is told once', async () => {
    const text = `const base = { uses: 'x', tiemout: '5m' };\nexport default { name: 'x', stages: { a: base, b: { ...base } } };`;
    expect(await complaints({ 'autoresearch.config.ts': text })).toEqual([
      `autoresearch.config.ts:1:27 AR201 unknown key "tiemout" (Did you mean "timeout"?)\nconst base = { uses: 'x', tiemout: '5m' };\n                          ^^^^^^^`,
    ]);
  });

  test('bytes that are no UTF-8 are not read as other letters (AR103)', async () => {
    const bad = async (name: string, before: string): Promise<string[]> => {
      const root = tempProject({ 'autoresearch.config.yaml': `extends: [./${name}]\n${yaml}` });
      writeFileSync(join(root, name), Buffer.concat([Buffer.from(before), Buffer.from([0xe9, 0x0a])]));
      const result = await resolveConfig({ cwd: root, set: [], presetsDir: '/none', door });
      return result.ok ? [] : result.error.map(shown);
    };
    const words =
      'AR103 the file is not UTF-8: here stands the byte 0xe9 (Save it as UTF-8 in your editor, or with: iconv -f latin1 -t utf8)';
    expect(await bad('one.yaml', 'vars: { a: 1 }\n# caf')).toEqual([`one.yaml:2:6 ${words}\n# caf\ufffd\n     ^`]);
    expect(await bad('two.json', '{ "vars": { "é\ufffd": "')).toEqual([
      `two.json:1:20 ${words}\n{ "vars": { "é\ufffd": "\ufffd\n                   ^`,
    ]);
    expect(await bad('three.ts', 'export default {} // ')).toEqual([
      `three.ts:1:22 ${words}\nexport default {} // \ufffd\n                     ^`,
    ]);
  });

  test('the letter that stands for what cannot be read may itself be written', async () => {
    const { config } = await resolved({ 'autoresearch.config.yaml': yaml.replace('command', '"\ufffd"') });
    expect(config.stages.a?.uses).toBe('\ufffd');
  });

  test('a config that changes the environment of its commands (AR110)', async () => {
    const before = { ...process.env };
    onTestFinished(() => {
      for (const name of ['CUDA_AUDIT', 'SHELL']) delete process.env[name];
      Object.assign(process.env, before);
    });
    process.env.SHELL = '/bin/sh';
    const hint = 'Write it under "env" of the stages that need it, or set it before autoresearch starts';
    expect(
      await complaints({
        'autoresearch.config.ts':
          "import './lib/env';\nprocess.env.CUDA_AUDIT = '1';\nexport default { name: 'x', stages: { a: { uses: 'command' } } };\n",
        'lib/env.ts': "delete process.env['SHELL'];\n",
      }),
    ).toEqual([
      `autoresearch.config.ts AR110 the config changes the environment variable SHELL (${hint})`,
      `autoresearch.config.ts:2:1 AR110 the config changes the environment variable CUDA_AUDIT (${hint})\nprocess.env.CUDA_AUDIT = '1';\n^^^^^^^^^^^^^^^^^^^^^^`,
    ]);
  });

  test('syntax (AR103), evaluation (AR104) and things that are not data (AR105)', async () => {
    expect(await complaints({ 'autoresearch.config.yaml': 'name: x\n\tstages: {}\n' })).toEqual([
      'autoresearch.config.yaml:2:1 AR103 tabs are not allowed as indentation (Indent with spaces)\n\tstages: {}\n^',
    ]);
    expect(await complaints({ 'autoresearch.config.json': '{\n  "name": "x"\n  "stages": {}\n}' })).toEqual([
      'autoresearch.config.json:3:3 AR103 expected "," or "}", but found "\\""\n  "stages": {}\n  ^',
    ]);
    expect(await complaints({ 'autoresearch.config.ts': 'export default {\n  name: "x"\n  stages: {}\n}' })).toEqual([
      'autoresearch.config.ts:3:3 AR103 unexpected token, expected ","\n  stages: {}\n  ^^^^^^',
    ]);
    expect(
      await complaints({
        'autoresearch.config.ts': "import { n } from './lib/n.ts';\nexport default { n };",
        'lib/n.ts': '\nexport const n = missing + 1;\n',
      }),
    ).toEqual([
      'lib/n.ts:2:18 AR104 evaluation failed: ReferenceError: missing is not defined\nexport const n = missing + 1;\n                 ^^^^^^^',
    ]);
    expect(
      await complaints({ 'autoresearch.config.ts': 'export default {\n  vars: { when: new Date(0) },\n}' }),
    ).toEqual([
      'autoresearch.config.ts:2:17 AR105 vars.when is a Date, not plain data (Write it as text)\n  vars: { when: new Date(0) },\n                ^^^^^^^^^^^',
    ]);
    expect(await complaints({ 'autoresearch.config.yaml': 'vars: { n: .nan }\n' })).toEqual([
      'autoresearch.config.yaml:1:12 AR105 vars.n is .nan, not plain data (Write a finite number)\nvars: { n: .nan }\n           ^^^^',
    ]);
  });

  test('no config (AR101) and two (AR102)', async () => {
    const { root, result } = await resolveFiles({});
    expect(result).toEqual({
      ok: false,
      error: [
        {
          code: 'AR101',
          message: `no config found in ${root} or above it`,
          hint: 'Make one with "autoresearch init", or name one with --config',
        },
      ],
    });
    expect(await complaints({ 'autoresearch.config.yaml': yaml, '.autoresearchrc': yaml })).toEqual([
      'autoresearch.config.yaml AR102 two configs in one folder: autoresearch.config.yaml and .autoresearchrc (Keep one of them, or name the one you mean with --config)',
    ]);
  });

  test('hostile keys are found and harm nothing', async () => {
    const found = await complaints({
      'autoresearch.config.json': '{ "__proto__": { "name": "x" }, "stages": { "a": { "uses": "x" } } }',
    });
    expect(found.map((text) => text.split('\n')[0])).toEqual([
      'autoresearch.config.json AR205 the config needs "name"',
      'autoresearch.config.json:1:3 AR201 unknown key "__proto__"',
    ]);
  });
});

test('the same files resolve to the same config, byte for byte', async () => {
  const files = {
    'autoresearch.config.ts':
      "import base from './base.ts';\nexport default { name: 'x', ...base, extends: ['./p.yaml'] };",
    'base.ts': "export default { stages: { a: { uses: 'command' } } };",
    'p.yaml': 'vars: { b: 1, a: 2 }\n',
  };
  const texts = await Promise.all([resolved(files), resolved(files)]);
  expect(JSON.stringify(texts[0]!.config)).toBe(JSON.stringify(texts[1]!.config));
});
