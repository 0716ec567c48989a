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
const train = (arm: string, seed: number, out: string, settings: object = {}) => {
  const config = { arm, settings: { learningRate: 0.1, warmup: 20, steps: 300, ...settings } };
  writeFileSync(join(folder, 'arm.json'), JSON.stringify(config));
  return run('train.mjs', '--config=arm.json', `--seed=${seed}`, '--data=data', `--out=${out}`);
};

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
    const flat = { steps: 100, warmup: 1, learningRate: 1e-300 };
    for (const arm of ['constant', 'cosine']) train(arm, 2, `flat-${arm}`, flat);
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
    const { status, stderr } = train('constant', 1, 'diverged', { learningRate: Number.MAX_VALUE });
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

  test('the metrics tell what was used, also what no file names', () => {
    train('cosine', 1, 'told');
    expect(JSON.parse(text('told/metrics.json'))).toMatchObject({
      arm: 'cosine',
      seed: 1,
      settings: { learningRate: 0.1, warmup: 20, steps: 300, hidden: 16, batch: 32, momentum: 0.9 },
    });
    const fewer = run('train.mjs', '--config=arm.json', '--seed=1', '--steps=100', '--data=data', '--out=fewer');
    expect(fewer.status).toBe(0);
    expect(JSON.parse(text('fewer/metrics.json')).settings.steps).toBe(100);
  });

  test('an unknown arm is refused by name', () => {
    expect(train('linear', 1, 'x')).toMatchObject({ status: 1, stderr: 'unknown arm "linear": constant, cosine\n' });
  });
});

test('the report has a place for every number it names', () => {
  const template = readFileSync(join(experiment, 'report.md.hbs'), 'utf8');
  const comparison = { variants: [{ verdict: 'supported', sentence: 'a sentence' }] };
  const report = handlebars.compile(template, { strict: true, noEscape: true })({ title: 'A title', comparison });
  expect(report).toContain('**Verdict: supported.** a sentence.');
});
