import { describe, expect, test } from 'vitest';
import { at, inferredOf, needsOf, planOf, problemsOf, type Stages, taskOf } from './study.js';

/** What `reader` is inferred to come after when `writer` writes one thing and `reader` reads another. */
async function edge(writes: string, reads: string): Promise<readonly string[]> {
  const plan = await planOf({ stages: { writer: { outputs: [writes] }, reader: { inputs: [reads] } } });
  return inferredOf(plan).reader!;
}

describe('needs', () => {
  test('stand for all tasks of a stage, each once', async () => {
    const plan = await planOf({
      stages: { end: { needs: ['train', 'data', 'train'] }, train: { matrix: { seed: [1, 2] } }, data: {} },
    });
    expect(needsOf(plan)).toEqual({
      end: ['train:seed=1', 'train:seed=2', 'data'],
      'train:seed=1': [],
      'train:seed=2': [],
      data: [],
    });
    expect(plan.waves).toEqual([['train:seed=1', 'train:seed=2', 'data'], ['end']]);
  });

  test('tasks of a stage share one list, which keeps wide graphs small', async () => {
    const plan = await planOf({
      stages: { a: { matrix: { i: [1, 2] } }, b: { needs: ['a'], matrix: { i: [1, 2, 3] } } },
    });
    expect(taskOf(plan, 'b:i=1').needs).toBe(taskOf(plan, 'b:i=3').needs);
  });
});

describe('inferred edges', () => {
  test.each([
    ['out/a.json', 'out/a.json'],
    ['out/a.json', './out//a.json'],
    ['out', 'out/a.json'],
    ['out', 'out/deep/a.json'],
    ['out/a.json', 'out'],
    ['out/deep/a.json', 'out'],
    ['out/a.json', '.'],
    ['.', 'out/a.json'],
    ['.', 'out/*.json'],
    ['out/*.json', '.'],
    ['out/*.json', 'out/a.json'],
    ['out/**', 'out/deep/a.json'],
    ['out/*.json', 'out'],
    ['out/deep/*.json', 'out'],
    ['out/a.json', 'out/*.json'],
    ['out/deep/a.json', 'out/**/*.json'],
    ['out', 'out/*.json'],
    ['out', 'out/deep/*.json'],
    ['out/*.json', 'out/a*'],
    ['out/runs/*.json', 'out/**'],
    ['**/m.json', 'out/a/m.json'],
    ['{a,b/c}/x.json', 'b/c/x.json'],
    ['a/x.json', '{a,b/c}/x.json'],
    ['out/[ab].json', 'out/b.json'],
    ['.cache/x', '**'],
    ['results/1', 'results/*/metrics.json'],
    ['results/lr=0.1', 'results/*/metrics.json'],
    ['results/1', 'results/**/metrics.json'],
    ['results/*/metrics.json', 'results/1'],
    ['out/run-?', 'out/run-1/m.json'],
    ['f(x).json', 'f(x).json'],
    ['with space/a b.json', 'with space/*.json'],
    ['ünï/a.json', 'ünï/*'],
  ])('who writes %s comes before who reads %s', async (writes, reads) => {
    expect(await edge(writes, reads)).toEqual([`writer via ${reads.replace('./out//', 'out/')}`]);
  });

  test.each([
    ['out/a.json', 'out/b.json'],
    ['out/a.json', 'out/a.json.bak'],
    ['out', 'outer/a.json'],
    ['outer/a.json', 'out'],
    ['out/a.json', 'out/*.txt'],
    ['out/deep/a.json', 'out/*.json'],
    ['out/log.txt', 'out/**/*.json'],
    ['data/raw-*.csv', 'data/clean-*.csv'],
    ['data/*.csv', 'out/*.csv'],
    ['results/*/metrics.json', 'results/summary.json'],
    ['fx.json', 'f(x).json'],
    ['.', '../data/x.csv'],
    ['.', '/data/*.csv'],
  ])('who writes %s has nothing to do with who reads %s', async (writes, reads) => {
    expect(await edge(writes, reads)).toEqual([]);
  });

  test('a chain of globs in one folder is not a circle', async () => {
    const plan = await planOf({
      stages: {
        clean: { inputs: ['data/raw-*.csv'], outputs: ['data/clean-*.csv'] },
        features: { inputs: ['data/clean-*.csv'], outputs: ['data/features-*.csv'] },
        train: { inputs: ['data/features-*.csv'], outputs: ['data/model-*.csv'] },
      },
    });
    expect(needsOf(plan)).toEqual({ clean: [], features: ['clean'], train: ['features'] });
  });

  test('each task of a matrix needs exactly the task whose file it reads', async () => {
    const matrix = { arm: ['a', 'b'], seed: [1, 10] } as Stages[string]['matrix'] & object;
    const file = '{{matrix.arm}}-{{matrix.seed}}';
    const plan = await planOf({
      stages: {
        train: { matrix, outputs: [`out/${file}.json`] },
        evaluate: { matrix, inputs: [`out/${file}.json`], outputs: [`eval/${file}.json`] },
        compare: { inputs: ['eval/*.json'] },
      },
    });
    const pairs = ['arm=a,seed=1', 'arm=a,seed=10', 'arm=b,seed=1', 'arm=b,seed=10'];
    for (const pair of pairs) expect(taskOf(plan, `evaluate:${pair}`).needs).toEqual([`train:${pair}`]);
    expect(taskOf(plan, 'compare').needs).toEqual(pairs.map((pair) => `evaluate:${pair}`));
    expect(plan.waves.map((wave) => wave.length)).toEqual([4, 4, 1]);
  });

  test('each task of a matrix reads from the folder of its own', async () => {
    const matrix = { seed: [1, 10] } as Stages[string]['matrix'] & object;
    const plan = await planOf({
      stages: {
        train: { matrix, outputs: ['runs/{{matrix.seed}}'] },
        evaluate: { matrix, inputs: ['runs/{{matrix.seed}}/*.json'] },
      },
    });
    expect(taskOf(plan, 'evaluate:seed=1').needs).toEqual(['train:seed=1']);
    expect(taskOf(plan, 'evaluate:seed=10').needs).toEqual(['train:seed=10']);
  });

  test('what a behaviour says that it reads and writes counts', async () => {
    const plan = await planOf({
      stages: {
        report: {
          uses: 'render',
          with: { files: [{ template: 't.hbs', to: 'report.md', from: { data: './out/a.json' } }] },
        },
        make: { uses: 'fake', with: { writes: ['out/a.json'] } },
        send: { inputs: ['report.md'] },
      },
    });
    expect(inferredOf(plan)).toEqual({ report: ['make via out/a.json'], make: [], send: ['report via report.md'] });
  });

  test('nobody waits for itself', async () => {
    const plan = await planOf({
      stages: {
        a: { inputs: ['out/old.json'], outputs: ['out', 'log-*.txt'] },
        b: { inputs: ['x/**'], outputs: ['x/y'] },
      },
    });
    expect(needsOf(plan)).toEqual({ a: [], b: [] });
  });

  test('but tasks of one stage may wait for each other', async () => {
    const plan = await planOf({
      stages: {
        step: { matrix: { n: [1, 2] }, inputs: ['in-{{matrix.n}}'], outputs: ['out-{{matrix.n}}'] },
        copy: { inputs: ['out-1'], outputs: ['in-2'] },
      },
    });
    expect(plan.waves).toEqual([['step:n=1'], ['copy'], ['step:n=2']]);
  });

  test('an edge that is also written is not inferred, and no need stands twice', async () => {
    const plan = await planOf({
      stages: {
        one: { outputs: ['a.json', 'b.json'] },
        two: { outputs: ['c.json'] },
        end: { needs: ['one'], inputs: ['a.json', 'b.json', 'c.json', '*.json'] },
      },
    });
    expect(taskOf(plan, 'end').needs).toEqual(['one', 'two']);
    expect(inferredOf(plan).end).toEqual(['two via c.json']);
  });
});

describe('AR501: circles', () => {
  test('through needs', async () => {
    expect(
      await problemsOf({ stages: { a: { needs: ['x', 'c'] }, b: { needs: ['a'] }, c: { needs: ['b'] }, x: {} } }),
    ).toEqual([
      {
        code: 'AR501',
        message: 'stages need each other in a circle: a needs c needs b needs a',
        hint: 'Take out one of these steps',
        at: at('/stages/a/needs/1'),
      },
    ]);
  });

  test('through inputs and outputs', async () => {
    const stages: Stages = {
      a: { needs: ['x'], inputs: ['x.json', 'b.json'], outputs: ['a.json'] },
      b: { inputs: ['*.json'], outputs: ['b.json'] },
      x: {},
    };
    expect(await problemsOf({ stages })).toEqual([
      {
        code: 'AR501',
        message: 'stages need each other in a circle: a reads b.json of b reads *.json of a',
        hint: 'Take out one of these steps',
        at: at('/stages/a/inputs/1'),
      },
    ]);
  });

  test('through both, and through what behaviours say', async () => {
    const stages: Stages = {
      report: { uses: 'render', with: { files: [{ template: 'out/t.hbs', to: 'report.md' }] } },
      make: { needs: ['report'], outputs: ['out'] },
    };
    expect(await problemsOf({ stages })).toEqual([
      {
        code: 'AR501',
        message: 'stages need each other in a circle: report reads out/t.hbs of make needs report',
        hint: 'Take out one of these steps',
        at: at('/stages/report/with'),
      },
    ]);
  });

  test('a stage that needs itself', async () => {
    const [problem] = await problemsOf({ stages: { a: { needs: ['a'] } } });
    expect(problem?.message).toBe('stages need each other in a circle: a needs a');
    const [other] = await problemsOf({ stages: { a: { needs: ['a'], matrix: { i: [1, 2] } } } });
    expect(other?.message).toBe('stages need each other in a circle: a:i=1 needs a:i=1');
  });

  test('does not hide other mistakes', async () => {
    const codes = (await problemsOf({ vars: { x: 1 }, stages: { a: { needs: ['b'] }, b: { needs: ['a', 'c'] } } })).map(
      ({ code }) => code,
    );
    expect(codes).toEqual(['AR301', 'AR307', 'AR501']);
  });
});
