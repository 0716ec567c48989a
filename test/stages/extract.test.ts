import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseData } from '../../src/adapters/behaviours/read-data.js';
import { readCsv } from '../../stages/extract/csv.js';
import extract from '../../stages/extract/index.js';
import type { ExtractOptions, Metric } from '../../stages/extract/options.js';
import { numberOf } from '../../stages/extract/series.js';
import { stageContract } from './contract.js';
import { realContext } from './real-context.js';
import { plainFacts, recordingContext } from './recording-context.js';

const schema = JSON.parse(readFileSync(new URL('../../schemas/results.schema.json', import.meta.url), 'utf8'));
const fitsSchema = new Ajv({ strict: true, allowUnionTypes: true }).compile(schema);

stageContract('extract', {
  examples: [
    {
      options: { metrics: { loss: { from: 'm.json', value: 'loss' } }, to: 'results.yaml' },
      world: { files: { 'm.json': '{"loss": 0.5}' } },
    },
    {
      options: { metrics: { a: { run: 'eval', pattern: 'a=(?<a>\\d+)', value: 'a' } }, to: 'r.json' },
      world: { prints: () => ({ stdout: 'a=3\n' }) },
    },
    {
      options: { health: [{ from: 'log.jsonl', step: 'step' }] },
      world: { files: { 'log.jsonl': '{"step": 1}\n' } },
    },
  ],
  refused: [
    { metrics: {} },
    { metrics: { loss: { from: 'a.json' } }, to: 'x' },
    { metrics: { loss: { from: 'a.json', value: 'x', pick: 'median' } }, to: 'x' },
    { metrics: { loss: 'a.json' }, to: 'x' },
    { health: [] },
    { metrics: { loss: { from: 'a.json', value: 'x', window: 0 } }, to: 'x' },
    { metrics: { loss: { from: 'a.json', value: 'x' } }, to: 'x', missing: 'zero' },
  ],
});

type Files = Record<string, string>;

const run = async (given: Partial<ExtractOptions>, files: Files = {}) => {
  const context = realContext(files);
  const result = await extract.run(
    { ...(given.metrics ? { to: 'results.json' } : {}), ...given } as ExtractOptions,
    context,
  );
  return { result, context, lines: !result.ok && 'lines' in result.failure ? result.failure.lines : [] };
};

const leftOut =
  'where a NaN may have been left out: choose the records with where, or say sparse: true if not every one tells of it';

/** Sparse or not. */
const twice = (text: string): [string, string] => [text, text];

/** The number, or why there is none. */
const one = async (metric: Metric, files: Files = {}) => {
  const { result, lines } = await run({ metrics: { m: metric } }, files);
  return result.ok ? result.metrics!.m : lines.join('; ').replace(/^m: /, '');
};

// Shapes that real programs write.
const hfState = JSON.stringify({
  best_metric: null,
  global_step: 30,
  log_history: [
    { epoch: 0.1, grad_norm: 3.1, learning_rate: 4.9e-5, loss: 2.61, step: 10 },
    { epoch: 0.2, grad_norm: 2.2, learning_rate: 4.8e-5, loss: 2.05, step: 20 },
    { epoch: 0.2, eval_loss: 2.11, eval_runtime: 3.2, step: 20 },
    { epoch: 0.3, grad_norm: 2.0, learning_rate: 4.7e-5, loss: 1.83, step: 30 },
    { epoch: 0.3, eval_loss: 1.95, eval_runtime: 3.3, step: 30 },
    { epoch: 0.3, train_loss: 2.163, train_runtime: 60.5, step: 30 },
  ],
});
const hfStdout = `  0%|          | 0/30 [00:00<?, ?it/s]
{'loss': 2.61, 'grad_norm': 3.1, 'learning_rate': 4.9e-05, 'epoch': 0.1}
{'loss': 2.05, 'grad_norm': 2.2, 'learning_rate': 4.8e-05, 'epoch': 0.2}
{'eval_loss': 2.11, 'eval_runtime': 3.2, 'epoch': 0.2}
`;
const nanoGpt = `step 0: train loss 4.2874, val loss 4.2823
iter 0: loss 4.2654, time 25443.22ms, mfu -100.00%
iter 10: loss 3.2431, time 27.43ms, mfu 13.59%
step 250: train loss 1.9681, val loss 2.0703
iter 250: loss 2.0411, time 4223.66ms, mfu 12.24%
`;
const iter = '^iter (?<iter>\\d+): loss (?<loss>\\S+), time (?<ms>[\\d.]+)ms';

describe('numbers from what programs write', () => {
  const files = {
    'trainer_state.json': hfState,
    'hf.log': hfStdout,
    'gpt.log': nanoGpt,
    'log.jsonl':
      '{"step": 1, "eval/loss": 3}\n{"step": 2, "eval/loss": 1}\n\n{"step": 3, "eval/loss": 2, "split": "x"}\n',
    'm.yaml': 'test: { accuracy: 0.93, per_class: [0.9, 0.96] }',
    'wandb.csv': 'Step,"run - loss",note\n1,0.5,\n2,,"a ""b"", c"\n3,2.5e-1,\n',
    'lightning.csv': 'epoch,step,train_loss,val_loss\n0,49,0.61,\n0,49,,0.52\n1,99,0.44,\n1,99,,0.41\n',
    'rows.csv': 'split,loss\ntrain,\nval,0.5\ntrain,nan\n',
    't.tsv': 'a\tb\n1\t2\n',
  };
  test.each<[string, Metric, number]>([
    [
      'HF trainer_state.json: last',
      { from: 'trainer_state.json', at: 'log_history', value: 'eval_loss', sparse: true },
      1.95,
    ],
    [
      '… best',
      { from: 'trainer_state.json', at: 'log_history', value: 'loss', pick: 'best', better: 'lower', sparse: true },
      1.83,
    ],
    ['… a path', { from: 'trainer_state.json', value: 'global_step' }, 30],
    ['HF stdout', { from: 'hf.log', pattern: "'loss': (?<loss>[\\d.e-]+)", value: 'loss' }, 2.05],
    ['nanoGPT: last', { from: 'gpt.log', pattern: iter, value: 'loss', step: 'iter' }, 2.0411],
    ['nanoGPT: validation', { from: 'gpt.log', pattern: 'val loss (?<v>\\S+)', value: 'v', pick: 'min' }, 2.0703],
    ['nanoGPT: mean time', { from: 'gpt.log', pattern: iter, value: 'ms', pick: 'mean', window: 2 }, 2125.545],
    ['JSONL: last', { from: 'log.jsonl', value: 'eval/loss' }, 2],
    ['JSONL: best', { from: 'log.jsonl', value: 'eval/loss', pick: 'best', better: 'higher' }, 3],
    ['JSONL: some records', { from: 'log.jsonl', value: 'eval/loss', where: { split: 'x' } }, 2],
    ['JSONL: mean', { from: 'log.jsonl', value: 'eval/loss', pick: 'mean' }, 2],
    ['JSONL: sum', { from: 'log.jsonl', value: 'eval/loss', pick: 'sum' }, 6],
    ['JSONL: count', { from: 'log.jsonl', value: 'eval/loss', pick: 'count' }, 3],
    ['JSONL: first', { from: 'log.jsonl', value: 'eval/loss', pick: 'first' }, 3],
    ['YAML', { from: 'm.yaml', value: 'test.accuracy' }, 0.93],
    ['YAML: in a list', { from: 'm.yaml', value: 'test.per_class.1' }, 0.96],
    ['CSV of W&B', { from: 'wandb.csv', value: 'run - loss', step: 'Step', sparse: true }, 0.25],
    ['CSV of Lightning', { from: 'lightning.csv', value: 'val_loss', step: 'step', sparse: true }, 0.41],
    ['… of which some rows are chosen', { from: 'rows.csv', value: 'loss', where: { split: 'val' } }, 0.5],
    ['TSV', { from: 't.tsv', value: 'b' }, 2],
    ['a command', { run: 'echo "acc: 91.5 %"', pattern: 'acc: (?<acc>[\\d.]+)', value: 'acc' }, 91.5],
    ['a command that prints JSON', { run: 'echo "{\\"a\\": 1}"', format: 'json', value: 'a' }, 1],
  ])('%s', async (_name, metric, value) => {
    expect(await one(metric, files)).toBeCloseTo(value, 10);
  });

  test('a gradient that was NaN once, as Python writes it, does not hide a loss that never was', async () => {
    const log = '{"loss": 2, "grad_norm": NaN, "note": "NaN \\" Infinity"}\n{"loss": 1.5, "grad_norm": 0.1}\n';
    expect(await one({ from: 'l.jsonl', value: 'loss' }, { 'l.jsonl': log })).toBe(1.5);
    const state = `{"log_history": [${log.trim().replace('\n', ', ')}]}`;
    const metric = { from: 's.json', at: 'log_history', value: 'loss' };
    expect(await one(metric, { 's.json': state })).toBe(1.5);
    expect(await one({ ...metric, value: 'grad_norm' }, { 's.json': state })).toBe(
      'grad_norm is "NaN" in s.json, record 1, not a finite number (s.json)',
    );
  });

  test('a training that was resumed: the last word about a step holds, and the highest step is the last', async () => {
    const log =
      '{"step": 1, "loss": 9}\n{"step": 3, "loss": 5}\n{"step": 2, "loss": 7}\n{"step": 3, "loss": 4}\n{"step": 2, "loss": 6}\n';
    const metric = { from: 'l.jsonl', value: 'loss', step: 'step' } as const;
    expect(await one(metric, { 'l.jsonl': log })).toBe(4);
    expect(await one({ ...metric, pick: 'sum' }, { 'l.jsonl': log })).toBe(9 + 6 + 4);
  });
});

describe('what cannot be believed is a failure', () => {
  const files = {
    'nan.csv': 'loss\n1\nnan\n',
    'inf.log': 'loss=1.0\nloss=inf\n',
    'nan.jsonl': '{"loss": 1}\n{"loss": NaN}\n',
    'inf.json': '{"loss": -Infinity}',
    'word.jsonl': '{"loss": nan}\n',
    'torn.jsonl': '{"loss": 1}\n{"loss": 2',
    'list.jsonl': '[1]\n',
    'text.json': '{"loss": "0.5 (best)"}',
    'two.json': '[{"loss": 1}, {"loss": 2}]',
    'bool.json': '{"loss": true}',
    'null.json': '{"loss": null}',
    // What JSON.stringify makes of NaN: the number before it is not the last one.
    'null.jsonl': '{"loss": 1}\n{"loss": null}\n',
    'empty.json': '',
    'ragged.csv': 'a,b\n1\n',
    'twice.csv': 'a,a\n1,2\n',
    'quote.csv': 'a\n"1\n',
    'steps.csv': 'step,loss\nx,1\n',
    'ok.jsonl': '{"loss": 1}\n',
  };
  const last = (from: string): Metric => ({ from, value: 'loss' });
  test.each<[Metric, string]>([
    [last('nowhere.json'), 'nowhere.json is missing'],
    [last('empty.json'), 'empty.json is empty'],
    [last('null.json'), 'loss is null in null.json, not a finite number (null.json)'],
    [last('null.jsonl'), 'loss is null in null.jsonl:2, not a finite number (null.jsonl)'],
    [{ ...last('ok.jsonl'), value: 'los' }, 'los is missing: there is loss (ok.jsonl)'],
    [last('nan.csv'), 'loss is "nan" in nan.csv:3, not a finite number (nan.csv)'],
    [
      { from: 'inf.log', pattern: 'loss=(?<loss>\\S+)', value: 'loss', pick: 'first' },
      'loss is "inf" in inf.log:2, not a finite number (inf.log)',
    ],
    [last('nan.jsonl'), 'loss is "NaN" in nan.jsonl:2, not a finite number (nan.jsonl)'],
    [last('inf.json'), 'loss is "-Infinity" in inf.json, not a finite number (inf.json)'],
    [last('word.jsonl'), 'word.jsonl: line 1 is not JSON: {"loss": nan}'],
    [last('torn.jsonl'), 'torn.jsonl: line 2 is not JSON: {"loss": 2'],
    [last('list.jsonl'), 'list.jsonl: line 1 is not a JSON object'],
    [last('text.json'), 'loss is "0.5 (best)" in text.json, not a finite number (text.json)'],
    [last('bool.json'), 'loss is true in bool.json, not a finite number (bool.json)'],
    [last('two.json'), 'loss is there 2 times: say which with pick (two.json)'],
    [{ ...last('two.json'), at: 'history' }, 'two.json: it has no history'],
    [{ ...last('ok.jsonl'), pick: 'mean', window: 5 }, 'loss has 1 values, and 5 are asked for (ok.jsonl)'],
    [{ from: 'ragged.csv', value: 'a' }, 'ragged.csv: line 2 has 1 cells, and there are 2 columns'],
    [{ from: 'twice.csv', value: 'a' }, 'twice.csv: two columns are called "a"'],
    [{ from: 'quote.csv', value: 'a' }, 'quote.csv: a quote that begins in line 2 is never closed'],
    [{ ...last('steps.csv'), step: 'step' }, 'step is "x" in steps.csv:2, not a finite number (steps.csv)'],
    [{ ...last('ok.jsonl'), step: 'step' }, 'step is missing in ok.jsonl:1, not a finite number (ok.jsonl)'],
    [{ ...last('ok.jsonl'), where: { split: 'eval' } }, 'loss is missing (ok.jsonl)'],
    [{ from: 'inf.log', pattern: 'lossy=(?<loss>\\S+)', value: 'loss' }, 'loss is missing (inf.log)'],
  ])('%j: %s', async (metric, why) => {
    expect(await one(metric, files)).toBe(why);
  });

  // A diverged last step must not make an earlier one count, whichever way its number is not there.
  const why = leftOut;
  const holes = {
    // As pandas writes NaN.
    'pandas.csv': 'step,loss\n1,0.9\n2,0.8\n3,\n',
    'quoted.csv': 'step,loss\n1,0.9\n2,""\n',
    // As Python's csv writes an empty cell where there is no other.
    'single.csv': 'loss\n0.9\n""\n',
    'gap.csv': 'loss\n0.8\n\n0.9\n\n',
    'blank.csv': 'step,loss\n1,0.9\n2, \n',
    'pandas.tsv': 'step\tloss\n1\t0.9\n2\t\n',
    'dropped.jsonl': '{"step": 1, "loss": 0.9}\n{"step": 2}\n',
    'empty.jsonl': '{"loss": 0.9}\n{"loss": ""}\n',
    'null.jsonl': '{"loss": 0.9}\n{"loss": null}\n',
    'text.jsonl': '{"loss": 0.9}\n{"loss": "NaN"}\n',
    'none.csv': 'loss\n\n"" \n',
    'list.json': '{"log": [{"loss": 0.9}, {"lr": 1}]}',
    'list.yaml': 'log:\n  - loss: 0.9\n  - loss: .nan\n',
    'bare.yaml': 'log:\n  - loss: 0.9\n  - loss:\n',
    'opt.log': 'step 1 loss 0.9\nstep 2\n',
  };
  const loss = (from: string): Metric => ({ from, value: 'loss' });
  const optional = { ...loss('opt.log'), pattern: 'step \\d+(?: loss (?<loss>\\S+))?' };
  test.each<[Metric, string, string | number]>([
    [loss('pandas.csv'), `loss is empty in pandas.csv:4, ${why} (pandas.csv)`, 0.8],
    [{ ...loss('pandas.csv'), step: 'step' }, `loss is empty in pandas.csv:4, ${why} (pandas.csv)`, 0.8],
    [{ ...loss('pandas.csv'), pick: 'mean' }, `loss is empty in pandas.csv:4, ${why} (pandas.csv)`, 0.85],
    [loss('single.csv'), `loss is empty in single.csv:3, ${why} (single.csv)`, 0.9],
    [loss('gap.csv'), `loss is empty in gap.csv:3, ${why} (gap.csv)`, 0.9],
    [loss('quoted.csv'), `loss is empty in quoted.csv:3, ${why} (quoted.csv)`, 0.9],
    [loss('blank.csv'), `loss is empty in blank.csv:3, ${why} (blank.csv)`, 0.9],
    [loss('pandas.tsv'), `loss is empty in pandas.tsv:3, ${why} (pandas.tsv)`, 0.9],
    [loss('dropped.jsonl'), `loss is missing in dropped.jsonl:2, ${why} (dropped.jsonl)`, 0.9],
    [loss('empty.jsonl'), `loss is empty in empty.jsonl:2, ${why} (empty.jsonl)`, 0.9],
    [{ ...loss('list.json'), at: 'log' }, `loss is missing in list.json, record 2, ${why} (list.json)`, 0.9],
    [optional, `loss is missing in opt.log:2, ${why} (opt.log)`, 0.9],
    // No log is so sparse that these could be meant by it.
    [loss('null.jsonl'), ...twice('loss is null in null.jsonl:2, not a finite number (null.jsonl)')],
    [loss('text.jsonl'), ...twice('loss is "NaN" in text.jsonl:2, not a finite number (text.jsonl)')],
    [
      { ...loss('bare.yaml'), at: 'log' },
      ...twice('loss is null in bare.yaml, record 2, not a finite number (bare.yaml)'),
    ],
    [{ ...loss('list.yaml'), at: 'log' }, ...twice(expect.stringContaining('list.yaml: '))],
    [loss('none.csv'), `loss is empty in none.csv:2, ${why} (none.csv)`, 'loss is missing (none.csv)'],
  ])('a record without its number: %j', async (metric, strict, sparse) => {
    expect(await one(metric, holes)).toEqual(strict);
    const found = await one({ ...metric, sparse: true }, holes);
    expect(found).toEqual(typeof sparse === 'number' ? expect.closeTo(sparse, 10) : sparse);
  });

  // Expressions as people write them, for the numbers that they saw.
  const digits = 'loss (?<loss>[\\d.]+)';
  test.each<[string, string, string | number]>([
    [digits, 'loss 0.9\nloss nan\n', 'loss is "nan" in l.log:2, not a finite number (l.log)'],
    [digits, 'loss -inf\nloss 0.9\n', 'loss is "-inf" in l.log:1, not a finite number (l.log)'],
    [digits, 'loss 0.9\nloss None\n', 'loss is "None" in l.log:2, not a finite number (l.log)'],
    [digits, 'loss 0.9\nloss information is elsewhere\nloss nano\n', 0.9],
    [
      'train (?<t>[\\d.]+), loss (?<loss>[\\d.]+)',
      'train 1.0, loss 0.9\ntrain nan, loss NaN\n',
      'loss is "NaN" in l.log:2, not a finite number (l.log)',
    ],
    [
      digits,
      'loss 0.9\nloss -0.1\n',
      'loss is -0.1 in l.log:2, which the pattern passes over: let the group take a minus (l.log)',
    ],
    ['rank (?<rank>0): loss (?<loss>\\S+)', 'rank 0: loss 0.9\nrank -1: loss 0.1\n', 0.9],
    // The number is there, and something else is not: what the pattern passes over is then no loss.
    ['train (?<t>[\\d.]+), loss (?<loss>[\\d.]+)', 'train 1.0, loss 0.9\ntrain nan, loss 0.1\n', 0.9],
    [
      digits,
      'loss 0.9\nloss 3.2e-05\n',
      'loss is "3.2" in l.log:2, which is only a part of "3.2e-05": let the group take all of it (l.log)',
    ],
    [
      'loss.*(?<loss>\\d+\\.\\d+)',
      'loss 12.34\n',
      'loss is "2.34" in l.log:1, which is only a part of "12.34": let the group take all of it (l.log)',
    ],
    [
      'loss (?<loss>\\d+)',
      'loss 12.34\n',
      'loss is "12" in l.log:1, which is only a part of "12.34": let the group take all of it (l.log)',
    ],
    [
      'loss\\D*(?<loss>[\\d.]+)',
      'loss: -0.5\n',
      'loss is "0.5" in l.log:1, which is only a part of "-0.5": let the group take all of it (l.log)',
    ],
    ['loss\\D*(?<loss>[\\d.]+)', 'loss-0.5 (run-1, 2024-05), 3.\n', 0.5],
    ['(?<loss>[\\d.]+)%', '5%|#| 3/60, 12-91.5%\n', 91.5],
    ['loss (?<loss>[+-]?[\\d.]+(?:e[+-]?\\d+)?)', 'loss -3.2e-05\n', -3.2e-5],
    [
      '[(]loss[)] (?<loss>[\\d.]+)\\)',
      '(loss) 0.9)\n(loss) nan)\n',
      'loss is "nan" in l.log:2, not a finite number (l.log)',
    ],
  ])('%s in %j', async (pattern, text, expected) => {
    expect(await one({ from: 'l.log', pattern, value: 'loss' }, { 'l.log': text })).toBe(expected);
    const where = { split: 'val' };
    const chosen = await one(
      { from: 'l.log', pattern: `(?<split>train|val) ${digits}`, value: 'loss', where },
      { 'l.log': 'val loss 0.9\ntrain loss nan\nnan loss nan\n' },
    );
    expect(chosen).toBe(0.9);
  });

  test('a file that was there before the run', async () => {
    const context = recordingContext({ files: { 'm.json': '{"loss": 0.5}' }, older: ['m.json'] });
    const result = await extract.run({ metrics: { loss: last('m.json') }, to: 'r.yaml' }, context);
    expect(result).toMatchObject({
      failure: {
        lines: [
          'loss: m.json is older than the run: it was there before, and no task has written it as one of its outputs',
        ],
      },
    });
    expect(context.effects.filter(({ kind }) => kind === 'write')).toEqual([]);
  });

  test('a file of another run', async () => {
    const given = { metrics: { loss: last('m.json') }, must: { seed: 11, arm: 'cosine' } };
    const good = await run(given, { 'm.json': '{"loss": 1, "seed": 11, "arm": "cosine"}' });
    expect(good.result).toMatchObject({ ok: true });
    const other = await run(given, { 'm.json': '{"loss": 1, "seed": 12, "arm": "cosine"}' });
    expect(other.lines).toEqual(['loss: it is of another run: seed is 12, not 11 (m.json)']);
    const silent = await run(given, { 'm.json': '{"loss": 1, "seed": 11}' });
    expect(silent.lines).toEqual(['loss: nothing in it says arm, which must be "cosine" (m.json)']);
  });

  test('a log in which two runs have written', async () => {
    const log = '{"run": "a"}\n{"loss": 1}\n{"run": "b"}\n{"loss": 2}\n';
    const { lines } = await run({ metrics: { loss: last('l.jsonl') }, must: { run: 'a' } }, { 'l.jsonl': log });
    expect(lines).toEqual(['loss: it is of another run: run is "b", not "a" (l.jsonl)']);
  });

  test('all of them at once', async () => {
    const { lines } = await run(
      { metrics: { a: last('nowhere.json'), b: last('nan.csv'), c: last('ok.jsonl') } },
      files,
    );
    expect(lines).toEqual([
      'a: nowhere.json is missing',
      'b: loss is "nan" in nan.csv:3, not a finite number (nan.csv)',
    ]);
  });
});

describe('many runs', () => {
  const each = { arm: ['constant', 'cosine'], seed: [1, 2] };
  const metrics = { loss: { from: 'runs/{arm}-{seed}/m.json', value: 'loss' } };
  const must = { arm: '{arm}', seed: '{seed}' };
  const file = (arm: string, seed: number, loss: number) => JSON.stringify({ arm, seed, loss });
  const files = {
    'runs/constant-1/m.json': file('constant', 1, 0.5),
    'runs/constant-2/m.json': file('constant', 2, 0.6),
    'runs/cosine-1/m.json': file('cosine', 1, 0.4),
    'runs/cosine-2/m.json': file('cosine', 2, 1e-7),
  };

  test.each(['results.yaml', 'results.json'])('are collected into one table: %s', async (to) => {
    const { result, context } = await run({ metrics, each, must, to }, files);
    expect(result).toMatchObject({
      ok: true,
      summary: '4 of 4 runs read',
      metrics: { 'loss[arm=constant,seed=1]': 0.5, 'loss[arm=cosine,seed=2]': 1e-7 },
    });
    const text = readFileSync(join(context.dir, to), 'utf8');
    const read = await parseData(text, to.endsWith('.json') ? 'json' : 'yaml');
    expect(read).toMatchObject({
      ok: true,
      value: { runs: [{ arm: 'constant', seed: 1, metrics: { loss: 0.5 } }, {}, {}, {}] },
    });
    expect(fitsSchema(read.ok && read.value), JSON.stringify(fitsSchema.errors)).toBe(true);
    if (to === 'results.yaml')
      expect(text.split('\n').slice(0, 5)).toEqual([
        'runs:',
        '  - arm: "constant"',
        '    seed: 1',
        '    metrics:',
        '      loss: 0.5',
      ]);
  });

  test('a copy of one seed under the name of another is found out', async () => {
    const { lines } = await run(
      { metrics, each, must },
      { ...files, 'runs/cosine-2/m.json': files['runs/cosine-1/m.json'] },
    );
    expect(lines).toEqual(['arm=cosine,seed=2: loss: it is of another run: seed is 1, not 2 (runs/cosine-2/m.json)']);
  });

  test('a failed run is missing data: a failure, or recorded as such, and never a number', async () => {
    const { 'runs/cosine-2/m.json': _, ...rest } = files;
    const strict = await run({ metrics, each }, rest);
    expect(strict.lines).toEqual(['arm=cosine,seed=2: loss: runs/cosine-2/m.json is missing']);
    const { result, context } = await run({ metrics, each, missing: 'record' }, rest);
    expect(result).toMatchObject({ ok: true, summary: '3 of 4 runs read' });
    const table = JSON.parse(readFileSync(join(context.dir, 'results.json'), 'utf8'));
    expect(table.runs[3]).toEqual({ arm: 'cosine', seed: 2, missing: 'runs/cosine-2/m.json is missing' });
    expect(fitsSchema(table)).toBe(true);
    const none = await run({ metrics, each, missing: 'record' }, {});
    expect(none.lines).toEqual(['every run is missing']);
  });

  test('a log of one seed under the name of another is found out by its bytes', async () => {
    const logs = { loss: { from: 'runs/{arm}-{seed}/log.jsonl', value: 'loss' } };
    const log = (by: number) => [1, 2, 3].map((step) => `{"step": ${step}, "loss": ${by / step + 0.01}}\n`).join('');
    const written = {
      'runs/constant-1/log.jsonl': log(1),
      'runs/constant-2/log.jsonl': log(1.1),
      'runs/cosine-1/log.jsonl': log(0.9),
      'runs/cosine-2/log.jsonl': log(0.8),
    };
    expect((await run({ metrics: logs, each }, written)).result).toMatchObject({ ok: true });
    const copied = { ...written, 'runs/cosine-2/log.jsonl': log(0.9), 'runs/constant-2/log.jsonl': log(1) };
    expect((await run({ metrics: logs, each }, copied)).lines).toEqual([
      'arm=constant,seed=2: runs/constant-2/log.jsonl is runs/constant-1/log.jsonl, byte for byte: a copy, or what differs between the runs has no effect (copies: allow, if that is how it should be)',
      'arm=cosine,seed=2: runs/cosine-2/log.jsonl is runs/cosine-1/log.jsonl, byte for byte: a copy, or what differs between the runs has no effect (copies: allow, if that is how it should be)',
    ]);
    expect((await run({ metrics: logs, each, copies: 'allow' }, copied)).result).toMatchObject({ ok: true });
    // An accuracy on few samples is often the same, and one file may tell of all runs.
    const alike = Object.fromEntries(Object.keys(files).map((path) => [path, '{"loss": 0.9, "best": 0.95}']));
    expect((await run({ metrics, each }, alike)).result).toMatchObject({ ok: true });
    const rows = each.arm.flatMap((arm) => each.seed.map((seed) => `${arm},${seed},0.${seed}5\n`));
    const table = { from: 'all.csv', value: 'loss', where: { arm: '{arm}', seed: '{seed}' } };
    const one = await run(
      { metrics: { loss: table }, each },
      { 'all.csv': `arm,seed,loss\n${rows.join('')}0,0,0.77\n` },
    );
    expect(one.result).toMatchObject({ ok: true, metrics: { 'loss[arm=cosine,seed=2]': 0.25 } });
  });

  test('a log that was copied is found out when it looks different, or calls itself another seed', async () => {
    const logs = { loss: { from: 'runs/{arm}-{seed}/log.jsonl', value: 'loss' } };
    const log = (by: number, seed = 0) =>
      [1, 2, 3].map((step) => `{"step": ${step}, "loss": ${by / step + 0.01}, "seed": ${seed}}\n`).join('');
    const own = { 'runs/constant-1/log.jsonl': log(1), 'runs/constant-2/log.jsonl': log(1.1) };
    const whole = { ...own, 'runs/cosine-1/log.jsonl': log(0.9, 1), 'runs/cosine-2/log.jsonl': log(0.8, 2) };
    const what = 'a copy, or what differs between the runs has no effect (copies: allow, if that is how it should be)';
    const written = (text: string) =>
      `arm=cosine,seed=2: runs/cosine-2/log.jsonl is runs/cosine-1/log.jsonl, written differently: ${text}`;
    const numbers = `arm=cosine,seed=2: its numbers are those of arm=cosine,seed=1, one by one: ${what}`;
    const copies: [string, string][] = [
      [log(0.9, 1).replaceAll(': ', ':   '), written(what)],
      [log(0.9, 1).replaceAll('}', ' }').replaceAll('0.91', '9.1e-1'), written(what)],
      [log(0.9, 1).split('\n').toReversed().join('\n').trimStart(), written(what)],
      [log(0.9, 1).replaceAll(/("step": .), ("loss": [^,]*)/g, '$2, $1'), written(what)],
      [log(0.9, 2), numbers],
      [log(0.9, 2).replaceAll('}', ', "note": "mine"}'), numbers],
    ];
    for (const [text, line] of copies) {
      const files = { ...whole, 'runs/cosine-2/log.jsonl': text };
      expect((await run({ metrics: logs, each }, files)).lines).toEqual([line]);
      expect((await run({ metrics: logs, each, copies: 'allow' }, files)).result).toMatchObject({ ok: true });
    }
    // That a change has no effect is for the comparison to say, and one more decimal is another number.
    const same = { ...whole, 'runs/cosine-1/log.jsonl': log(1, 1), 'runs/cosine-2/log.jsonl': log(1.1, 2) };
    expect((await run({ metrics: logs, each }, same)).result).toMatchObject({ ok: true });
    const near = { ...whole, 'runs/cosine-2/log.jsonl': log(0.9, 2).replace('0.91', '0.9101') };
    expect((await run({ metrics: logs, each }, near)).result).toMatchObject({ ok: true });
    // As records of one file.
    const rows = (seed: number, by: number) =>
      [1, 2, 3].map((step) => `${seed},${step},${by / step + 0.01}\n`).join('');
    const table = { from: 'all.csv', value: 'loss', where: { seed: '{seed}' } };
    const one = await run(
      { metrics: { loss: table }, each: { seed: [1, 2] } },
      { 'all.csv': `seed,step,loss\n${rows(1, 0.9)}${rows(2, 0.9)}` },
    );
    expect(one.lines).toEqual([`seed=2: its numbers are those of seed=1, one by one: ${what}`]);
  });

  test('NaN of one run is no missing data', async () => {
    const broken = { ...files, 'runs/cosine-2/m.json': '{"loss": NaN}' };
    expect((await run({ metrics, each, missing: 'record' }, broken)).result).toMatchObject({ ok: false });
  });
});

describe('health of a log that grows', () => {
  const log = (losses: readonly (number | string)[], more = '') =>
    losses.map((loss, step) => `{"step": ${step + 1}, "loss": ${loss}, "time": 0.5, "reward": 1}\n`).join('') + more;
  const health = { from: 'l.jsonl', step: 'step', loss: 'loss', stepTime: 'time', maxStepTime: 2, reward: 'reward' };
  const look = async (text: string, changes: object = {}) => {
    const { result } = await run({ health: [{ ...health, ...changes }] }, text === '' ? {} : { 'l.jsonl': text });
    return (result.tests ?? []).flatMap(({ name, status, detail }) =>
      status === 'passed' ? [] : [`${name} ${detail}`],
    );
  };

  test('healthy, also while the last line is being written', async () => {
    expect(await look(log([4, 3, 2, 2.5, 1.5], '{"step": 6, "lo'))).toEqual([]);
    const { result } = await run({ health: [health] }, { 'l.jsonl': log([4, 3, 2]) });
    expect(result).toMatchObject({ ok: true, summary: '5 signs of health' });
    expect(result.tests!.map(({ name }) => name)).toEqual([
      'l.jsonl: first step reached',
      'l.jsonl: step time reported',
      'l.jsonl: loss finite',
      'l.jsonl: loss falling',
      'l.jsonl: reward present',
    ]);
  });

  test.each([
    ['nothing yet', '', {}, ['l.jsonl can be read l.jsonl is missing']],
    [
      'no step yet',
      '{"config": 1}\n',
      {},
      [
        'l.jsonl: first step reached 0 of 1',
        'l.jsonl: step time reported time is missing',
        'l.jsonl: loss finite loss is missing',
        'l.jsonl: loss falling loss is missing',
        'l.jsonl: reward present reward is missing',
      ],
    ],
    ['too few steps', log([4, 3, 2]), { minSteps: 5 }, ['l.jsonl: 5 steps reached 3 of 5']],
    ['a step told of twice', log([4, 3, 2]) + log([4, 3]), { minSteps: 5 }, ['l.jsonl: 5 steps reached 3 of 5']],
    ['a loss that rises', log([2, 3, 4]), {}, ['l.jsonl: loss falling it went from 2 to 4']],
    ['a loss that stays', log([2, 2, 2]), {}, ['l.jsonl: loss falling it went from 2 to 2']],
    [
      'a loss that is left out, as some loggers do with NaN',
      `${log([4, 3, 2])}{"step": 4, "time": 0.5, "reward": 1}\n`,
      {},
      [
        `l.jsonl: loss finite loss is missing in l.jsonl:4, ${leftOut}`,
        `l.jsonl: loss falling loss is missing in l.jsonl:4, ${leftOut}`,
      ],
    ],
    ['a log that tells of other things too', `{"config": 1}\n${log([4, 3, 2])}`, { sparse: true }, []],
    ['a loss that need not fall', log([2, 3, 4]), { falling: false }, []],
    ['too little to tell', log([4, 3]), {}, ['l.jsonl: loss falling 2 values are too few to tell']],
    [
      'NaN',
      log([4, 'NaN', 2]),
      {},
      [
        'l.jsonl: loss finite loss is "NaN" in l.jsonl:2, not a finite number',
        'l.jsonl: loss falling loss is "NaN" in l.jsonl:2, not a finite number',
      ],
    ],
    [
      'NaN as text',
      log([4, '"nan"', 2]),
      {},
      [
        'l.jsonl: loss finite loss is "nan" in l.jsonl:2, not a finite number',
        'l.jsonl: loss falling loss is "nan" in l.jsonl:2, not a finite number',
      ],
    ],
    [
      'slow',
      log([4, 3, 2]).replace('0.5', '9'),
      {},
      ['l.jsonl: step time reported a step took 9 in l.jsonl:1, more than 2'],
    ],
    ['no time', log([4, 3, 2]).replace('0.5', '0'), {}, ['l.jsonl: step time reported a step took 0 in l.jsonl:1']],
  ])('%s', async (_name, text, changes, expected) => {
    expect(await look(text, changes)).toEqual(expected);
  });
});

test('says what does not go together', () => {
  const problems = (given: object) => extract.describe(given as ExtractOptions, plainFacts).problems;
  expect(problems({})).toEqual(['say what to read: metrics, or health']);
  expect(
    problems({
      metrics: {
        a: { value: 'x' },
        b: { from: 'a.json', run: 'x', value: 'x' },
        c: { from: 'a.bin', value: 'x' },
        d: { from: 'a.log', value: 'x' },
        e: { from: 'a.log', pattern: 'x', value: 'x' },
        f: { from: 'a.log', pattern: '(?<y>.)', value: 'x' },
        g: { from: 'a.csv', at: 'x', value: 'x', pick: 'best' },
        h: { from: '{seed}.csv', value: 'x', better: 'lower' },
      },
      must: { seed: '{sed}' },
      each: { arm: ['a', 'a'], metrics: [1] },
    }),
  ).toEqual([
    'a: say either from, a file, or run, a command',
    'b: say either from, a file, or run, a command',
    'c: the ending of a.bin does not say what it is: state format',
    'd: text needs a pattern',
    'e: the pattern has no named group: (?<loss>…)',
    'f: the pattern has no group x',
    'g: at has no effect for csv',
    'g: say which is better: lower or higher',
    'h: there is no {seed} in each',
    'h: better has no effect without pick: best',
    'say where the results go: to',
    'a value stands twice in each',
    'each cannot have the name metrics',
    'each has arm, and every value of it reads the same: put {arm} into from, run or where',
    'each has metrics, and every value of it reads the same: put {metrics} into from, run or where',
    'must seed: there is no {sed} in each',
  ]);
});

describe('properties', () => {
  test('whatever stands in a CSV file is read as it was', () => {
    const cell = fc.string({ maxLength: 8 }).map((text) => text.replace(/\r/g, ''));
    const quote = (text: string) => `"${text.replaceAll('"', '""')}"`;
    fc.assert(
      fc.property(fc.array(fc.tuple(cell, cell), { minLength: 1, maxLength: 5 }), (rows) => {
        const text = `a,b\n${rows.map(([a, b]) => `${quote(a)},${quote(b)}\n`).join('')}`;
        const read = readCsv(text, ',');
        expect(typeof read === 'string' ? read : read.map(({ fields }) => [fields.a, fields.b])).toEqual(
          rows.map(([a, b]) => [a.trim(), b.trim()]),
        );
      }),
    );
  });

  test('a number is read as it was written, and nothing else is a number', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => numberOf(String(value)) === value),
    );
    for (const text of ['', ' ', 'nan', 'inf', '-Infinity', '1,5', '0x10', '1_000', '1e999', '12 %', 'true'])
      expect(numberOf(text), text).toBeUndefined();
  });
});
