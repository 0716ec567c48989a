import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Failure, JobEnd, JobNews, Values } from 'autoresearch';
import { describe, expect, test } from 'vitest';
import { flattened } from '../../src/values/from-data.js';
import { readCommandLine } from '../../src/values/plain-texts.js';
import { captured } from '../../stages/job/capture.js';
import { HealthWatch } from '../../stages/job/health.js';
import job from '../../stages/job/index.js';
import { stageContract } from './contract.js';
import { recordingContext } from './recording-context.js';

const facts = { id: '7', requeues: 0, runMs: 60_000, gpuHours: 0.5, followed: false, lines: ['step 1 reward=1'] };
const well: JobEnd = { ok: true, job: facts };
const failure: Failure = { code: 'command-failed', exitCode: 1 };
const failed = (lines: readonly string[], followed = false): JobEnd => ({
  ok: false,
  failure,
  job: { ...facts, lines, followed },
});

stageContract('job', {
  examples: [
    { options: { run: 'node train.mjs' } },
    { options: { run: 'node train.mjs --lr 1', capture: { to: 'runs/command', env: ['LR'] } } },
    {
      options: {
        run: ['node', 'train.mjs'],
        smoke: { steps: 5 },
        health: { firstStep: '5m', metric: 'reward' },
        tries: 2,
      },
      world: { jobEnd: () => well },
    },
  ],
  refused: [
    {},
    { run: '' },
    { run: 'x', smoke: {} },
    { run: 'x', smoke: { steps: 0 } },
    { run: 'x', health: {} },
    { run: 'x', capture: {} },
    { run: 'x', capture: { to: 'x', env: ['A B'] } },
    { run: 'x', errors: [{ match: 'x' }] },
    { run: 'x', health: { metric: [] } },
  ],
});

/** Ends of jobs in their order. */
async function play(options: Parameters<typeof job.run>[0], ends: readonly JobEnd[]) {
  const rest = [...ends];
  const context = recordingContext({ jobEnd: () => rest.shift()! });
  const result = await job.run(options, context);
  return { result, left: rest.length, effects: context.effects };
}

describe('what a job was really started with', () => {
  const used = (run: string | readonly string[], env: Record<string, string>) => {
    const dir = mkdtempSync(join(tmpdir(), 'autoresearch-capture-'));
    const [program, ...words] = captured(run, { to: 'runs/command', env: ['LR', 'UNSET'] }) as readonly string[];
    const PATH = process.env.PATH!;
    const { status, stdout } = spawnSync(program!, words, {
      env: { PATH, AUTORESEARCH_ROOT: dir, ...env },
      encoding: 'utf8',
    });
    const text = status === 98 ? '' : readFileSync(join(dir, 'runs/command'), 'utf8');
    rmSync(dir, { recursive: true });
    const read = readCommandLine(text);
    return { status, stdout, values: read.ok && flattened(read.value) };
  };

  test('is written down where it runs, as a parity check reads it', () => {
    const words = used(['sh', '-c', 'echo "$@"; exit 3', 'sh', '--lr', '0.1', '--name', 'a b'], {
      LR: '3e-4',
      KEY: 'x',
    });
    expect(words).toMatchObject({ status: 3, stdout: '--lr 0.1 --name a b\n' });
    expect(Object.fromEntries(words.values as Values)).toMatchObject({ LR: 3e-4, lr: 0.1, name: 'a b' });
    const text = used("echo --batch 8 --tag 'it is $LR' | cat", { LR: '1' });
    expect(text).toMatchObject({ status: 0, stdout: '--batch 8 --tag it is $LR\n' });
    expect(Object.fromEntries(text.values as Values)).toMatchObject({
      LR: 1,
      batch: 8,
      tag: { other: 'reference to a variable' },
    });
  });

  test('or it does not begin', () => {
    expect(used('echo began', { AUTORESEARCH_ROOT: '/proc/nowhere' })).toMatchObject({ status: 98, stdout: '' });
  });
});

describe('known errors', () => {
  test('are mended, and the job is submitted again with the reason in the record', async () => {
    const { result, effects } = await play({ run: 'x', rebuild: './build.sh' }, [
      failed(["No module named 'torch'"]),
      well,
    ]);
    expect(result).toEqual({ ok: true, summary: 'job 7 ran 60 s, 0.50 GPU-hours' });
    expect(effects.map(({ kind }) => kind)).toEqual(['job', 'log', 'command', 'log', 'job']);
    expect(effects[2]).toEqual({ kind: 'command', run: './build.sh' });
    expect(effects[4]).toMatchObject({
      wish: { because: { diagnosis: 'a module is missing: the image is stale', fix: 'ran ./build.sh' } },
    });
  });

  test.each([
    ['env "Foo-v0" is not registered'],
    ['1 validation error\nextra inputs are not permitted'],
    ["ModuleNotFoundError: No module named 'vllm'"],
  ])('%j: the image is built anew', async (line) => {
    const { effects } = await play({ run: 'x', rebuild: 'build' }, [failed([line]), well]);
    expect(effects).toContainEqual({ kind: 'command', run: 'build' });
  });

  test('out of memory changes what was declared, for all that follows', async () => {
    const { effects } = await play({ run: 'x', smaller: { BATCH: '4' }, smoke: { steps: 5 } }, [
      failed(['CUDA out of memory']),
      well,
      well,
    ]);
    const jobs = effects.flatMap((effect) =>
      effect.kind === 'job' ? [{ ...effect.wish.set, ...effect.wish.env }] : [],
    );
    const smoke = { AUTORESEARCH_SMOKE: '1', AUTORESEARCH_STEPS: '5' };
    expect(jobs).toEqual([smoke, { ...smoke, BATCH: '4' }, { BATCH: '4' }]);
    expect(effects).toContainEqual({ kind: 'change', set: { BATCH: '4' } });
  });

  test('what was changed for another arm is changed here too, also after a job that ended well', async () => {
    let held = {};
    const looks: (string | undefined)[] = [];
    const context = recordingContext({
      held: () => held,
      jobEnd: ({ look }) => {
        looks.push(look!({ state: 'running', runningMs: 1, lines: () => [] }));
        held = { BATCH: '4' };
        looks.push(look!({ state: 'running', runningMs: 2, lines: () => [] }));
        return well;
      },
    });
    expect(await job.run({ run: 'x' }, context)).toMatchObject({ ok: true });
    // The first one is ended as soon as it is known, the second one has what holds.
    expect(looks).toEqual([undefined, 'another arm was changed to BATCH=4', undefined, undefined]);
    const wishes = context.effects.flatMap((effect) => (effect.kind === 'job' ? [effect.wish] : []));
    expect(wishes.map(({ set }) => set)).toEqual([{}, { BATCH: '4' }]);
    expect(wishes[1]!.because).toEqual({
      errorClass: 'job:parity',
      diagnosis: 'another arm was changed',
      fix: 'set BATCH=4',
    });
  });

  test('a sidecar is waited for', async () => {
    const { effects } = await play({ run: 'x' }, [failed(['dial tcp: Connection refused']), well]);
    expect(effects).toContainEqual({ kind: 'command', run: ['sleep', '120'] });
  });

  test('have three tries each, and those that nobody mends have one', async () => {
    const refused = failed(['connection refused']);
    expect(await play({ run: 'x' }, [refused, refused, refused, well])).toMatchObject({
      result: { ok: false, failure },
      left: 1,
    });
    expect(await play({ run: 'x' }, [failed(['CUDA out of memory']), well])).toMatchObject({
      result: { ok: false },
      left: 1,
    });
    expect(await play({ run: 'x' }, [failed(['something else']), well])).toMatchObject({
      result: { ok: false },
      left: 1,
    });
  });

  test('are not mended twice when an earlier runner had come further', async () => {
    const { effects } = await play({ run: 'x', rebuild: 'build' }, [failed(['No module named x'], true), well]);
    expect(effects.filter(({ kind }) => kind === 'command')).toEqual([]);
  });

  test('of the study come first', async () => {
    const errors = [{ match: 'No module named secret', diagnose: 'no licence', fix: { set: { LICENCE: 'x' } } }];
    const { effects } = await play({ run: 'x', errors, rebuild: 'build' }, [failed(['No module named secret']), well]);
    expect(effects).toContainEqual({ kind: 'log', line: 'diagnosis: no licence' });
    expect(job.describe({ run: 'x', errors: [{ match: '(', diagnose: 'd' }] }, {} as never).problems).toEqual([
      '"(" is no regular expression: Invalid regular expression: /(/im: Unterminated group',
    ]);
  });
});

test('the large one is not submitted after a smoke test that was not healthy', async () => {
  const sick: JobEnd = { ok: true, job: { ...facts, lines: ['step 1 loss=nan'] } };
  const { result, left } = await play({ run: 'x', smoke: { steps: 5 }, health: { metric: 'loss' } }, [sick, well]);
  expect(result).toEqual({
    ok: false,
    failure: { code: 'behaviour-failed', detail: 'the job was not healthy: it is no number any more: step 1 loss=nan' },
  });
  expect(left).toBe(1);
});

describe('health', () => {
  const news = (runningMs: number, ...lines: string[]): JobNews => ({
    state: 'running',
    runningMs,
    lines: () => lines,
  });

  test('wants a first step in time, and further ones', () => {
    const watch = new HealthWatch({ firstStep: '1m', stepTime: '10s' });
    expect(watch.look(news(60_000))).toBeUndefined();
    expect(new HealthWatch({ firstStep: '1m' }).look(news(60_001))).toBe('no step was seen within 1m');
    expect(watch.look(news(61_000, 'Step: 1'))).toBeUndefined();
    expect(watch.look(news(71_000, 'Step: 1'))).toBeUndefined();
    expect(watch.look(news(71_001, 'Step: 1'))).toBe('no further step was seen within 10s');
    expect(watch.look(news(80_000, 'Step: 1', 'Step: 2'))).toBeUndefined();
  });

  test.each(['loss=nan', 'loss: NaN', '{"loss": inf}', 'reward -Infinity', 'loss nan,'])('%j is no number', (line) => {
    expect(new HealthWatch({ metric: 'x' }).look(news(1, line))).toContain('it is no number any more');
    expect(new HealthWatch({ metric: 'x', nan: true }).look(news(1, line))).toBeUndefined();
  });

  test.each(['info: nano started', 'banana=1', 'infra ok', 'nanoseconds'])('%j is harmless', (line) => {
    expect(new HealthWatch({ metric: 'x' }).look(news(1, line))).toBeUndefined();
  });

  test('at the end nothing seen is not healthy', () => {
    expect(new HealthWatch({ firstStep: '1m' }).atEnd([])).toBe('it ended without a single step in the end of its log');
    expect(new HealthWatch({ metric: 'reward' }).atEnd(['reward=?'])).toBe('there is no number for the metric reward');
    expect(new HealthWatch({ metric: 'reward' }).atEnd(['reward: -0.5'])).toBeUndefined();
    const both = new HealthWatch({ metric: ['reward', 'step_time'] });
    expect(both.atEnd(['step_time=0.1', 'reward=?'])).toBe('there is no number for the metric reward');
    expect(both.atEnd(['step 1'])).toBe('there is no number for the metrics reward, step_time');
    expect(both.atEnd(['reward=1 step_time=0.1'])).toBeUndefined();
    expect(new HealthWatch(undefined).atEnd([])).toBeUndefined();
  });
});
