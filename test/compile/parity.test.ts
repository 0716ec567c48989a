import { describe, expect, it } from 'vitest';
import { compile } from '../../src/compile/compile.js';
import { withParity } from '../../src/compile/expand/parity-stages.js';
import type { Plan } from '../../src/model/plan.js';
import { inputOf, type Study, taskOf } from './study.js';

const files = { arms: { a: 'a.json', b: 'b.json' }, params: ['lr'] };

async function planOf(study: Study): Promise<Plan> {
  const input = await inputOf(study);
  const { config, first, problems } = withParity(input.config);
  expect(problems).toEqual([]);
  const plan = await compile({ ...input, config, first });
  if (!plan.ok) throw new Error(JSON.stringify(plan.error));
  return plan.value;
}

const problemsOf = async (study: Study) => withParity((await inputOf(study)).config).problems;

describe('an entry under parity that no stage checks', () => {
  it('is checked before everything else', async () => {
    const plan = await planOf({
      parity: { arms: files },
      stages: { data: {}, train: { needs: ['data'] }, other: {}, report: { needs: ['train', 'other'] } },
    });
    expect(plan.waves).toEqual([['parity-arms'], ['data', 'other'], ['train'], ['report']]);
    expect(taskOf(plan, 'data').inferred).toEqual([{ task: 'parity-arms', via: 'parity.arms' }]);
    expect(taskOf(plan, 'train').needs).toEqual(['data']);
    expect(taskOf(plan, 'parity-arms').options).toEqual({ check: 'arms', ...files });
  });

  it('waits for who writes its files, and everything else waits for it', async () => {
    const plan = await planOf({
      parity: { arms: files },
      stages: { data: {}, implement: { outputs: ['a.json'] }, train: { needs: ['implement'] } },
    });
    expect(plan.waves).toEqual([['implement'], ['parity-arms'], ['data', 'train']]);
  });

  it('and another one do not wait for each other, and every task waits for both', async () => {
    const plan = await planOf({
      parity: { one: files, two: { arms: { a: 'a.json', c: 'c.json' }, params: ['lr'] } },
      stages: { implement: { outputs: ['c.json'] }, train: {}, 'parity-one': {} },
    });
    expect(plan.waves).toEqual([['parity-one-2'], ['implement'], ['parity-two'], ['train', 'parity-one']]);
  });

  it('is checked every time when an arm is code, and is bounded in time', async () => {
    const plan = await planOf({
      parity: {
        data: files,
        python: { arms: { a: 'a.py', b: 'b.py' }, params: ['lr'] },
        command: { arms: { a: { run: './print' }, b: 'b.json' }, params: ['lr'] },
        stated: { arms: { a: { file: 'a.conf', format: 'python' }, b: 'b.json' }, params: ['lr'] },
      },
      stages: { train: {} },
    });
    const cached = Object.fromEntries(plan.tasks.map(({ id, cache }) => [id, cache]));
    expect(cached).toMatchObject({
      'parity-data': true,
      'parity-python': false,
      'parity-command': false,
      'parity-stated': false,
    });
    expect(taskOf(plan, 'parity-python').timeoutMs).toBe(300_000);
  });
});

describe('a stage that checks an entry', () => {
  it('stands for it, where the config puts it', async () => {
    const plan = await planOf({
      parity: { arms: { ...files, except: { env: 'by design' } } },
      stages: {
        implement: {},
        validate: { uses: 'parity', needs: ['implement'], with: { check: 'arms' }, cache: true, timeout: '10s' },
      },
    });
    expect(plan.waves).toEqual([['implement'], ['validate']]);
    expect(taskOf(plan, 'validate')).toMatchObject({
      options: { check: 'arms', ...files, except: { env: 'by design' } },
      timeoutMs: 10_000,
    });
  });

  it('only after the runs leaves the check of the files to be made', async () => {
    const resolved = { a: 'run/a.json', b: 'run/b.json' };
    const plan = await planOf({
      parity: { arms: files },
      stages: {
        train: { outputs: ['run/a.json', 'run/b.json'] },
        after: { uses: 'parity', with: { check: 'arms', resolved } },
      },
    });
    expect(plan.waves).toEqual([['parity-arms'], ['train'], ['after']]);
  });

  it('has to name one that is declared', async () => {
    const problems = await problemsOf({
      parity: { arms: files },
      stages: { validate: { uses: 'parity', with: { check: 'amrs' } } },
    });
    expect(problems).toEqual([
      {
        code: 'AR365',
        message: 'there is no parity check "amrs"',
        at: { kind: 'config', pointer: '/stages/validate/with/check' },
        hint: 'Did you mean "arms"?',
      },
    ]);
    expect(await problemsOf({ stages: { validate: { uses: 'parity', with: { check: 'toString' } } } })).toMatchObject([
      { code: 'AR365', hint: 'Declare it under parity' },
    ]);
  });

  it('cannot change what is asked', async () => {
    const problems = await problemsOf({
      parity: { arms: files },
      stages: { validate: { uses: 'parity', with: { check: 'arms', params: ['seed'], except: { lr: 'x' } } } },
    });
    expect(problems.map(({ code, message }) => [code, message])).toEqual([
      ['AR366', '"params" stands in the entry under parity, not in the stage that checks it'],
      ['AR366', '"except" stands in the entry under parity, not in the stage that checks it'],
    ]);
  });
});

it('a config that compares nothing is left as it is', async () => {
  const { config } = await inputOf({ stages: { a: {} } });
  expect(withParity(config).config).toBe(config);
});
