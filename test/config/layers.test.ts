import { describe, expect, test } from 'vitest';
import { complaints, resolved } from './resolved.js';

const stages = 'stages:\n  a: { uses: command }\n';

describe('extends', () => {
  test('later entries win over earlier ones, and the file over all', async () => {
    const { config, layers } = await resolved({
      'autoresearch.config.yaml': `name: own\nextends: [./one.yaml, "autoresearch:two", ./three.ts]\nvars: { d: 4 }\n${stages}`,
      'one.yaml': 'name: one\nvars: { a: 1, b: 1, c: 1, d: 1 }\n',
      'presets/two.yaml': 'name: two\nvars: { b: 2, c: 2, d: 2 }\n',
      'three.ts': 'export default { name: "three", vars: { c: 3, d: 3 } }',
    });
    expect(config).toEqual({ name: 'own', vars: { a: 1, b: 2, c: 3, d: 4 }, stages: { a: { uses: 'command' } } });
    expect(layers.map(({ name }) => name)).toEqual([
      'one.yaml',
      'autoresearch:two',
      'three.ts',
      'autoresearch.config.yaml',
    ]);
  });

  test('paths are relative to the file that says them, through several levels', async () => {
    const { config, originOf } = await resolved({
      'autoresearch.config.json':
        '{ "name": "x", "extends": ["./presets/deep/one.yaml"], "stages": { "a": { "uses": "command" } } }',
      'presets/deep/one.yaml': 'extends: [../two.json]\nvars: { one: 1 }\n',
      'presets/two.json': '{ "vars": { "two": 2 } }',
    });
    expect(config.vars).toEqual({ two: 2, one: 1 });
    expect(originOf('/vars/two')?.layer.name).toBe('presets/two.json');
  });

  test('a behaviour that a preset brings along lies beside the preset', async () => {
    const { config, ownFiles } = await resolved({
      'autoresearch.config.yaml':
        'name: x\nextends: [./lab/one.yaml, lab-yaml]\nstages:\n  own: { uses: ./own.mjs }\n  mine: { uses: ./mine.mjs }\n',
      'lab/one.yaml':
        'extends: [../other.yaml]\nstages:\n  one: { uses: ./stages/one.mjs }\n  mine: { uses: ./lost.mjs }\n',
      'other.yaml': 'stages:\n  up: { uses: ../up.mjs }\n  built: { uses: command }\n  dotted: { uses: .dotted }\n',
      'node_modules/lab-yaml/package.json': '{ "name": "lab-yaml", "main": "preset.yaml" }',
      'node_modules/lab-yaml/preset.yaml': 'stages:\n  lab: { uses: ./stage.mjs }\n',
    });
    expect(Object.fromEntries(Object.entries(config.stages).map(([name, { uses }]) => [name, uses]))).toEqual({
      up: '../up.mjs',
      built: 'command',
      dotted: '.dotted',
      one: './lab/stages/one.mjs',
      mine: './mine.mjs',
      lab: './node_modules/lab-yaml/stage.mjs',
      own: './own.mjs',
    });
    expect(ownFiles).toEqual(['other.yaml', 'lab/one.yaml', 'autoresearch.config.yaml']);
  });

  test('packages: YAML or JSON as main file, or the default export of a module', async () => {
    const { config, layers } = await resolved({
      'autoresearch.config.ts':
        "export default { name: 'x', extends: ['lab-yaml', '@lab/json/preset.json', 'lab-module'], stages: { a: { uses: 'command' } } }",
      'node_modules/lab-yaml/package.json': '{ "name": "lab-yaml", "main": "preset.yaml" }',
      'node_modules/lab-yaml/preset.yaml': 'vars: { y: 1 }\n',
      'node_modules/@lab/json/package.json': '{ "name": "@lab/json" }',
      'node_modules/@lab/json/preset.json': '{ "vars": { "j": 2 } }',
      'node_modules/lab-module/package.json': '{ "name": "lab-module", "type": "module", "exports": "./index.js" }',
      'node_modules/lab-module/index.js':
        "import { defineConfig } from 'autoresearch'; export default defineConfig({ vars: { m: 3 } });",
    });
    expect(config.vars).toEqual({ y: 1, j: 2, m: 3 });
    expect(layers.map(({ name }) => name)).toEqual([
      'lab-yaml',
      '@lab/json/preset.json',
      'lab-module',
      'autoresearch.config.ts',
    ]);
  });

  test('a preset that is reached twice is a layer twice, and its mistakes are told once', async () => {
    const files = {
      'autoresearch.config.yaml': `name: x\nextends: [./one.yaml, ./two.yaml]\n${stages}`,
      'one.yaml': 'extends: [./base.yaml]\nvars: { n: 1 }\n',
      'two.yaml': 'extends: [./base.yaml]\n',
      'base.yaml': 'vars: { n: 0 }\n',
    };
    expect((await resolved(files)).config.vars).toEqual({ n: 0 });
    expect(await complaints({ ...files, 'base.yaml': 'vars: [\n' })).toHaveLength(1);
  });
});

describe('mistakes', () => {
  test('a preset that is not there (AR106): built in, path, package', async () => {
    const text =
      'name: x\nextends:\n  - autoresearch:rl-party\n  - autoresearch:something-else\n  - ./bse.yaml\n  - ./base\n  - base.yaml\n  - no-such-lab\n  - lab.yml\nstages: {}\n';
    const files = {
      'autoresearch.config.yaml': text,
      'base.yaml': '',
      'presets/rl-parity.yaml': '',
      'presets/two-arms.yaml': '',
      'presets/README.md': '',
    };
    expect(await complaints(files)).toEqual([
      'autoresearch.config.yaml:3:5 AR106 there is no built-in preset "rl-party" (Did you mean "autoresearch:rl-parity"?)\n  - autoresearch:rl-party\n    ^^^^^^^^^^^^^^^^^^^^^',
      'autoresearch.config.yaml:4:5 AR106 there is no built-in preset "something-else" (The built-in ones are "autoresearch:rl-parity" and "autoresearch:two-arms")\n  - autoresearch:something-else\n    ^^^^^^^^^^^^^^^^^^^^^^^^^^^',
      'autoresearch.config.yaml:5:5 AR106 there is no preset file bse.yaml (Did you mean "./base.yaml"?)\n  - ./bse.yaml\n    ^^^^^^^^^^',
      'autoresearch.config.yaml:6:5 AR106 there is no preset file base (Did you mean "./base.yaml"?)\n  - ./base\n    ^^^^^^',
      'autoresearch.config.yaml:7:5 AR106 there is no package "base.yaml" (Did you mean "./base.yaml"?)\n  - base.yaml\n    ^^^^^^^^^',
      'autoresearch.config.yaml:8:5 AR106 there is no package "no-such-lab" (Install it: npm install no-such-lab)\n  - no-such-lab\n    ^^^^^^^^^^^',
      'autoresearch.config.yaml:9:5 AR106 there is neither a file nor a package "lab.yml" (Check the spelling; a path begins with "./")\n  - lab.yml\n    ^^^^^^^',
    ]);
  });

  test('in JSON and TypeScript', async () => {
    expect(await complaints({ 'autoresearch.config.json': '{\n  "extends": ["./no.json"]\n}\n' })).toEqual([
      'autoresearch.config.json:2:15 AR106 there is no preset file no.json\n  "extends": ["./no.json"]\n              ^^^^^^^^^^^',
    ]);
    expect(
      await complaints({
        'autoresearch.config.ts': "const presets = ['./no.ts'];\nexport default { extends: presets };\n",
      }),
    ).toEqual([
      "autoresearch.config.ts:1:18 AR106 there is no preset file no.ts\nconst presets = ['./no.ts'];\n                 ^^^^^^^^^",
    ]);
    expect(
      await complaints({
        'autoresearch.config.ts': 'const name: string = "./no.ts";\nexport default { extends: [name] };\n',
      }),
    ).toEqual([
      'autoresearch.config.ts:2:28 AR106 there is no preset file no.ts\nexport default { extends: [name] };\n                           ^^^^',
    ]);
  });

  test('a built-in name cannot lead out of the folder', async () => {
    const found = await complaints({
      'autoresearch.config.yaml': 'extends: ["autoresearch:../secret"]\n',
      'secret.yaml': 'name: x\n',
      'presets/x.yaml': '',
    });
    expect(found[0]).toContain('AR106 there is no built-in preset "../secret"');
  });

  test('a package that exports nothing to require', async () => {
    const found = await complaints({
      'autoresearch.config.yaml': 'extends: [lab]\n',
      'node_modules/lab/package.json': '{ "name": "lab", "exports": { "import": "./index.js" } }',
      'node_modules/lab/index.js': '',
    });
    expect(found[0]).toContain('AR106 the package "lab" does not say which file its preset is');
  });

  test('a circle (AR107), printed as a path', async () => {
    const files = {
      'autoresearch.config.yaml': 'name: x\nextends: [./a.yaml]\nstages: {}\n',
      'a.yaml': 'extends: ["autoresearch:b"]\n',
      'presets/b.yaml': 'vars: {}\nextends: [../a.yaml]\n',
    };
    expect(await complaints(files)).toEqual([
      'presets/b.yaml:2:11 AR107 presets extend each other in a circle: a.yaml → autoresearch:b → a.yaml (Take out one of these entries)\nextends: [../a.yaml]\n          ^^^^^^^^^',
    ]);
    expect(await complaints({ 'autoresearch.config.json': '{"extends": ["./autoresearch.config.json"]}' })).toEqual([
      'autoresearch.config.json:1:14 AR107 presets extend each other in a circle: autoresearch.config.json → autoresearch.config.json (Take out one of these entries)\n{"extends": ["./autoresearch.config.json"]}\n             ^^^^^^^^^^^^^^^^^^^^^^^^^^^^',
    ]);
  });

  test('an extends that is no list of names (AR203)', async () => {
    expect(await complaints({ 'autoresearch.config.yaml': 'extends: ./a.yaml\n' })).toEqual([
      'autoresearch.config.yaml:1:10 AR203 extends must be a list of text, but is "./a.yaml" (Write ["./a.yaml"])\nextends: ./a.yaml\n         ^^^^^^^^',
    ]);
    expect(await complaints({ 'autoresearch.config.yaml': 'extends: [3, ""]\n' })).toEqual([
      'autoresearch.config.yaml:1:11 AR203 extends[0] must be text that is not empty, but is 3\nextends: [3, ""]\n          ^',
      'autoresearch.config.yaml:1:14 AR203 extends[1] must be text that is not empty, but is ""\nextends: [3, ""]\n             ^^',
    ]);
  });

  test('a file that holds no map (AR203)', async () => {
    expect(await complaints({ 'autoresearch.config.yaml': '' })).toEqual([
      'autoresearch.config.yaml AR203 a config must be a map, but this is empty',
    ]);
    expect(await complaints({ 'autoresearch.config.json': '[1]' })).toEqual([
      'autoresearch.config.json AR203 a config must be a map, but this is a list of 1',
    ]);
    expect(await complaints({ 'autoresearch.config.ts': 'export default "x"' })).toEqual([
      'autoresearch.config.ts AR203 a config must be a map, but this is "x"',
    ]);
  });

  test('mistakes in several layers are told together', async () => {
    const found = await complaints({
      'autoresearch.config.yaml': 'extends: [./a.json, ./b.ts, ./c.yaml]\n',
      'a.json': '{',
      'b.ts': 'export default {',
      'c.yaml': 'a: [',
    });
    expect(found.map((text) => text.slice(0, text.indexOf(':')))).toEqual(['a.json', 'b.ts', 'c.yaml']);
  });

  test('a preset in a language that cannot be read', async () => {
    expect(await complaints({ 'autoresearch.config.yaml': 'extends: [./a.toml]\n', 'a.toml': '' })).toEqual([
      'a.toml AR103 cannot tell the language of a.toml (Use .ts, .mts, .js, .mjs, .json, .yaml or .yml)',
    ]);
  });
});
