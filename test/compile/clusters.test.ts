import { describe, expect, test } from 'vitest';
import { at, compileStudy, planOf, type Study } from './study.js';

const problems = async (study: Study): Promise<unknown[]> => {
  const result = await compileStudy(study);
  return result.ok ? [] : result.error.map(({ code, message, at: place }) => ({ code, message, at: place }));
};
const on = (more = {}) => ({ stages: { train: { on: 'c', ...more } } });

describe('clusters', () => {
  test('are filled in, with what is not stated', async () => {
    const plan = await planOf({
      vars: { part: 'gpu' },
      clusters: { c: { type: 'slurm', partition: '{{vars.part}}', poll: '5s' } },
      stages: { train: { on: 'c', resources: { gpus: 2, time: '90m', qos: 'long' } }, here: {} },
    });
    expect(plan.clusters).toEqual({
      c: { type: 'slurm', pollMs: 5000, commandTimeoutMs: 30_000, patienceMs: 1_800_000 },
    });
    const [train, here] = plan.tasks;
    expect(train!.on).toEqual({
      cluster: 'c',
      resources: { partition: 'gpu', gpus: 2, qos: 'long', timeMs: 5_400_000 },
    });
    expect(here!.on).toBeUndefined();
  });

  test('local is always there, also for a behaviour that submits jobs and names none', async () => {
    const plan = await planOf({ stages: { a: { on: 'local' }, b: { uses: 'job', with: { run: 'true' } } } });
    expect(plan.clusters?.local).toMatchObject({ type: 'local', pollMs: 250 });
    expect(plan.tasks.map((task) => task.on?.cluster)).toEqual(['local', 'local']);
  });

  test('AR610: a setting of another type', async () => {
    expect(await problems({ clusters: { c: { type: 'slurm', slots: 2 } }, ...on() })).toEqual([
      {
        code: 'AR610',
        message: '"slots" has no effect on a cluster of the type slurm',
        at: at('/clusters/c/slots', { key: true }),
      },
    ]);
  });

  test('AR611: commands that are missing, an image that is', async () => {
    expect(await problems({ clusters: { c: { type: 'commands', submit: 'x' } }, ...on() })).toEqual([
      {
        code: 'AR611',
        message: 'a cluster of the type commands needs "id", "state", "states", "cancel"',
        at: at('/clusters/c', { key: true }),
      },
    ]);
    expect(await problems({ clusters: { c: { type: 'kubernetes' } }, ...on() })).toMatchObject([{ code: 'AR611' }]);
    expect(await problems({ clusters: { c: { type: 'kubernetes' } }, ...on({ resources: { image: 'i' } }) })).toEqual(
      [],
    );
  });

  test('AR612: resources that nobody gives', async () => {
    expect(await problems({ stages: { a: { resources: { gpus: 1 } } } })).toEqual([
      {
        code: 'AR612',
        message: 'resources have no effect: the stage runs on no cluster',
        at: at('/stages/a/resources', { key: true }),
      },
    ]);
    expect(await problems({ clusters: { c: { type: 'local' } }, ...on({ resources: { partition: 'p' } }) })).toEqual([
      {
        code: 'AR612',
        message: 'a cluster of the type local gives no "partition"',
        at: at('/stages/train/resources/partition', { key: true }),
      },
    ]);
  });

  test('AR613: a stage that cannot run there', async () => {
    const render = { uses: 'render', with: { files: [{ template: 't.hbs', to: 'o.txt' }] }, on: 'local' };
    expect(await problems({ stages: { a: render } })).toMatchObject([
      { code: 'AR613', message: 'on has no effect: the behaviour of the stage runs no command' },
    ]);
    expect(await problems({ stages: { a: { on: 'local', isolation: 'worktree' } } })).toMatchObject([
      { code: 'AR613', message: 'a job outlives the worktree of its stage: it cannot run on a cluster' },
    ]);
  });

  test('AR614: GPU-hours without a bound', async () => {
    const study = { budget: { gpuHours: 5 }, clusters: { c: { type: 'slurm' as const } } };
    expect(await problems({ ...study, ...on({ resources: { gpus: 1 } }) })).toMatchObject([{ code: 'AR614' }]);
    expect(await problems({ ...study, ...on({ resources: { gpus: 1, time: '1h' } }) })).toEqual([]);
  });

  test('AR616: GPU-hours that nobody can spend', async () => {
    expect(await problems({ budget: { gpuHours: 5 }, stages: { a: {} } })).toEqual([
      {
        code: 'AR616',
        message: 'budget.gpuHours has no effect: no stage asks for GPUs on a cluster',
        at: at('/budget/gpuHours', { key: true }),
      },
    ]);
  });

  test('AR615 and AR206: expressions and lengths of time', async () => {
    const c = {
      type: 'commands' as const,
      submit: 'x',
      id: '(',
      state: 'x',
      states: { completed: 'C', running: 'R' },
      cancel: 'x',
    };
    expect(await problems({ clusters: { c }, ...on() })).toMatchObject([
      { code: 'AR615', at: { pointer: '/clusters/c/id' } },
    ]);
    expect(await problems({ clusters: { c: { type: 'slurm', poll: '0s' } }, ...on() })).toMatchObject([
      { code: 'AR206' },
    ]);
    expect(
      await problems({
        vars: { t: 'soon' },
        clusters: { c: { type: 'slurm' } },
        ...on({ resources: { time: '{{vars.t}}' } }),
      }),
    ).toMatchObject([{ code: 'AR206', message: 'time must be a length of time, but is "soon"' }]);
  });

  test('a name that a command of a cluster cannot know is found before anything runs', async () => {
    const c = {
      type: 'commands' as const,
      submit: 'x {{job.id}}',
      id: 'x',
      state: 'x {{job.id}}',
      states: { completed: 'C', running: 'R' },
      cancel: 'x',
    };
    expect(await problems({ clusters: { c }, ...on() })).toMatchObject([
      { code: 'AR402', message: 'unknown name "job.id"' },
    ]);
  });

  test('AR304: there is no such cluster', async () => {
    expect(await problems({ clusters: { hpc: { type: 'slurm' } }, stages: { a: { on: 'hpv' } } })).toMatchObject([
      { code: 'AR304' },
    ]);
  });
});
