import { describe, expect, test } from 'vitest';
import { partOfPlan } from '../../src/compile/graph/part-of-plan.js';
import type { Iterate, Stage } from '../../src/model/generated/config.js';
import { at, planOf, problemsOf, type Stages, taskOf } from './study.js';

const agents = { coder: { backend: 'replay' } } as const;
const read = { from: 'log.txt', format: 'text', pattern: 'loss=(?<loss>.*)', value: 'loss', pick: 'last' };
const metric = { stage: 'measure', name: 'loss', better: 'lower' } as const;

/** data → train → measure, with an agent that edits what is trained and one that plans it. */
const stages: Stages = {
  data: { outputs: ['data.csv'] },
  plan: {
    agent: 'coder',
    scope: ['notes/plan.md'],
    outputs: ['notes/plan.md'],
    with: { instructions: 'Plan {{iteration.number}}.', verify: 'true' },
  },
  edit: { agent: 'coder', scope: ['train.py'], needs: ['plan'], with: { instructions: 'Edit.', verify: 'true' } },
  train: { needs: ['edit'], inputs: ['data.csv', 'train.py'], outputs: ['log.txt'] },
  measure: {
    uses: 'extract',
    with: { to: 'result.json', metrics: { loss: read } },
  },
};
const best: Iterate = { max: 5, metric, keep: 'best', files: ['train.py'] };
const study = (iterate: Iterate, own: Stages = stages) => ({ agents, stages: own, iterate });

describe('what an iteration does', () => {
  test('again: what names the iteration, asks an agent or is never cached, and all that needs it', async () => {
    const { iterate } = await planOf(
      study(best, { ...stages, look: { cache: false }, named: { with: { run: 'echo {{iteration.number}}' } } }),
    );
    expect(iterate?.again).toEqual(['plan', 'edit', 'train', 'measure', 'look', 'named']);
  });

  test('the baseline: what the metric needs, without what changes the files', async () => {
    const plan = await planOf(study(best));
    expect(plan.iterate).toMatchObject({ baseline: ['data', 'train', 'measure'], files: ['train.py'] });
    const baseline = partOfPlan(plan, plan.iterate!.baseline!);
    expect(taskOf(baseline, 'train').needs).toEqual(['data']);
    expect(baseline.waves).toEqual([['data'], ['train'], ['measure']]);
    expect(baseline.digest).not.toBe(plan.digest);
    expect(partOfPlan(plan, plan.iterate!.baseline!).digest).toBe(baseline.digest);
  });

  test('files: the scopes of all stages unless stated', async () => {
    const { files: _, ...rest } = best;
    expect((await planOf(study(rest))).iterate?.files).toEqual(['notes/plan.md', 'train.py']);
  });

  test('without keep: best or repeats there is no baseline', async () => {
    const plan = await planOf(study({ max: 5, metric }));
    expect(plan.iterate).toEqual({ again: ['plan', 'edit', 'train', 'measure'] });
    expect((await planOf(study({ max: 5, metric, repeats: 2 }))).iterate?.baseline).toBeDefined();
  });

  test('another iteration changes what names it, and nothing else', async () => {
    const named = { ...stages, late: { when: 'iteration.number > 3' } };
    const plan = await planOf(study(best, named));
    expect(taskOf(plan, 'plan').options).toMatchObject({ instructions: 'Plan 1.' });
    expect(taskOf(plan, 'late').skip?.detail).toBe('iteration.number > 3');
  });
});

describe('mistakes', () => {
  test('the iteration is unknown where there is none, and so is a misspelt part of it', async () => {
    const text = (run: string): Stages => ({ a: { with: { run } } });
    expect(await problemsOf({ stages: text('echo {{iteration.number}}') })).toEqual([
      {
        code: 'AR402',
        message: 'unknown name "iteration.number"',
        at: at('/stages/a/with/run', { within: [7, 16] }),
        hint: 'Known here: agentId, matrix, name, stage, task, vars',
      },
    ]);
    expect(await problemsOf({ stages: text('echo {{iteration.nmber}}'), iterate: { max: 2 } })).toEqual([
      {
        code: 'AR402',
        message: 'unknown name "iteration.nmber"',
        at: at('/stages/a/with/run', { within: [17, 22] }),
        hint: 'Did you mean "iteration.number"?',
      },
    ]);
  });

  test('rules that compare need a metric', async () => {
    const { metric: _, ...rest } = best;
    const problems = await problemsOf(
      study({ ...rest, until: 'best < 1.0', patience: 2, minEffect: 1, repeats: 2, plateau: { over: 2, gain: 1 } }),
    );
    expect(problems.map(({ code, message }) => `${code} ${message}`)).toEqual(
      ['minEffect', 'repeats', 'patience', 'plateau', 'until']
        .map((key) => `AR340 iterate.${key} needs a number to go by, and there is no iterate.metric`)
        .concat('AR340 keep: best needs a number to go by, and there is no iterate.metric'),
    );
    expect(problems[0]).toMatchObject({ at: at('/iterate/minEffect', { key: true }) });
  });

  test('the metric has to come from one task that is done again and changes nothing', async () => {
    const measure = async (own: Stages, iterate: Partial<Iterate> = {}) =>
      (await problemsOf(study({ ...best, ...iterate }, own))).map(({ code, message }) => `${code} ${message}`);
    expect(await measure(stages, { metric: { ...metric, stage: 'measur' } })).toEqual([
      'AR301 there is no stage "measur"',
    ]);
    expect(await measure({ ...stages, measure: { inputs: ['log.txt'], matrix: { seed: [1, 2] } } })).toEqual([
      'AR341 measure is 2 tasks, and the metric has to come from one',
    ]);
    expect(await measure(stages, { metric: { ...metric, stage: 'data' } })).toEqual([
      'AR341 data runs once for all iterations: it needs nothing that an iteration does again',
    ]);
    expect(await measure(stages, { metric: { ...metric, stage: 'edit' } })).toEqual([
      'AR341 edit changes the files of the loop itself',
    ]);
  });

  test('a number that its stage will not record is named before anything runs', async () => {
    const named = async (stage: Partial<Stage>, name: string, more: Stages = {}) => {
      const problems = await problemsOf(
        study({ ...best, metric: { ...metric, name } }, { ...stages, ...more, measure: stage }),
      );
      return problems.filter(({ code }) => code === 'AR347');
    };
    const extract = { uses: 'extract', with: { to: 'r.json', metrics: { loss: read, accuracy: read } } };
    expect(await named(extract, 'los')).toEqual([
      {
        code: 'AR347',
        message: 'stage "measure" records no "los"; it records accuracy, loss',
        at: at('/iterate/metric/name'),
        hint: 'Did you mean "loss"?',
      },
    ]);
    expect(await named(extract, 'reward')).toMatchObject([
      { message: 'stage "measure" records no "reward"; it records accuracy, loss' },
    ]);
    const each = {
      uses: 'extract',
      with: { to: 'r.json', each: { seed: [1, 2] }, metrics: { loss: { ...read, from: 'log-{seed}.txt' } } },
    };
    const logs = { train: { ...stages.train, outputs: ['log-1.txt', 'log-2.txt'] } };
    expect(await named(each, 'loss', logs)).toMatchObject([
      {
        message: 'stage "measure" records no "loss"; it records loss[seed=1], loss[seed=2]',
        hint: 'Did you mean "loss[seed=1]"?',
      },
    ]);
    expect(await named({ inputs: ['log.txt'] }, 'loss')).toEqual([
      {
        code: 'AR347',
        message: 'stage "measure" (command) records no numbers, so there will be no "loss"',
        at: at('/iterate/metric/stage'),
        hint: 'Let a stage that uses extract take the number out of what this one writes, and name that stage',
      },
    ]);
    // Of a comparison the arms tell it: those that it names, or those of the table.
    const table = {
      uses: 'extract',
      outputs: ['table.json'],
      with: {
        to: 'table.json',
        each: { arm: ['base', 'new'], seed: [1] },
        metrics: { loss: { ...read, from: 'log-{arm}-{seed}.txt' } },
      },
    };
    const runs = { train: { ...stages.train, outputs: ['log-base-1.txt', 'log-new-1.txt'] }, table };
    const compare = (more: object) => ({
      uses: 'compare',
      with: {
        ...{ results: 'table.json', metric: 'loss', better: 'lower', baseline: 'base', to: 'c.json' },
        ...more,
      },
    });
    for (const more of [{}, { variants: ['new'] }])
      expect(await named(compare(more), 'improvement[nwe]', runs)).toMatchObject([
        {
          message: 'stage "measure" records no "improvement[nwe]"; it records improvement[new]',
          hint: 'Did you mean "improvement[new]"?',
        },
      ]);
    const good = { ...best, metric: { ...metric, name: 'improvement[new]' } };
    expect((await planOf(study(good, { ...stages, ...runs, measure: compare({}) }))).iterate).toBeDefined();
  });

  test('of a behaviour of another lab that does not say it, nothing is known', async () => {
    const measure = { uses: 'fake', inputs: ['log.txt'] };
    expect((await planOf(study(best, { ...stages, measure }))).iterate).toBeDefined();
  });

  test('it has to be clear what is kept or put back', async () => {
    const { scope: _, ...edit } = stages.edit!;
    const { files: _files, ...rest } = best;
    expect(await problemsOf(study(rest, { ...stages, edit }))).toEqual([
      {
        code: 'AR342',
        message: 'the agent of stage "edit" may write anywhere, so nobody can say what to put back',
        at: at('/stages/edit', { key: true }),
        hint: 'Give the stage a scope, or name the files under iterate.files',
      },
    ]);
    expect(await problemsOf(study({ ...best, files: ['other/**'] }))).toEqual([
      {
        code: 'AR342',
        message: 'no stage changes other/**',
        at: at('/iterate/files/0'),
        hint: 'Add it to outputs of the stage that changes it; where that is "plan" or "edit", which asks an agent, to its scope or its outputs',
      },
    ]);
    expect(
      await problemsOf(
        study(
          { ...best, files: ['train.py', 'lib/**'] },
          { ...stages, plan: { ...stages.plan!, outputs: [], scope: ['notes/plan.md', 'lib/a.py'] } },
        ),
      ),
    ).toEqual([
      {
        code: 'AR342',
        message:
          'stage "plan" may write notes/plan.md, which is neither a file of the loop (train.py, lib/**) nor an output: what it changes there would not be kept',
        at: at('/stages/plan/scope/0'),
        hint: 'Name it under iterate.files or in outputs of the stage, or take it out of scope',
      },
    ]);
    expect(await problemsOf(study({ max: 3, files: ['train.py'] }))).toEqual([
      {
        code: 'AR342',
        message: 'iterate.files has no effect: with keep: all nothing is put back',
        at: at('/iterate/files', { key: true }),
        hint: 'Take it out, or write keep: best',
      },
    ]);
  });

  test('the loop does not write its own rules', async () => {
    const problems = await problemsOf(study({ ...best, files: ['train.py', 'goal.md'], goal: 'goal.md' }));
    expect(problems).toEqual([
      {
        code: 'AR343',
        message: 'goal.md (iterate.goal) is among the files that an iteration may change (goal.md)',
        at: at('/iterate/goal', { key: true }),
        hint: 'Put it elsewhere, or name the files more exactly',
      },
    ]);
    expect((await problemsOf(study({ ...best, files: ['**'] }))).map(({ code }) => code)).toEqual([
      'AR341',
      'AR343',
      'AR343',
    ]);
  });

  test('templates, paths that lead out, times and names that mean nothing', async () => {
    const problems = await problemsOf(
      study({
        ...best,
        goal: '../goal.md',
        metric: { ...metric, name: '{{vars.x}}' },
        budget: { time: '5ms' },
        until: 'bets < 1.0',
      }),
    );
    expect(problems.map(({ code, message }) => `${code} ${message}`)).toEqual([
      'AR405 unknown name "bets"',
      'AR407 what is under iterate cannot hold a template',
      'AR504 ../goal.md leads out of the project',
      'AR206 iterate.budget.time must be a length of time of a second or more, but is "5ms"',
    ]);
  });

  test('money that is limited over all iterations has to be bounded for each call', async () => {
    const coder = { backend: 'claude', model: 'opus' } as const;
    const problems = await problemsOf({ ...study({ ...best, budget: { usd: 1 } }), agents: { coder } });
    expect(problems.map(({ code, message }) => `${code} ${message}`)).toEqual([
      'AR310 money is limited, but nothing says what a call of agent "coder" may cost',
    ]);
    const capped = { coder: { ...coder, limits: { usd: 2 } } };
    expect((await problemsOf({ ...study({ ...best, budget: { usd: 1 } }), agents: capped }))[0]?.message).toBe(
      'no call of agent "coder" could ever start: limits.usd is 2, and iterate.budget.usd is 1',
    );
  });
});
