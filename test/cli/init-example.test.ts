import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Ajv } from 'ajv';
import { transformSync } from 'esbuild';
import { afterAll, describe, expect, test } from 'vitest';
import { exampleFiles } from '../../src/cli/init/example-files.js';
import type { Config } from '../../src/model/generated/config.js';
import { recordingContext } from '../stages/recording-context.js';
import { evaluateInSandbox } from '../stages/sandbox.js';

const folder = mkdtempSync(join(tmpdir(), 'init-'));
afterAll(() => rmSync(folder, { recursive: true }));

const form = { form: 'ts', schema: 'unused' } as const;

function write(): string {
  const dir = join(folder, 'plain');
  for (const { path, content } of exampleFiles('my-study', form)) {
    mkdirSync(dirname(join(dir, path)), { recursive: true });
    writeFileSync(join(dir, path), content);
  }
  return dir;
}

const load = (dir: string, path: string): unknown => {
  const { code } = transformSync(readFileSync(join(dir, path), 'utf8'), { loader: 'ts', format: 'cjs' });
  return evaluateInSandbox(code, path);
};
const read = (path: string) => JSON.parse(readFileSync(path, 'utf8'));
const schema = (name: string) => read(join(import.meta.dirname, '../../schemas', name));
const validator = (name: string) => new Ajv({ strict: true, allowUnionTypes: true }).compile(schema(name));

describe('the example', () => {
  const dir = write();
  const config = load(dir, 'autoresearch.config.ts') as Config;
  const run = (script: string, ...args: string[]) =>
    spawnSync(process.execPath, [join(dir, 'scripts', script), ...args], { cwd: dir, encoding: 'utf8' });

  test('the config is valid, and nothing in it is missing', () => {
    const validate = validator('config.schema.json');
    expect(validate(config), JSON.stringify(validate.errors)).toBe(true);
    expect(config.name).toBe('my-study');
    for (const path of JSON.stringify(config).match(/\b(scripts|stages|schemas)\/[\w.]+\b/g) ?? []) {
      expect(existsSync(join(dir, path.replace('scripts/.mjs', 'scripts'))), path).toBe(true);
    }
  });

  test('the scripts run with nothing but Node, alike each time', () => {
    for (const arm of ['random', 'even']) {
      for (const seed of ['1', '2', '3'])
        expect(run('estimate.mjs', arm, seed, `results/runs/${arm}-${seed}.json`).status).toBe(0);
    }
    const before = read(join(dir, 'results/runs/random-1.json'));
    run('estimate.mjs', 'random', '1', 'results/runs/random-1.json');
    expect(read(join(dir, 'results/runs/random-1.json'))).toEqual(before);
    expect(before.error).toBeLessThan(0.1);
    const compared = run('compare.mjs', 'results/runs', 'results/comparison.json', 'random', 'even', '1', '2', '3');
    expect(compared.stdout).toMatch(/^even is nearer than random in \d of 3 seeds\n$/);
    expect(read(join(dir, 'results/comparison.json')).rows).toHaveLength(3);
  });

  test('a run that is missing, or has no number, fails the comparison', () => {
    const compare = (...seeds: string[]) =>
      run('compare.mjs', 'results/runs', 'results/other.json', 'random', 'even', ...seeds).status;
    writeFileSync(join(dir, 'results/runs/even-9.json'), '{"error":null}');
    run('estimate.mjs', 'random', '9', 'results/runs/random-9.json');
    expect([compare('1', '4'), compare('9'), compare()]).toEqual([1, 1, 1]);
    expect(existsSync(join(dir, 'results/other.json'))).toBe(false);
  });
});

test('as YAML it says the same', async () => {
  const [yaml] = exampleFiles('my-study', { form: 'yaml', schema: './x/config.schema.json' });
  const { parse } = await import('yaml');
  expect(yaml!.content).toMatch(/^# yaml-language-server: \$schema=\.\/x\/config\.schema\.json\n/);
  expect(parse(yaml!.content)).toEqual(load(join(folder, 'plain'), 'autoresearch.config.ts'));
});

test('the estimates satisfy their schema', () => {
  const dir = join(folder, 'plain');
  const validate = new Ajv({ strict: true }).compile(read(join(dir, 'schemas/estimate.schema.json')));
  expect(validate(read(join(dir, 'results/runs/even-1.json')))).toBe(true);
  expect(validate({ arm: 'even', seed: 1, estimate: 3.1, error: null })).toBe(false);
});

test('the behaviour it writes works through the context alone', async () => {
  const behaviour = evaluateInSandbox(
    transformSync(readFileSync(join(folder, 'plain/stages/table.ts'), 'utf8'), { loader: 'ts', format: 'cjs' }).code,
    'stages/table.ts',
  );
  const rows = [{ seed: 1, baseline: 0.5, variant: 0.25 }];
  const context = recordingContext({ files: { a: JSON.stringify({ baseline: 'x', variant: 'y', rows, wins: 1 }) } });
  expect(await behaviour.run({ from: 'a', to: 'b' }, context)).toEqual({
    ok: true,
    summary: 'y is nearer in 1 of 1 seeds',
  });
  expect(context.effects).toEqual([
    { kind: 'read', path: 'a' },
    {
      kind: 'write',
      path: 'b',
      content: '| seed | error of x | error of y |\n| ---: | ---: | ---: |\n| 1 | 0.50000 | 0.25000 |\n',
    },
  ]);
});
