import { describe, expect, test } from 'vitest';
import { at, codesOf, planOf, problemsOf } from './study.js';

describe('AR301: stages', () => {
  test('an unknown need, with the nearest name', async () => {
    expect(await problemsOf({ stages: { train: {}, report: { needs: ['train', 'trian'] } } })).toEqual([
      {
        code: 'AR301',
        message: 'there is no stage "trian"',
        hint: 'Did you mean "train"?',
        at: at('/stages/report/needs/1'),
      },
    ]);
  });

  test('nothing near gives no guess', async () => {
    expect(await problemsOf({ stages: { report: { needs: ['preparation'] } } })).toEqual([
      { code: 'AR301', message: 'there is no stage "preparation"', at: at('/stages/report/needs/0') },
    ]);
  });

  test('names that every object has are no stages', async () => {
    const needs = ['constructor', '__proto__', 'toString'];
    expect(await codesOf({ stages: { a: { needs } } })).toEqual(['AR301', 'AR301', 'AR301']);
  });

  test('a template is no name', async () => {
    expect(await codesOf({ vars: { first: 'a' }, stages: { a: {}, b: { needs: ['{{vars.first}}'] } } })).toEqual([
      'AR301',
    ]);
  });

  test('the stage that a gate sends work back to', async () => {
    const problems = await problemsOf({
      stages: { draft: { outputs: ['o'], gate: { kind: 'human', revise: { stage: 'darft', max: 1 } } } },
    });
    expect(problems).toEqual([
      {
        code: 'AR301',
        message: 'there is no stage "darft"',
        hint: 'Did you mean "draft"?',
        at: at('/stages/draft/gate/revise/stage'),
      },
    ]);
  });
});

describe('AR303: agents', () => {
  const agents = { coder: { backend: 'codex' }, judge: { backend: 'claude' } } as const;

  test('wherever one is named', async () => {
    const problems = await problemsOf({
      agents,
      escalate: ['codr', 'human'],
      stages: {
        build: {
          agent: 'koder',
          retry: { attempts: 2, fix: 'coderr' },
          gate: { kind: 'auto-judge', agent: 'jugde', criteria: ['good'], evidence: ['src/**'] },
        },
      },
    });
    expect(problems).toEqual([
      {
        code: 'AR303',
        message: 'there is no agent "koder"',
        hint: 'Did you mean "coder"?',
        at: at('/stages/build/agent'),
      },
      {
        code: 'AR303',
        message: 'there is no agent "coderr"',
        hint: 'Did you mean "coder"?',
        at: at('/stages/build/retry/fix'),
      },
      {
        code: 'AR303',
        message: 'there is no agent "jugde"',
        hint: 'Did you mean "judge"?',
        at: at('/stages/build/gate/agent'),
      },
      { code: 'AR303', message: 'there is no agent "codr"', hint: 'Did you mean "coder"?', at: at('/escalate/0') },
    ]);
  });

  test('a config without agents says so', async () => {
    expect(await problemsOf({ stages: { build: { agent: 'coder' } } })).toEqual([
      {
        code: 'AR303',
        message: 'there is no agent "coder"',
        hint: 'There are no agents in this config',
        at: at('/stages/build/agent'),
      },
    ]);
  });

  test('declared ones are fine', async () => {
    await planOf({
      agents,
      escalate: ['judge', 'human'],
      stages: { build: { agent: 'coder', retry: { attempts: 2, fix: 'coder' } } },
    });
  });
});

test('AR304: clusters', async () => {
  const clusters = { slurm: { type: 'slurm' } } as const;
  expect(await problemsOf({ clusters, stages: { a: { on: 'slrum' }, b: { on: 'slurm' } } })).toEqual([
    { code: 'AR304', message: 'there is no cluster "slrum"', hint: 'Did you mean "slurm"?', at: at('/stages/a/on') },
  ]);
  expect(await problemsOf({ stages: { a: { on: 'slurm' } } })).toEqual([
    {
      code: 'AR304',
      message: 'there is no cluster "slurm"',
      hint: 'There are no clusters in this config',
      at: at('/stages/a/on'),
    },
  ]);
});

test('all mistakes are told at once, and each once however many tasks share it', async () => {
  const codes = await codesOf({
    vars: { unused: 1 },
    protect: ['eval/**'],
    stages: {
      a: {
        needs: ['nobody'],
        matrix: { seed: [1, 2, 3] },
        env: { X: '{{vars.x}}' },
        outputs: ['eval/{{matrix.seed}}'],
      },
      b: { agent: 'nobody', when: 'vars.y', timeout: '0s', cwd: '..' },
    },
  });
  expect([...codes].sort()).toEqual([
    'AR206',
    'AR301',
    'AR303',
    'AR307',
    'AR402',
    'AR405',
    'AR503',
    'AR503',
    'AR503',
    'AR504',
  ]);
});

test('a person is one, in escalate', async () => {
  expect(await problemsOf({ escalate: ['humans'], stages: { a: {} } })).toEqual([
    { code: 'AR303', message: 'there is no agent "humans"', hint: 'Did you mean "human"?', at: at('/escalate/0') },
  ]);
});
