import { describe, expect, test } from 'vitest';
import { at, codesOf, planOf, problemsOf, type Study, taskOf } from './study.js';

const skips = async (study: Study): Promise<Record<string, string>> => {
  const { tasks } = await planOf(study);
  return Object.fromEntries(tasks.flatMap(({ id, skip }) => (skip ? [[id, `${skip.code}: ${skip.detail}`]] : [])));
};

describe('when', () => {
  test('false leaves a task out and says why; true does not', async () => {
    const plan = await planOf({
      vars: { mode: 'fast' },
      stages: { a: { when: "vars.mode == 'full'" }, b: { when: "vars.mode == 'fast'" } },
    });
    expect(taskOf(plan, 'a').skip).toEqual({ code: 'when-false', detail: "vars.mode == 'full'" });
    expect(taskOf(plan, 'b')).not.toHaveProperty('skip');
  });

  test('is asked for each task of a matrix', async () => {
    const study = {
      stages: { a: { matrix: { seed: [1, 2, 3] as [number, number, number] }, when: 'matrix.seed % 2 == 1' } },
    };
    expect(await skips(study)).toEqual({ 'a:seed=2': 'when-false: matrix.seed % 2 == 1' });
  });

  test('knows the name of the study', async () => {
    expect(await skips({ stages: { a: { when: "name == 'other'" } } })).toEqual({ a: "when-false: name == 'other'" });
  });

  test('AR405: an unknown name, with its place and the nearest one', async () => {
    const study = { vars: { steps: 5 }, stages: { a: { when: 'vars.steps > 1 && vars.stesp > 2' } } };
    expect(await problemsOf(study)).toEqual([
      {
        code: 'AR405',
        message: 'unknown name "vars.stesp"',
        hint: 'Did you mean "vars.steps"?',
        at: at('/stages/a/when', { within: [23, 28] }),
      },
    ]);
  });

  test('AR405: also where the answer would not depend on it', async () => {
    expect(await codesOf({ stages: { a: { when: 'true || vars.gone' } } })).toEqual(['AR405']);
    expect(await codesOf({ stages: { a: { when: 'false && vars.gone' } } })).toEqual(['AR405']);
    expect(await codesOf({ stages: { a: { when: 'false ? vars.gone : true' } } })).toEqual(['AR405']);
  });

  test('AR405: a matrix of which the stage has none', async () => {
    const problems = await problemsOf({ stages: { a: { when: 'matrix.seed == 1' }, b: { matrix: { seed: [1] } } } });
    expect(problems).toEqual([
      { code: 'AR405', message: 'unknown name "matrix.seed"', at: at('/stages/a/when', { within: [7, 11] }) },
    ]);
  });

  test('AR404: a syntax error at its place', async () => {
    expect(await problemsOf({ vars: { steps: 5 }, stages: { a: { when: 'vars.steps = 5' } } })).toEqual([
      {
        code: 'AR404',
        message: '"=" cannot stand here',
        hint: 'Compare with ==',
        at: at('/stages/a/when', { within: [11, 12] }),
      },
    ]);
  });

  test('AR404: an expression is no template', async () => {
    expect(await codesOf({ vars: { steps: 5 }, stages: { a: { when: '{{vars.steps}} > 3' } } })).toEqual(['AR404']);
  });

  test('AR406: neither true nor false', async () => {
    expect(await problemsOf({ vars: { steps: 5 }, stages: { a: { when: 'vars.steps' } } })).toEqual([
      {
        code: 'AR406',
        message: 'the expression gives a number, not true or false',
        at: at('/stages/a/when', { within: [0, 10] }),
      },
    ]);
  });

  test('AR406: what cannot be worked out for one task of many is told once', async () => {
    const a = {
      matrix: { n: [0, 1], m: [1, 2, 3] } as { [name: string]: [number, ...number[]] },
      when: '1 / matrix.n > 0',
    };
    expect(await codesOf({ stages: { a } })).toEqual(['AR406']);
  });

  test('the checks of gates and the end of an iteration are read too', async () => {
    const problems = await problemsOf({
      iterate: { max: 2, until: 'metrics.loss <', metric: { stage: 'a', name: 'loss', better: 'lower' } },
      stages: {
        a: {
          uses: 'fake',
          cache: false,
          gate: { kind: 'auto', checks: ['metrics.accuracy > 0.5', 'metrics.loss = 1'] },
        },
      },
    });
    expect(problems.map(({ code, at: place }) => [code, place])).toEqual([
      ['AR404', at('/stages/a/gate/checks/1', { within: [13, 14] })],
      ['AR404', at('/iterate/until', { within: [14, 14] })],
    ]);
  });
});

describe('skips spread', () => {
  test('to whoever needs a stage that is left out, and on from there', async () => {
    const stages = { a: { when: 'false' }, b: { needs: ['a'] }, c: { needs: ['b'] }, d: {} };
    expect(await skips({ stages })).toEqual({
      a: 'when-false: false',
      b: 'upstream-skipped: a is left out',
      c: 'upstream-skipped: b is left out',
    });
  });

  test('when one of several needed stages is left out', async () => {
    expect(await skips({ stages: { a: {}, b: { when: 'false' }, c: { needs: ['a', 'b'] } } })).toMatchObject({
      c: 'upstream-skipped: b is left out',
    });
  });

  test('not when only some of a matrix are', async () => {
    const stages = {
      a: { matrix: { seed: [1, 2] as [number, number] }, when: 'matrix.seed == 1' },
      b: { needs: ['a'] },
    };
    expect(await skips({ stages })).toEqual({ 'a:seed=2': 'when-false: matrix.seed == 1' });
  });

  test('when all of a matrix are', async () => {
    const stages = {
      a: { matrix: { seed: [1, 2] as [number, number] }, when: 'matrix.seed > 2' },
      b: { needs: ['a'] },
    };
    expect(await skips({ stages })).toMatchObject({ b: 'upstream-skipped: everything it needs of a is left out' });
  });

  test('to the one task that reads the file of the one that is left out', async () => {
    const matrix = { seed: [1, 2] as [number, number] };
    const stages = {
      train: { matrix, when: 'matrix.seed == 1', outputs: ['out/{{matrix.seed}}.json'] },
      evaluate: { matrix, inputs: ['out/{{matrix.seed}}.json'], outputs: ['eval/{{matrix.seed}}.json'] },
      report: { inputs: ['eval/*.json'] },
    };
    expect(await skips({ stages })).toEqual({
      'train:seed=2': 'when-false: matrix.seed == 1',
      'evaluate:seed=2': 'upstream-skipped: train:seed=2 is left out',
    });
  });

  test('its own reason comes before that of others', async () => {
    expect(await skips({ stages: { a: { when: 'false' }, b: { needs: ['a'], when: '1 > 2' } } })).toMatchObject({
      b: 'when-false: 1 > 2',
    });
  });

  test('tasks that are left out keep their place in the plan', async () => {
    const plan = await planOf({ stages: { a: { when: 'false' }, b: { needs: ['a'] } } });
    expect(plan.waves).toEqual([['a'], ['b']]);
    expect(taskOf(plan, 'b').needs).toEqual(['a']);
  });
});
