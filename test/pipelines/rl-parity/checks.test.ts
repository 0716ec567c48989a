import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import assert from '../../../stages/assert/index.js';
import { realContext } from '../../stages/real-context.js';

const preset = parse(readFileSync(new URL('../../../pipelines/rl-parity.yaml', import.meta.url), 'utf8'));

const vars: Record<string, string> = {
  treatment: 'treatment.json',
  baseline: 'baseline.json',
  generate: 'cat',
  environments: 'cat environments.txt',
  environment: 'debate-v1',
  replaces: 'qa-v1',
};
const filled = JSON.parse(
  JSON.stringify(preset.stages.config.with).replace(/\{\{\{?vars\.(\w+)\}?\}\}/g, (_, name) => vars[name]!),
);

const shared = {
  TRAIN_BATCH_SIZE: 10,
  GENERATIONS_PER_PROMPT: 4,
  n_gradient_accumulation_steps: 4,
  actors_queue_batches: 10,
  PATCHES: { rollout: 'batched' },
};

/** What does not hold of two configs and a list of environments. */
async function wrong(own: { treatment?: object; baseline?: object; environments?: string } = {}): Promise<string[]> {
  const context = realContext(
    {
      'treatment.json': JSON.stringify({ ...shared, ENV_REMAP: { 'qa-v1': 'debate-v1' }, ...own.treatment }),
      'baseline.json': JSON.stringify({ ...shared, ...own.baseline }),
      'environments.txt': own.environments ?? 'qa-v1\ndebate-v1\n',
    },
    {},
  );
  const result = await assert.run(filled, context);
  return !result.ok && 'lines' in result.failure ? [...(result.failure.lines ?? [])] : result.ok ? [] : ['no checks'];
}

test('sixteen parameters have to be equal', () => {
  expect(preset.params.same.default).toEqual([
    ...['TRAIN_BATCH_SIZE', 'EVAL_BATCH_SIZE', 'TOTAL_TRAIN_STEPS', 'MAX_SEQUENCE_LENGTH', 'LEARNING_RATE', 'KL_BETA'],
    ...['GENERATIONS_PER_PROMPT', 'SEED', 'EXPORT_EVERY_STEPS', 'HARD_UPDATE_REF_EVERY_STEPS'],
    ...['n_gradient_accumulation_steps', 'CKPT_PATH', 'loss_variation', 'lora.*', 'TRAIN_GPUS', 'ACTOR_GPUS'],
  ]);
  expect(preset.params.same.default).toHaveLength(16);
});

test('the numbers of the way of working are those of the preset', () => {
  const { clusters, params, stages } = preset;
  expect(clusters.rl).toMatchObject({ poll: '60s', commandTimeout: '30s' });
  expect(params.steps.default).toBe(5);
  expect(stages.smoke.with).toMatchObject({ tries: 4, health: { metric: ['reward', 'step_time'] } });
  // The first try, and three fixes.
  for (const stage of ['parity', 'config']) expect(stages[stage].retry).toMatchObject({ attempts: 4, total: 4 });
  expect(stages.verify.with).toMatchObject({ closure: 2, exhausted: 'carry' });
  expect(stages.review.with).toMatchObject({ rounds: 2 });
});

describe('the configs', () => {
  test('that are right pass, with a queue that is just long enough', async () => {
    expect(await wrong()).toEqual([]);
    expect(await wrong({ baseline: { ENV_REMAP: {} } })).toEqual([]);
  });

  test.each([
    [
      'no remap',
      { treatment: { ENV_REMAP: undefined } },
      'the treatment maps the environment: there is no treatment.ENV_REMAP',
    ],
    [
      'a remap to another environment',
      { treatment: { ENV_REMAP: { 'qa-v1': 'debate-v2' } } },
      'the treatment maps the environment: treatment.ENV_REMAP.qa-v1 is "debate-v2", expected "debate-v1"',
    ],
    [
      'a remap in the baseline',
      { baseline: { ENV_REMAP: { x: 'y' } } },
      'the baseline does not: baseline.ENV_REMAP is {"x":"y"}; expected without it',
    ],
    [
      'patches of one arm',
      { baseline: { PATCHES: { rollout: 'batched', sampler: 'own' } } },
      'the patches have the same keys: treatment.PATCHES has no sampler',
    ],
    [
      'an environment with nearly the name',
      { environments: 'qa-v1\ndebate-v10\nold-debate-v1\n' },
      'the environment is registered: nothing in it fits ^debate-v1$: old-debate-v1',
    ],
    [
      // 4 × (10 / 4) is 10, however whole numbers are divided elsewhere.
      'a queue that is too short by one',
      { baseline: { actors_queue_batches: 9 } },
      'the queue of the baseline is long enough: baseline.actors_queue_batches >= baseline.GENERATIONS_PER_PROMPT * (baseline.TRAIN_BATCH_SIZE / baseline.n_gradient_accumulation_steps) is false (baseline.actors_queue_batches is 9, baseline.GENERATIONS_PER_PROMPT is 4, baseline.TRAIN_BATCH_SIZE is 10, baseline.n_gradient_accumulation_steps is 4)',
    ],
    [
      'no accumulation at all',
      { treatment: { n_gradient_accumulation_steps: 0 } },
      expect.stringContaining(
        'the queue of the treatment is long enough: this is not a finite number, as after a division by zero',
      ),
    ],
  ])('%s does not pass', async (_what, own, line) => {
    expect(await wrong(own)).toEqual([line]);
  });
});
