import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Ajv } from 'ajv';
import handlebars from 'handlebars';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

const experiment = fileURLToPath(new URL('../../experiment/', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'experiment-'));
afterAll(() => rmSync(folder, { recursive: true }));

const run = (script: string, ...args: string[]) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(experiment, script), ...args], {
    cwd: folder,
    encoding: 'utf8',
  });
  return { status, stdout, stderr };
};
const text = (path: string) => readFileSync(join(folder, path), 'utf8');
const settings = ['--steps=300', '--warmup=20', '--data=data'];
const train = (arm: string, seed: number, out: string, rate = 0.1) =>
  run('train.mjs', `--arm=${arm}`, `--seed=${seed}`, `--learning-rate=${rate}`, `--out=${out}`, ...settings);

beforeAll(() => {
  expect(run('data.mjs', '--seed=7', '--out=data')).toEqual({
    status: 0,
    stdout: '400 points in data/train.json\n2000 points in data/test.json\n',
    stderr: '',
  });
});

describe('data and training', () => {
  test('the same seed gives the same bytes, another seed does not', () => {
    run('data.mjs', '--seed=7', '--out=again');
    run('data.mjs', '--seed=8', '--out=other');
    for (const name of ['train.json', 'test.json']) {
      expect(text(`again/${name}`)).toBe(text(`data/${name}`));
      expect(text(`other/${name}`)).not.toBe(text(`data/${name}`));
    }
    for (const out of ['first', 'second']) expect(train('cosine', 3, out).status).toBe(0);
    expect(train('cosine', 4, 'third').status).toBe(0);
    for (const name of ['metrics.json', 'log.jsonl']) {
      expect(text(`second/${name}`)).toBe(text(`first/${name}`));
      expect(text(`third/${name}`)).not.toBe(text(`first/${name}`));
    }
  });

  test('both arms start from the same network and see the same batches', () => {
    const flat = ['--steps=100', '--warmup=1', '--data=data', '--learning-rate=1e-300', '--seed=2'];
    for (const arm of ['constant', 'cosine']) run('train.mjs', ...flat, `--arm=${arm}`, `--out=flat-${arm}`);
    const { loss, learningRate } = JSON.parse(text('flat-constant/log.jsonl'));
    const cosine = JSON.parse(text('flat-cosine/log.jsonl'));
    expect(cosine.loss).toBe(loss);
    expect(cosine.learningRate).not.toBe(learningRate);
  });

  test('the metrics satisfy their schema and it refuses a missing, infinite or unknown number', () => {
    train('constant', 1, 'run');
    const schema = JSON.parse(readFileSync(join(experiment, 'schemas/metrics.schema.json'), 'utf8'));
    const validate = new Ajv({ strict: true }).compile(schema);
    const metrics = JSON.parse(text('run/metrics.json'));
    expect(validate(metrics), JSON.stringify(validate.errors)).toBe(true);
    for (const wrong of [
      { testLoss: null },
      { testLoss: undefined },
      { testAccuracy: 2 },
      { extra: 1 },
      { arm: 'other' },
    ]) {
      expect(validate(JSON.parse(JSON.stringify({ ...metrics, ...wrong }))), JSON.stringify(wrong)).toBe(false);
    }
  });

  test('a training that diverges fails and leaves no metrics', () => {
    const { status, stderr } = train('constant', 1, 'diverged', Number.MAX_VALUE);
    expect(status).toBe(1);
    expect(stderr).toMatch(/^the loss is (NaN|Infinity) at step \d+: the training diverged\n$/);
    expect(existsSync(join(folder, 'diverged'))).toBe(false);
  });

  test.each([
    [['--seed=x', '--out=data'], '--seed is not a number: x\n'],
    [['--out=data'], '--seed is missing\n'],
    [['--seed=', '--out=data'], '--seed is missing\n'],
    [['--seed=1', '--out=data', '--sede=2'], "Unknown option '--sede'\n"],
  ])('wrong options %j are refused', (args, stderr) => {
    const result = run('data.mjs', ...args);
    expect(result.status).toBe(1);
    expect(result.stderr.startsWith(stderr.trimEnd())).toBe(true);
  });

  test('an unknown arm is refused by name', () => {
    expect(train('linear', 1, 'x')).toMatchObject({ status: 1, stderr: 'unknown arm "linear": constant, cosine\n' });
  });
});

describe('comparing', () => {
  const compare = (...seeds: string[]) =>
    run('compare.mjs', '--control=constant', '--treatment=cosine', '--runs=runs', '--out=comparison.json', ...seeds);
  beforeAll(() => {
    for (const arm of ['constant', 'cosine']) for (const seed of [1, 2, 3]) train(arm, seed, `runs/${arm}-${seed}`);
  });

  test('gives one of the three verdicts from the numbers, in the same bytes each time', () => {
    expect(compare('1', '2', '3').status).toBe(0);
    const first = text('comparison.json');
    expect(['supported', 'not supported', 'inconclusive']).toContain(JSON.parse(first).verdict);
    expect(JSON.parse(first).perSeed).toHaveLength(3);
    compare('1', '2', '3');
    expect(text('comparison.json')).toBe(first);
  });

  test('the report has a place for every number it names', () => {
    compare('1', '2', '3');
    const template = readFileSync(join(experiment, 'report.md.hbs'), 'utf8');
    const comparison = JSON.parse(text('comparison.json'));
    const report = handlebars.compile(template, { strict: true, noEscape: true })({ title: 'A title', comparison });
    expect(report).toContain(`**Verdict: ${comparison.verdict}.**`);
    expect(report.match(/^\| \d \|/gm)).toHaveLength(3);
  });

  test.each([
    ['a missing run', undefined, 'runs/cosine-2/metrics.json is missing\n'],
    ['a broken file', '{"arm": "cosine"', 'runs/cosine-2/metrics.json: '],
    [
      'a loss that is null',
      '{"arm":"cosine","seed":2,"testLoss":null}',
      'runs/cosine-2/metrics.json: testLoss is null, not a number\n',
    ],
  ])('%s fails, and no comparison is written', (_, content, stderr) => {
    const file = join(folder, 'runs/cosine-2/metrics.json');
    const before = readFileSync(file);
    rmSync(join(folder, 'comparison.json'), { force: true });
    if (content === undefined) rmSync(file);
    else writeFileSync(file, content);
    const result = compare('1', '2', '3');
    writeFileSync(file, before);
    expect(result.status).toBe(1);
    expect(result.stderr.startsWith(stderr)).toBe(true);
    expect(existsSync(join(folder, 'comparison.json'))).toBe(false);
  });

  test('no seeds, and a word that is no seed, fail', () => {
    expect(compare()).toMatchObject({ status: 1, stderr: 'name the seeds to compare\n' });
    expect(compare('1', '2', 'x')).toMatchObject({ status: 1, stderr: 'a seed is not a number: x\n' });
  });
});
