import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { randomNumbers } from '../../stages/compare/bootstrap.js';
import compare from '../../stages/compare/index.js';
import { type Candidate, judge, type Rules } from '../../stages/compare/judge.js';
import type { CompareOptions } from '../../stages/compare/options.js';
import { armsIn } from '../../stages/compare/runs-table.js';
import { studentQuantile } from '../../stages/compare/special.js';
import { stageContract } from './contract.js';
import { realContext } from './real-context.js';
import { plainFacts } from './recording-context.js';

type Table = { [arm: string]: (number | string)[] };

/** Seeds are 1, 2, 3 …; a text is a run that is missing. */
const table = (arms: Table): string =>
  JSON.stringify({
    runs: Object.entries(arms).flatMap(([arm, values]) =>
      values.map((value, at) => ({
        arm,
        seed: at + 1,
        ...(typeof value === 'string' ? { missing: value } : { metrics: { loss: value } }),
      })),
    ),
  });

const fiveSeeds = { constant: [0.512, 0.498, 0.53, 0.505, 0.521], cosine: [0.471, 0.489, 0.48, 0.466, 0.493] };
const given = { results: 'r.json', metric: 'loss', better: 'lower', baseline: 'constant', to: 'c.json' } as const;

stageContract('compare', {
  examples: [
    { options: { ...given }, world: { files: { 'r.json': table(fiveSeeds) }, made: ['r.json'] } },
    {
      options: {
        ...given,
        report: 'c.md',
        reproduce: { reported: { from: 'b.yaml', at: 'a.loss' }, otherwise: 'flag' },
      },
      world: { files: { 'r.json': table(fiveSeeds), 'b.yaml': 'a: { loss: 0.5 }' }, made: ['r.json'] },
    },
  ],
  refused: [
    {},
    { ...given, better: 'smaller' },
    { ...given, minEffect: -1 },
    { ...given, minEffect: '5' },
    { ...given, confidence: 1 },
    { ...given, minSeeds: 1 },
    { ...given, correction: 'hope' },
    { ...given, reproduce: { reported: 1 } },
    { ...given, reproduce: { reported: 1, otherwise: 'ignore' } },
    { ...given, require: 'anything' },
  ],
});

const run = async (arms: Table, more: Partial<CompareOptions> = {}, files: Record<string, string> = {}) => {
  const context = realContext({ 'r.json': table(arms), ...files });
  const result = await compare.run({ ...given, ...more } as CompareOptions, context);
  const read = () => JSON.parse(readFileSync(join(context.dir, 'c.json'), 'utf8'));
  return { result, context, comparison: result.ok ? read() : undefined };
};

/** The verdict about the first variant, and why. */
const verdict = async (arms: Table, more: Partial<CompareOptions> = {}) => {
  const { comparison } = await run(arms, more);
  const { verdict: said, reasons } = comparison.variants[0];
  return reasons.length === 0 ? said : `${said}: ${reasons.join('; ')}`;
};

describe('the verdict', () => {
  test('a clear win is supported, a clear loss is not, noise is inconclusive', async () => {
    expect(await verdict(fiveSeeds)).toBe('supported');
    expect(await verdict(fiveSeeds, { better: 'higher' })).toBe('not supported');
    expect(await verdict({ constant: [0.5, 0.6, 0.55, 0.52, 0.58], cosine: [0.58, 0.51, 0.56, 0.6, 0.5] })).toBe(
      'inconclusive',
    );
  });

  test('says all of it in one sentence', async () => {
    const { comparison, result } = await run(fiveSeeds);
    expect(comparison.variants[0].sentence).toBe(
      '"cosine has a lower loss than constant": supported (improvement +0.0334, 95 % interval +0.013874 to +0.052926, g +1.6946, 5 seeds)',
    );
    expect(result).toMatchObject({
      ok: true,
      summary: 'cosine supported',
      metrics: { 'improvement[cosine]': expect.closeTo(0.0334, 10) },
    });
  });

  test('an improvement that is too small to matter is not supported, or not yet', async () => {
    expect(await verdict(fiveSeeds, { minEffect: 0.01 })).toBe('supported');
    expect(await verdict(fiveSeeds, { minEffect: 0.03 })).toBe('inconclusive');
    expect(await verdict(fiveSeeds, { minEffect: 0.06 })).toBe('not supported');
    expect(await verdict(fiveSeeds, { minEffect: '1%' })).toBe('supported');
    expect(await verdict(fiveSeeds, { minEffect: '12 %' })).toBe('not supported');
  });

  test('one lucky seed is not enough', async () => {
    expect(await verdict({ constant: [1, 1.01, 0.99, 1.02, 1], cosine: [0.1, 1.02, 1, 1.01, 1.01] })).toBe(
      'inconclusive',
    );
  });

  test('too few seeds decide nothing, however clear', async () => {
    const few = { constant: [0.5, 0.51, 0.52], cosine: [0.1, 0.12, 0.11] };
    expect(await verdict(few)).toBe('inconclusive: 3 seeds, and at least 5 are asked for');
    expect(await verdict(few, { minSeeds: 3 })).toBe('supported');
  });

  test('a failed run is missing data, and is never a 0 that wins', async () => {
    const failed = { ...fiveSeeds, cosine: [...fiveSeeds.cosine.slice(0, 4), 'out of memory'] };
    expect(await verdict(failed, { minSeeds: 4 })).toBe('inconclusive: 1 run is missing, and 0 may be');
    const { comparison } = await run(failed, { minSeeds: 4, maxMissing: 1 });
    expect(comparison.variants[0]).toMatchObject({
      verdict: 'supported',
      seeds: 4,
      missing: ['seed 5 of the variant: out of memory'],
      variantMean: expect.closeTo(0.4765, 10),
      baselineMean: expect.closeTo(0.51125, 10),
    });
  });

  test('seeds that only one arm was run with are missing in the other', async () => {
    const { comparison } = await run(
      { constant: fiveSeeds.constant, cosine: fiveSeeds.cosine.slice(0, 3) },
      { minSeeds: 3 },
    );
    expect(comparison.variants[0]).toMatchObject({
      verdict: 'inconclusive',
      missing: ['seed 4 of the variant: it was not run', 'seed 5 of the variant: it was not run'],
    });
  });

  test('unpaired where that is declared', async () => {
    const { comparison } = await run(
      { constant: fiveSeeds.constant, cosine: fiveSeeds.cosine.slice(0, 4) },
      { paired: false, minSeeds: 4 },
    );
    expect(comparison.variants[0]).toMatchObject({ verdict: 'supported', pairs: [], missing: [], seeds: 4 });
  });

  test('a seed without effect decides nothing: five copies of a number are one number', async () => {
    expect(await verdict({ constant: [5, 5, 5, 5, 5], cosine: [1, 1, 1, 1, 1] })).toBe(
      'inconclusive: every seed gave the same number: the seed has no effect',
    );
    expect(await verdict({ constant: [0.5, 0.6, 0.7, 0.8, 0.9], cosine: [0.4, 0.5, 0.6, 0.7, 0.8] })).toBe(
      'inconclusive: every seed gave the same difference: the seed has no effect',
    );
  });

  test('the same numbers, in whatever order, are no change', async () => {
    expect(await verdict({ ...fiveSeeds, cosine: [...fiveSeeds.constant].reverse() })).toBe(
      'not supported: its numbers are those of the baseline',
    );
  });
});

describe('changing only the seed is not a change', () => {
  const config = (lr: number, seed: number) => JSON.stringify({ lr, train: { SEED: seed } });
  const configs = { constant: 'a.json', cosine: 'b.json' };
  const reasons = async (a: string, b: string, more = {}) => {
    const { comparison } = await run(fiveSeeds, { configs, ...more }, { 'a.json': a, 'b.json': b });
    return [comparison.variants[0].verdict, ...comparison.variants[0].reasons];
  };

  test('however clear the numbers are', async () => {
    expect(await reasons(config(1, 1), config(1, 2))).toEqual([
      'not supported',
      'only train.SEED differs from the baseline, which is no change',
    ]);
    expect(await reasons(config(1, 1), config(1, 1))).toEqual(['not supported', 'its config is that of the baseline']);
    expect(await reasons(config(1, 1), config(2, 2))).toEqual(['supported']);
  });

  test('by other names too, and by no others', async () => {
    expect(await reasons('{"start": 1, "lr": 1}', '{"start": 2, "lr": 1}', { seedNames: ['start'] })).toEqual([
      'not supported',
      'only start differs from the baseline, which is no change',
    ]);
    expect(await reasons('{"seeded": 1}', '{"seeded": 2}', { seedNames: ['start'] })).toEqual(['supported']);
  });

  const nanoGpt = (more: string) =>
    `import time\nout_dir = 'out'\nwandb_run_name = 'gpt-' + str(time.time())\nlearning_rate = 1e-3\nlayers = [{'a': 1, 'b': 2}]\n${more}`;
  const python = { configs: { constant: 'a.py', cosine: 'b.py' } };
  const scripts = async (more: string, changes = {}) => {
    const files = { 'a.py': nanoGpt(''), 'b.py': nanoGpt(more) };
    const { comparison } = await run(fiveSeeds, { ...python, ...changes }, files);
    return [comparison.variants[0].verdict, ...comparison.variants[0].reasons];
  };

  test.each([
    [
      "out_dir = 'out-2'\nseed7b = 2",
      'only out_dir, wandb_run_name, seed7b differ from the baseline, which is no change',
    ],
    [
      "seed = {'torch': 7, 'numpy': '8b'}",
      'only wandb_run_name, seed.torch, seed.numpy differ from the baseline, which is no change',
    ],
    ['random_state = 3', 'only wandb_run_name, random_state differ from the baseline, which is no change'],
    [
      "learning_rate = 0.001\nlayers = [{'b': 2, 'a': 1}]",
      'only wandb_run_name differs from the baseline, which is no change',
    ],
  ])('nor is what a run is called, or in what order names are written: %j', async (more, why) => {
    expect(await scripts(more)).toEqual(['not supported', why]);
  });

  test('what else differs is a change, and is told', async () => {
    for (const more of [
      'learning_rate = 2e-3',
      "learning_rate = '1e-3'",
      "model = {'name': 'b'}",
      "seed_lr_scale = {'x': 1}",
    ])
      expect(await scripts(more), more).toEqual(['supported']);
    expect(await scripts("out_dir = 'x'", { labels: ['wandb_run_name'] })).toEqual(['supported']);
    const files = { 'a.json': config(1, 1), 'b.json': config(2, 2) };
    const { comparison, context } = await run(fiveSeeds, { configs, report: 'c.md' }, files);
    expect(comparison.variants[0].changed).toEqual(['lr', 'train.SEED']);
    expect(readFileSync(join(context.dir, 'c.md'), 'utf8')).toContain('It differs from constant in lr, train.SEED.');
  });

  test('a config that cannot be read fails', async () => {
    const { result } = await run(fiveSeeds, { configs }, { 'a.json': '{}', 'b.json': '[' });
    expect(result).toMatchObject({ failure: { code: 'behaviour-failed' } });
  });
});

describe('several variants', () => {
  // One of them just beats 5 %, which is what the best of twenty does by chance.
  const lucky = [0.49, 0.485, 0.524, 0.499, 0.495];
  const noise = Object.fromEntries(
    Array.from({ length: 4 }, (_, index) => {
      const random = randomNumbers(100 + index);
      return [`noise-${index}`, fiveSeeds.constant.map((value) => value + 0.04 * (random() - 0.5))];
    }),
  );

  test('what would win alone does not win among many', async () => {
    const alone = await run({ constant: fiveSeeds.constant, lucky });
    expect(alone.comparison.variants[0].verdict).toBe('supported');
    for (const correction of ['holm', 'bonferroni'] as const) {
      const { comparison } = await run({ constant: fiveSeeds.constant, lucky, ...noise }, { correction });
      expect(comparison.variants.find(({ variant }: { variant: string }) => variant === 'lucky').verdict).toBe(
        'inconclusive',
      );
    }
    const none = await run({ constant: fiveSeeds.constant, lucky, ...noise }, { correction: 'none' });
    expect(none.comparison.variants[0].verdict).toBe('supported');
  });

  test('who was tried counts, also where nobody asks about it', async () => {
    const arms = { constant: fiveSeeds.constant, lucky, ...noise };
    const { comparison, context } = await run(arms, { variants: ['lucky'], report: 'c.md' });
    expect(comparison).toMatchObject({
      tried: 5,
      notCompared: Object.keys(noise),
      variants: [{ verdict: 'inconclusive' }],
    });
    expect(readFileSync(join(context.dir, 'c.md'), 'utf8')).toContain(
      'noise-0, noise-1, noise-2, noise-3 were tried too, and not compared here',
    );
    const none = await run(arms, { variants: ['lucky'], correction: 'none' });
    expect(none.comparison.variants[0].verdict).toBe('supported');
  });

  test('Holm: the clearest has the strictest level, the next one a milder one', async () => {
    const arms = { ...fiveSeeds, better: [0.2, 0.21, 0.19, 0.2, 0.22] };
    const { comparison } = await run(arms);
    const by = Object.fromEntries(
      comparison.variants.map((one: { variant: string; confidence: number }) => [one.variant, one.confidence]),
    );
    expect(by).toEqual({ better: expect.closeTo(0.975, 10), cosine: expect.closeTo(0.95, 10) });
  });
});

const reference = JSON.parse(
  readFileSync(new URL('../fixtures/statistics/reference.json', import.meta.url), 'utf8'),
) as { corrections: { p: number[]; rejected: { holm: boolean[]; bonferroni: boolean[] } }[] };

describe('published: Holm’s step-down', () => {
  const rules: Rules = {
    ...{ better: 'higher', paired: true, minEffect: 0, confidence: 0.95, minSeeds: 3, maxMissing: 0 },
    ...{ correction: 'holm', samples: 2000, tried: 4 },
  };
  // Normal scores of ten: even, so that it is Student's interval that decides and not the bootstrap's.
  const scores = [-1.547, -1, -0.655, -0.375, -0.123, 0.123, 0.375, 0.655, 1, 1.547];
  const baseline = scores.map((_, at) => 10 + ((at * 7) % 5));
  const keyed = (values: readonly number[]) => new Map(values.map((value, at) => [String(at), value]));
  const error = Math.sqrt(scores.reduce((sum, score) => sum + score ** 2, 0) / 9 / 10);
  /** A variant whose differences have exactly this probability. */
  const variant = (name: string, p: number): Candidate => {
    const centre = studentQuantile(1 - p / 2, 9) * error;
    return { name, runs: keyed(scores.map((score, at) => baseline[at]! + centre + score)) };
  };
  const verdicts = (probabilities: readonly number[], changes: Partial<Rules> = {}) => {
    const judged = judge(
      keyed(baseline),
      probabilities.map((p, at) => variant(`${at}: p=${p}`, p)),
      { ...rules, ...changes },
    );
    for (const [at, { p }] of judged.entries()) expect(p).toBeCloseTo(probabilities[at]!, 9);
    return judged.map(({ verdict: said }) => said === 'supported');
  };

  // The four hypotheses of "Holm–Bonferroni method", Wikipedia: 0.005 and 0.01 are rejected, 0.03 stops it, 0.04 with it.
  test('0.01, 0.04, 0.03, 0.005', () => {
    expect(verdicts([0.01, 0.04, 0.03, 0.005])).toEqual([true, false, false, true]);
    expect(verdicts([0.01, 0.04, 0.03, 0.005], { correction: 'bonferroni' })).toEqual([true, false, false, true]);
    expect(verdicts([0.01, 0.04, 0.03, 0.005], { correction: 'none' })).toEqual([true, true, true, true]);
  });

  // R: p.adjust(c(0.01, 0.02, 0.03, 0.04), "holm") gives 0.04 0.06 0.06 0.06, and "bonferroni" 0.04 0.08 0.12 0.16;
  // p.adjust(c(0.012, 0.016, 0.024, 0.049), "holm") gives 0.048 0.048 0.048 0.049, where Bonferroni's finds one.
  test('as R adjusts', () => {
    expect(verdicts([0.01, 0.02, 0.03, 0.04])).toEqual([true, false, false, false]);
    expect(verdicts([0.012, 0.016, 0.024, 0.049])).toEqual([true, true, true, true]);
    expect(verdicts([0.012, 0.016, 0.024, 0.049], { correction: 'bonferroni' })).toEqual([true, false, false, false]);
  });

  // statsmodels' multipletests; the file says which version.
  test.each(reference.corrections)('as statsmodels adjusts $p', ({ p, rejected }) => {
    for (const correction of ['holm', 'bonferroni'] as const)
      expect(verdicts(p, { correction, tried: p.length })).toEqual(rejected[correction]);
  });

  test('whatever the probabilities are, those that the adjusted ones say, and no others', () => {
    const probability = fc.integer({ min: 1, max: 1000 }).map((value) => value / 10_000 + 1e-7);
    fc.assert(
      fc.property(fc.uniqueArray(probability, { minLength: 2, maxLength: 6 }), (probabilities) => {
        const sorted = [...probabilities].sort((a, b) => a - b);
        // p.adjust: cummax((n - i + 1) * p), at most 1.
        let most = 0;
        const adjusted = new Map(
          sorted.map((p, at) => {
            most = Math.max(most, (sorted.length - at) * p);
            return [p, most];
          }),
        );
        const expected = probabilities.map((p) => adjusted.get(p)! < 0.05);
        fc.pre([...adjusted.values()].every((p) => Math.abs(p - 0.05) > 1e-6));
        expect(verdicts(probabilities, { tried: probabilities.length, samples: 1000 })).toEqual(expected);
      }),
      { numRuns: 25 },
    );
  });
});

describe('the baseline', () => {
  const reproduce = (reported: number, otherwise: 'flag' | 'debug' | 'replace' | 'ask', more = {}) => ({
    reproduce: { reported, otherwise, ...more },
  });

  test('within the tolerance', async () => {
    const { comparison, context } = await run(fiveSeeds, reproduce(0.5, 'debug'));
    expect(comparison.reproduction).toMatchObject({
      reproduced: true,
      tolerance: 0.05,
      found: expect.closeTo(0.5132, 10),
    });
    expect(context.lines()[0]).toBe(
      'constant is reproduced: 0.5132 instead of the reported 0.5, 2.64 % off, 5 % allowed',
    );
  });

  test('flag: goes on and says so', async () => {
    const { result, comparison } = await run(fiveSeeds, reproduce(0.4, 'flag'));
    expect(result).toMatchObject({ ok: true, summary: 'the baseline is not reproduced, cosine supported' });
    expect(comparison.reproduction).toMatchObject({ reproduced: false, otherwise: 'flag' });
  });

  test.each(['debug', 'ask'] as const)('%s: fails, and writes no comparison', async (decision) => {
    const { result, context } = await run(fiveSeeds, reproduce(0.4, decision));
    expect(result).toEqual({
      ok: false,
      failure: {
        code: 'baseline-not-reproduced',
        arm: 'constant',
        metric: 'loss',
        reported: 0.4,
        found: expect.closeTo(0.5132, 10),
        tolerance: 0.05,
        decision,
      },
    });
    expect(context.fileFacts('c.json')).toBeUndefined();
  });

  test('replace: another arm takes its place', async () => {
    const arms = { ...fiveSeeds, linear: [0.6, 0.61, 0.58, 0.62, 0.59] };
    const { comparison } = await run(arms, reproduce(0.4, 'replace', { replacement: 'linear' }));
    expect(comparison).toMatchObject({ baseline: 'linear', variants: [{ variant: 'cosine', verdict: 'supported' }] });
  });

  test('what is left of a baseline of which most runs failed does not reproduce it', async () => {
    const arms = { ...fiveSeeds, constant: [0.5, 'oom', 'oom', 0.51, 0.5] };
    const { result } = await run(arms, reproduce(0.5, 'ask'));
    expect(result).toMatchObject({ failure: { code: 'baseline-not-reproduced', missing: 2 } });
    const flagged = await run(arms, reproduce(0.5, 'flag'));
    expect(flagged.context.lines()[0]).toBe(
      'constant is not reproduced: 0.50333 instead of the reported 0.5, 0.67 % off, 5 % allowed, and 2 of 5 runs are missing',
    );
    const allowed = await run(arms, { ...reproduce(0.5, 'ask'), maxMissing: 2, minSeeds: 3 });
    expect(allowed.comparison.reproduction).toMatchObject({ reproduced: true, runs: 5, missing: 2 });
  });

  test('a tolerance of its own; a reported number from a file', async () => {
    const files = { 'baselines.yaml': 'gpt2: { reported: { loss: 0.4 } }' };
    const wide = {
      reported: { from: 'baselines.yaml', at: 'gpt2.reported.loss' },
      tolerance: 0.3,
      otherwise: 'ask' as const,
    };
    expect((await run(fiveSeeds, { reproduce: wide }, files)).result).toMatchObject({ ok: true });
    const lost = { ...wide, reported: { from: 'baselines.yaml', at: 'gpt2.loss' } };
    expect((await run(fiveSeeds, { reproduce: lost }, files)).result).toMatchObject({
      failure: { detail: 'baselines.yaml has no number gpt2.loss' },
    });
    expect((await run(fiveSeeds, { reproduce: { ...wide, reported: 0 } }, files)).result).toMatchObject({ ok: false });
  });
});

describe('a table that cannot be believed', () => {
  const row = { arm: 'constant', seed: 1, metrics: { loss: 1 } };
  test.each([
    ['no table', '[]', ['r.json: it holds no runs']],
    ['no runs', '{"runs": []}', ['r.json: it holds no runs']],
    ['NaN', '{"runs": [{"arm": "constant", "seed": 1, "metrics": {"loss": NaN}}]}', [expect.stringContaining('NaN')]],
    ['no number', { ...row, metrics: {} }, ['r.json: run 1 has no number loss']],
    ['text for a number', { ...row, metrics: { loss: '1' } }, ['r.json: run 1 has no number loss']],
    ['no seed', { ...row, seed: undefined }, ['r.json: run 1 does not say its seed']],
    ['no arm', { ...row, arm: null }, ['r.json: run 1 does not say its arm']],
    ['an arm that nobody ran', { ...row, arm: 'cosine' }, ['r.json: there is no run of constant; there are cosine']],
  ])('%s', async (_name, text, lines) => {
    const content = typeof text === 'string' ? text : JSON.stringify({ runs: [text] });
    const { result } = await run({}, {}, { 'r.json': content });
    expect(result).toEqual({ ok: false, failure: { code: 'metrics-unusable', lines } });
  });

  test('a seed twice: nobody knows which one counts', () => {
    expect(armsIn({ runs: [row, row] }, { arm: 'arm', seed: 'seed', metric: 'loss' })).toEqual([
      'arm constant has two runs of seed 1',
    ]);
  });

  test('an arm alone', async () => {
    const { result } = await run({ constant: fiveSeeds.constant });
    expect(result).toMatchObject({ failure: { detail: 'there is no arm besides constant' } });
    const reproduce = { reported: 0.5, otherwise: 'ask' as const };
    const supported = await run({ constant: fiveSeeds.constant }, { reproduce, require: 'supported' });
    expect(supported.result).toMatchObject({ failure: { detail: 'there is no arm besides constant' } });
  });

  test('but whether a baseline is reproduced can be asked of it alone', async () => {
    const alone = { constant: fiveSeeds.constant };
    const reproduce = { reported: 0.5, otherwise: 'ask' as const };
    const { result, comparison, context } = await run(alone, { reproduce, report: 'c.md' });
    const words = 'constant is reproduced: 0.5132 instead of the reported 0.5, 2.64 % off, 5 % allowed';
    expect(result).toMatchObject({ ok: true, summary: words });
    expect(comparison).toMatchObject({ reproduction: { reproduced: true }, variants: [] });
    expect(readFileSync(join(context.dir, 'c.md'), 'utf8')).toBe(`# loss: constant\n\n${words}\n`);
    expect((await run(alone, { reproduce: { ...reproduce, reported: 0.47 } })).result).toMatchObject({
      failure: { code: 'baseline-not-reproduced', decision: 'ask' },
    });
  });
});

test('require: supported fails where it is not', async () => {
  expect((await run(fiveSeeds, { require: 'supported' })).result).toMatchObject({ ok: true });
  const { result } = await run({ ...fiveSeeds, worse: [0.6, 0.61, 0.58, 0.62, 0.59] }, { require: 'supported' });
  expect(result).toMatchObject({
    ok: false,
    failure: {
      code: 'checks-failed',
      checked: 2,
      lines: [expect.stringContaining('"worse has a lower loss than constant": not supported')],
    },
  });
});

test('the report', async () => {
  const { context } = await run(fiveSeeds, { report: 'c.md', reproduce: { reported: 0.4, otherwise: 'flag' } });
  expect(readFileSync(join(context.dir, 'c.md'), 'utf8')).toBe(`# loss: cosine against constant

constant is not reproduced: 0.5132 instead of the reported 0.4, 28.3 % off, 5 % allowed

## cosine: supported

"cosine has a lower loss than constant": supported (improvement +0.0334, 95 % interval +0.013874 to +0.052926, g +1.6946, 5 seeds)

| seed | constant | cosine | improvement |
| ---: | ---: | ---: | ---: |
| 1 | 0.512 | 0.471 | +0.041 |
| 2 | 0.498 | 0.489 | +0.009 |
| 3 | 0.53 | 0.48 | +0.05 |
| 4 | 0.505 | 0.466 | +0.039 |
| 5 | 0.521 | 0.493 | +0.028 |
| mean | 0.5132 | 0.4798 | +0.0334 |

An improvement above zero is better: a lower loss. The interval is the wider one, at either end, of Student's and of the
bias-corrected bootstrap; the whole of it decides. A run that failed is missing and is never counted as a number.
`);
});

test('says what does not go together', () => {
  const problems = (more: object) => compare.describe({ ...given, ...more } as CompareOptions, plainFacts).problems;
  expect(problems({ variants: ['constant', 'a', 'a'], report: 'c.json', seedNames: ['s'], labels: ['l'] })).toEqual([
    'constant is the baseline, and cannot be compared with itself',
    'a variant is named twice',
    'seedNames has no effect without configs',
    'labels has no effect without configs',
    'to and report are the same file',
  ]);
  expect(problems({ reproduce: { reported: 1, otherwise: 'replace' }, configs: { a: 'x', b: 'b.json' } })).toEqual([
    'say which arm takes the place of the baseline: replacement',
    'configs has no constant',
    'configs a: the ending of x does not say what it is: state format',
  ]);
  expect(problems({ reproduce: { reported: 1, otherwise: 'flag', replacement: 'constant' } })).toEqual([
    'replacement has no effect unless otherwise is replace',
    'the baseline cannot take its own place',
  ]);
});

describe('properties of the verdict', () => {
  const rules: Rules = {
    better: 'lower',
    paired: true,
    minEffect: 0,
    confidence: 0.95,
    minSeeds: 3,
    maxMissing: 0,
    correction: 'holm',
    samples: 300,
    tried: 1,
  };
  const runs = (values: readonly number[]) => new Map(values.map((value, at) => [String(at + 1), value]));
  const number = fc.integer({ min: -500, max: 500 }).map((value) => value / 100);
  const arm = fc.array(number, { minLength: 5, maxLength: 5 });
  const one = (base: readonly number[], variant: readonly number[], changes: Partial<Rules> = {}) =>
    judge(runs(base), [{ name: 'v', runs: runs(variant) }], { ...rules, ...changes })[0]!;

  test('turning direction or arms around turns the verdict around', () => {
    const opposite = { supported: 'not supported', 'not supported': 'supported', inconclusive: 'inconclusive' };
    fc.assert(
      fc.property(arm, arm, (a, b) => {
        const straight = one(a, b);
        fc.pre(straight.interval !== null);
        expect(one(b, a).verdict).toBe(opposite[straight.verdict]);
        expect(one(a, b, { better: 'higher' }).verdict).toBe(opposite[straight.verdict]);
      }),
      { numRuns: 60 },
    );
  });

  test('the unit does not matter, and the order of seeds does not either', () => {
    fc.assert(
      fc.property(arm, arm, fc.constantFrom(0.001, 7, 1000), (a, b, scale) => {
        const times = (values: readonly number[]) => values.map((value) => value * scale);
        expect(one(times(a), times(b)).verdict).toBe(one(a, b).verdict);
      }),
      { numRuns: 60 },
    );
  });

  test('a larger least effect never makes a claim easier', () => {
    fc.assert(
      fc.property(arm, arm, fc.integer({ min: 0, max: 300 }), (a, b, more) => {
        if (one(a, b, { minEffect: more / 100 }).verdict === 'supported') expect(one(a, b).verdict).toBe('supported');
      }),
      { numRuns: 60 },
    );
  });

  test('more variants never make a claim easier', () => {
    fc.assert(
      fc.property(arm, arm, arm, (a, b, c) => {
        const both = judge(
          runs(a),
          [
            { name: 'b', runs: runs(b) },
            { name: 'c', runs: runs(c) },
          ] satisfies Candidate[],
          { ...rules, tried: 2 },
        );
        if (both[0]!.verdict === 'supported') expect(one(a, b).verdict).toBe('supported');
      }),
      { numRuns: 40 },
    );
  });

  // 400 studies of two equal arms: at most about one in forty may look like a win.
  test.each([true, false])('noise seldom wins (paired: %s)', (paired) => {
    const random = randomNumbers(2024);
    const normal = () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
    const five = () => Array.from({ length: 5 }, normal);
    const wins = Array.from({ length: 400 }, () => one(five(), five(), { paired }).verdict).filter(
      (said) => said === 'supported',
    );
    expect(wins.length / 400).toBeLessThan(0.04);
  });
});
