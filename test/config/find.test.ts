import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { findConfig, openConfig } from '../../src/config/find.js';
import { snapshot, tempProject } from './temp-project.js';

const names = [
  ...['ts', 'mts', 'js', 'mjs', 'json', 'yaml', 'yml'].map((ending) => `autoresearch.config.${ending}`),
  '.autoresearchrc',
  '.autoresearchrc.yaml',
  '.autoresearchrc.yml',
  '.autoresearchrc.json',
];

describe('findConfig', () => {
  test.each(names)('%s, here or above', async (name) => {
    const root = tempProject({ [name]: 'the text, as it is', 'deep/er/x.txt': '' });
    const found = { ok: true, value: { file: join(root, name), text: 'the text, as it is' } };
    expect(await findConfig(root)).toEqual(found);
    expect(await findConfig(join(root, 'deep/er'))).toEqual(found);
  });

  test('package.json, if it has the key', async () => {
    const text = '{ "autoresearch": { "name": "x" } }';
    const root = tempProject({
      'package.json': text,
      'inner/package.json': '{ "dependencies": { "autoresearch": "1" } }',
    });
    expect(await findConfig(join(root, 'inner'))).toEqual({
      ok: true,
      value: { file: join(root, 'package.json'), text },
    });
  });

  test('a package.json that is broken and speaks of us is not passed over', async () => {
    const root = tempProject({ 'package.json': '{ "autoresearch": { ' });
    expect(await findConfig(root)).toMatchObject({ ok: true, value: { file: join(root, 'package.json') } });
    const other = tempProject({ 'package.json': '{ "name": ', 'autoresearch.config.yaml': 'name: x' });
    expect(await findConfig(other)).toMatchObject({
      ok: true,
      value: { file: join(other, 'autoresearch.config.yaml') },
    });
  });

  test('an empty file is a config too, and the nearest one wins', async () => {
    const root = tempProject({ 'autoresearch.config.yaml': 'name: x', 'inner/autoresearch.config.json': '' });
    expect(await findConfig(join(root, 'inner'))).toEqual({
      ok: true,
      value: { file: join(root, 'inner/autoresearch.config.json'), text: '' },
    });
  });

  test('nothing (AR101), also when there is one outside the repository', async () => {
    const outside = tempProject({ 'autoresearch.config.yaml': 'name: x', 'repo/src/x.txt': '' });
    mkdirSync(join(outside, 'repo/.git'));
    const cwd = join(outside, 'repo/src');
    expect(await findConfig(cwd)).toEqual({
      ok: false,
      error: [
        {
          code: 'AR101',
          message: `no config found in ${cwd} or above it`,
          hint: 'Make one with "autoresearch init", or name one with --config',
        },
      ],
    });
  });

  test('a form that is not read is said to be one, and no config further up runs instead (AR101)', async () => {
    const words = (name: string, file: string) => ({
      ok: false,
      error: [
        {
          code: 'AR101',
          message: `${name} is no form that a config can have`,
          hint: 'Use .ts, .mts, .js, .mjs, .json, .yaml or .yml',
          at: { kind: 'file', file },
        },
      ],
    });
    for (const name of ['autoresearch.config.cjs', 'autoresearch.config.toml', '.autoresearchrc.json5']) {
      const root = tempProject({ 'autoresearch.config.yaml': 'name: x', [`inner/${name}`]: '' });
      expect(await findConfig(join(root, 'inner'))).toEqual(words(name, join(root, 'inner', name)));
      expect(await findConfig(root)).toMatchObject({ ok: true });
    }
    const alone = tempProject({ 'autoresearch.config.tsx': '', 'autoresearch.config.ts.bak': '' });
    expect(await findConfig(alone)).toEqual(words('autoresearch.config.tsx', join(alone, 'autoresearch.config.tsx')));
  });

  test('settings in the home folder are not a config', async () => {
    const home = tempProject({
      '.config/autoresearch/config.yaml': 'name: x',
      '.config/autoresearch/config.cjs': 'throw 1',
    });
    const before = process.env.XDG_CONFIG_HOME;
    process.env.XDG_CONFIG_HOME = join(home, '.config');
    onTestFinished(() => {
      if (before === undefined) delete process.env.XDG_CONFIG_HOME;
      else process.env.XDG_CONFIG_HOME = before;
    });
    expect(await findConfig(tempProject({}))).toMatchObject({ ok: false, error: [{ code: 'AR101' }] });
  });

  test('two in one folder (AR102), in every pairing', async () => {
    for (const other of names.slice(1)) {
      const root = tempProject({ 'autoresearch.config.ts': '', [other]: '' });
      expect(await findConfig(root)).toEqual({
        ok: false,
        error: [
          {
            code: 'AR102',
            message: `two configs in one folder: autoresearch.config.ts and ${other}`,
            hint: 'Keep one of them, or name the one you mean with --config',
            at: { kind: 'file', file: join(root, 'autoresearch.config.ts') },
          },
        ],
      });
    }
    const three = tempProject({
      'autoresearch.config.yaml': '',
      '.autoresearchrc': '',
      'package.json': '{"autoresearch": {}}',
    });
    expect(await findConfig(three)).toMatchObject({
      error: [{ message: '3 configs in one folder: autoresearch.config.yaml, .autoresearchrc and package.json' }],
    });
  });

  test('one that cannot be read hides the others (AR104)', async () => {
    const root = tempProject({ 'autoresearch.config.yaml': 'name: x', 'inner/x.txt': '' });
    mkdirSync(join(root, 'inner/autoresearch.config.ts'));
    expect(await findConfig(join(root, 'inner'))).toEqual({
      ok: false,
      error: [
        {
          code: 'AR104',
          message: 'cannot read autoresearch.config.ts: EISDIR: illegal operation on a directory',
          at: { kind: 'file', file: join(root, 'inner/autoresearch.config.ts') },
        },
      ],
    });
  });

  test("cosmiconfig's own settings are neither run nor followed, and nothing is written", async () => {
    const root = tempProject({
      'autoresearch.config.yaml': 'name: x',
      '.config/config.cjs': 'throw new Error("it ran")',
      '.config/config.ts': 'throw new Error("it ran")',
      'package.json': '{ "cosmiconfig": { "searchPlaces": ["other.yaml"], "mergeSearchPlaces": false } }',
      'other.yaml': 'name: other',
    });
    const before = snapshot(root);
    const cwd = process.cwd();
    process.chdir(root);
    onTestFinished(() => process.chdir(cwd));
    expect(await findConfig(root)).toMatchObject({ ok: true, value: { file: join(root, 'autoresearch.config.yaml') } });
    expect(snapshot(root)).toEqual(before);
  });
});

describe('openConfig', () => {
  test('a file of any name, beside others', () => {
    const root = tempProject({ 'autoresearch.config.yaml': '', 'studies/two.yaml': 'name: two' });
    expect(openConfig(root, 'studies/two.yaml')).toEqual({
      ok: true,
      value: { file: join(root, 'studies/two.yaml'), text: 'name: two' },
    });
  });

  test('a file that is not there (AR101) or is a folder (AR104)', () => {
    const root = tempProject({ 'studies/two.yaml': '' });
    expect(openConfig(root, 'nope.yaml')).toEqual({
      ok: false,
      error: [
        {
          code: 'AR101',
          message: 'there is no file nope.yaml',
          at: { kind: 'argument', argument: '--config nope.yaml' },
        },
      ],
    });
    expect(openConfig(root, 'studies')).toEqual({
      ok: false,
      error: [
        {
          code: 'AR104',
          message: 'cannot read studies: EISDIR: illegal operation on a directory',
          at: { kind: 'argument', argument: '--config studies' },
        },
      ],
    });
  });
});
