import { describe, expect, test } from 'vitest';
import { at, codesOf, planOf, problemsOf, type Stages } from './study.js';

const writers = (first: string, second: string): Stages => ({ one: { outputs: [first] }, two: { outputs: [second] } });

describe('AR502: two writers of one output', () => {
  test('two stages, with both places', async () => {
    expect(await problemsOf({ stages: writers('out/a.json', 'out/a.json') })).toEqual([
      {
        code: 'AR502',
        message: 'two and one both write out/a.json',
        hint: 'Let each write a file of its own',
        at: at('/stages/two/outputs/0'),
        related: [{ message: 'one writes it here', at: at('/stages/one/outputs/0') }],
      },
    ]);
  });

  test('the tasks of one matrix', async () => {
    const train = { matrix: { arm: ['a', 'b'], seed: [1, 2] }, outputs: ['out/all.json'] };
    expect(await problemsOf({ stages: { train } })).toEqual([
      {
        code: 'AR502',
        message: 'several tasks of train write out/all.json',
        hint: 'Put {{matrix.seed}} into the path',
        at: at('/stages/train/outputs/0'),
      },
    ]);
  });

  test('the hint names the axis that is missing, not the one that is there', async () => {
    const train = { matrix: { arm: ['a', 'b'], seed: [1, 2] }, outputs: ['out/{{matrix.arm}}.json'] };
    expect(await problemsOf({ stages: { train } })).toEqual([
      {
        code: 'AR502',
        message: 'several tasks of train write out/a.json',
        hint: 'Put {{matrix.seed}} into the path',
        at: at('/stages/train/outputs/0'),
      },
      {
        code: 'AR502',
        message: 'several tasks of train write out/b.json',
        hint: 'Put {{matrix.seed}} into the path',
        at: at('/stages/train/outputs/0'),
      },
    ]);
    const other = { matrix: { arm: ['a', 'b'], seed: [1, 2] }, outputs: ['out/{{matrix.seed}}.json'] };
    const hints = (await problemsOf({ stages: { other } })).map(({ hint }) => hint);
    expect(new Set(hints)).toEqual(new Set(['Put {{matrix.arm}} into the path']));
  });

  test('the same path in other words', async () => {
    expect(await codesOf({ stages: writers('out/a.json', './out//b/../a.json') })).toEqual(['AR502']);
  });

  test('a folder and something in it, in both orders', async () => {
    expect(await problemsOf({ stages: writers('out', 'out/a.json') })).toEqual([
      {
        code: 'AR502',
        message: 'two and one both write out/a.json and out',
        hint: 'Let each write a file of its own',
        at: at('/stages/two/outputs/0'),
        related: [{ message: 'one writes it here', at: at('/stages/one/outputs/0') }],
      },
    ]);
    expect(await codesOf({ stages: writers('out/a/b.json', 'out') })).toEqual(['AR502']);
    expect(await codesOf({ stages: writers('.', 'out/a.json') })).toEqual(['AR502']);
    expect(await codesOf({ stages: writers('out/a.json', '.') })).toEqual(['AR502']);
  });

  test.each([
    ['out/*.json', 'out/a.json'],
    ['out/a.json', 'out/*.json'],
    ['out/**', 'out/deep/a.json'],
    ['out/**', 'out'],
    ['out', 'out/runs/*.json'],
    ['out/runs/*.json', 'out'],
    ['out/*.json', '.'],
    ['{a,b}/x.json', 'b/x.json'],
    ['{a,b/c}/x.json', 'b/c/x.json'],
    ['out/*.json', 'out/*.json'],
  ])('%s and %s', async (first, second) => {
    expect(await codesOf({ stages: writers(first, second) })).toEqual(['AR502']);
  });

  test.each([
    ['out/a.json', 'out/b.json'],
    ['out/a.json', 'out/a.json.txt'],
    ['out', 'outer/a.json'],
    ['out/*.json', 'out/*.txt'],
    ['out/a*.json', 'out/*b.json'],
    ['out/*.json', 'out/deep/a.json'],
    ['out/*/m.json', 'out/a'],
    ['out/**/m.json', 'out/log.txt'],
    ['f(x).json', 'fx.json'],
  ])('%s and %s are not sure to be the same', async (first, second) => {
    await planOf({ stages: writers(first, second) });
  });

  test('one stage may name its own output twice, and as part of a folder', async () => {
    await planOf({ stages: { a: { outputs: ['out', 'out/a.json', './out/a.json', 'out/*.json'] } } });
  });

  test('what a behaviour says that it writes counts', async () => {
    const stages: Stages = {
      one: { uses: 'fake', with: { writes: ['report.md'] } },
      two: { uses: 'render', with: { files: [{ template: 't.hbs', to: './report.md' }] } },
    };
    expect(await problemsOf({ stages })).toEqual([
      {
        code: 'AR502',
        message: 'two and one both write report.md',
        hint: 'Let each write a file of its own',
        at: at('/stages/two/with'),
        related: [{ message: 'one writes it here', at: at('/stages/one/with') }],
      },
    ]);
  });

  test('three writers: each later one is told about the first', async () => {
    const stages: Stages = { a: { outputs: ['x'] }, b: { outputs: ['x'] }, c: { outputs: ['x'] } };
    expect((await problemsOf({ stages })).map(({ message }) => message)).toEqual([
      'b and a both write x',
      'c and a both write x',
    ]);
  });

  test('a path that could not be filled in is one mistake, not two', async () => {
    const train = {
      matrix: { seed: [1, 2] },
      outputs: ['out/{{matrix.sed}}.json'],
      schema: { 'out/{{matrix.sed}}.json': 's.json' },
    };
    const problems = await problemsOf({ stages: { train } });
    expect(problems.map(({ code, at: place }) => [code, place])).toEqual([
      ['AR402', at('/stages/train/outputs/0', { within: [13, 16] })],
      ['AR402', at('/stages/train/schema/out~1{{matrix.sed}}.json', { within: [13, 16] })],
    ]);
  });
});

describe('AR503: protected paths', () => {
  test('an output that is protected itself', async () => {
    expect(
      await problemsOf({ protect: ['design/metrics.yaml'], stages: { a: { outputs: ['./design/metrics.yaml'] } } }),
    ).toEqual([
      {
        code: 'AR503',
        message: 'design/metrics.yaml lies under the protected path design/metrics.yaml',
        hint: 'Write it elsewhere, or take it out of "protect"',
        at: at('/stages/a/outputs/0'),
      },
    ]);
  });

  test.each([
    ['eval', 'eval/a.json'],
    ['eval/', 'eval/a/b.json'],
    ['./eval', 'eval/a.json'],
    ['eval', 'eval'],
    ['.', 'anything'],
    ['./', 'out/*.json'],
    ['eval/**', 'eval/a/b.json'],
    ['./eval/**', 'eval/a.json'],
    ['eval/**', 'eval'],
    ['eval/**', 'eval/*.json'],
    ['eval/**', 'eval/**'],
    ['eval', 'eval/*.json'],
    ['eval/*.json', 'eval/*.json'],
    ['eval/{a,b}.json', 'eval/{a,b}.json'],
    ['eval/[ab].json', './eval/[ab].json'],
    ['eval/*.json', 'eval/run-*.json'],
    ['eval/*.json', 'eval/{a,b}.json'],
    ['**/*.yaml', 'design/*.yaml'],
    ['**/*.yaml', 'a.yaml'],
    ['eval/[ab].json', 'eval/a.json'],
    ['**', 'x'],
  ])('protect %s refuses the output %s', async (guard, output) => {
    expect(await codesOf({ protect: [guard], stages: { a: { outputs: [output] } } })).toEqual(['AR503']);
    expect(await codesOf({ stages: { a: { protect: [guard], outputs: [output] } } })).toEqual(['AR503']);
  });

  test.each([
    ['eval', 'evaluation/a.json'],
    ['eval/*.json', 'eval/deep/a.json'],
    ['eval/*.json', 'eval/*'],
    ['eval/x*', 'eval/*'],
    ['eval/gold.json', 'eval/*.json'],
    ['eval/gold.json', 'eval'],
    ['**/*.yaml', 'design/**'],
  ])('protect %s leaves %s alone, which need not touch it', async (guard, output) => {
    await planOf({ protect: [guard], stages: { a: { outputs: [output] } } });
  });

  test('what a behaviour says that it writes counts', async () => {
    const stages: Stages = { a: { uses: 'render', with: { files: [{ template: 't.hbs', to: 'eval/report.md' }] } } };
    expect(await problemsOf({ protect: ['eval/**'], stages })).toEqual([
      {
        code: 'AR503',
        message: 'eval/report.md lies under the protected path eval/**',
        hint: 'Write it elsewhere, or take it out of "protect"',
        at: at('/stages/a/with'),
      },
    ]);
  });

  test('the protection of a stage holds for that stage only', async () => {
    const stages: Stages = {
      a: { protect: ['a/**'], outputs: ['b/x'] },
      b: { needs: ['a'], protect: ['b/**'], outputs: ['a/x'] },
    };
    await planOf({ stages });
  });

  test('reading what is protected is what it is for', async () => {
    await planOf({ protect: ['eval/**'], stages: { a: { inputs: ['eval/gold.json'], outputs: ['out.json'] } } });
  });

  test('AR407: a template would protect nothing', async () => {
    const study = {
      vars: { dir: 'eval' },
      protect: ['{{vars.dir}}/**'],
      stages: { a: { protect: ['ok', '{{vars.dir}}'] } },
    };
    expect(await problemsOf(study)).toEqual([
      {
        code: 'AR407',
        message: 'a protected path cannot hold a template',
        hint: 'Write the path itself',
        at: at('/protect/0'),
      },
      {
        code: 'AR407',
        message: 'a protected path cannot hold a template',
        hint: 'Write the path itself',
        at: at('/stages/a/protect/1'),
      },
    ]);
  });
});

describe('AR504: paths that lead out', () => {
  test('an output', async () => {
    expect(await problemsOf({ stages: { a: { outputs: ['ok', '../other/x.json'] } } })).toEqual([
      {
        code: 'AR504',
        message: '../other/x.json leads out of the project',
        hint: 'Write a path below the folder of the config',
        at: at('/stages/a/outputs/1'),
      },
    ]);
  });

  const outside: Stages[string][] = [
    { outputs: ['/etc/passwd'] },
    { outputs: ['..'] },
    { outputs: ['a/../../b'] },
    { outputs: ['../*.json'] },
    { cwd: '..' },
    { cwd: '/tmp' },
    { outputs: ['a.json'], schema: { 'a.json': '../s.json' } },
    { uses: 'fake', with: { writes: ['../x'] } },
  ];
  test.each(outside)('%j', async (stage) => {
    expect(await codesOf({ stages: { a: stage } })).toEqual(['AR504']);
  });

  test('also when only a template makes it so', async () => {
    const study = { vars: { up: '../..' }, stages: { a: { outputs: ['a/{{vars.up}}/x'] } } };
    expect(await problemsOf(study)).toEqual([
      {
        code: 'AR504',
        message: 'a/../../x leads out of the project',
        hint: 'Write a path below the folder of the config',
        at: at('/stages/a/outputs/0'),
      },
    ]);
  });

  test('a part of the config, by its name or in a pattern', async () => {
    const ownFiles = ['autoresearch.config.yaml', 'lab/preset.yaml'];
    const outputs = ['./autoresearch.config.yaml', 'lab/*', 'out/*.yaml', 'autoresearch.config.yml'];
    expect(await problemsOf({ stages: { a: { outputs } } }, { ownFiles })).toEqual([
      {
        code: 'AR504',
        message: 'autoresearch.config.yaml is a part of the config',
        hint: 'Write it elsewhere',
        at: at('/stages/a/outputs/0'),
      },
      {
        code: 'AR504',
        message: 'lab/* takes in lab/preset.yaml, a part of the config',
        hint: 'Name what is written more closely',
        at: at('/stages/a/outputs/1'),
      },
    ]);
  });

  test('what a stage reads may lie outside', async () => {
    const { tasks } = await planOf({
      stages: { a: { inputs: ['../data/x.csv', '/data/y.csv', 'a/../b'], outputs: ['a/../b/..c'] } },
    });
    expect(tasks[0]?.inputs).toEqual(['../data/x.csv', '/data/y.csv', 'b']);
    expect(tasks[0]?.outputs).toEqual(['b/..c']);
  });

  test('a NUL character, an empty path and a pattern that takes something out', async () => {
    expect(await problemsOf({ stages: { a: { inputs: ['a\0b'] } } })).toEqual([
      { code: 'AR504', message: 'a path cannot hold a NUL character', at: at('/stages/a/inputs/0') },
    ]);
    expect(await problemsOf({ vars: { x: '' }, stages: { a: { outputs: ['{{vars.x}}'] } } })).toEqual([
      {
        code: 'AR408',
        message: 'this gives an empty path, which would mean the whole project',
        at: at('/stages/a/outputs/0'),
      },
    ]);
    expect(await problemsOf({ stages: { a: { inputs: ['!a.json'] } } })).toEqual([
      {
        code: 'AR204',
        message: '!a.json: patterns that take something out are not supported',
        hint: 'Name what belongs to it instead',
        at: at('/stages/a/inputs/0'),
      },
    ]);
    await planOf({ stages: { a: { inputs: ['!(a).json'] } } });
  });
});

describe('AR506: schemas', () => {
  test('for something that is not an output', async () => {
    const a = { outputs: ['out/a.json', 'out/b.json'], schema: { 'out/c.json': 'c.schema.json' } };
    expect(await problemsOf({ stages: { a } })).toEqual([
      {
        code: 'AR506',
        message: 'out/c.json has a schema but is not an output of this stage',
        hint: 'Its outputs are out/a.json, out/b.json',
        at: at('/stages/a/schema/out~1c.json', { key: true }),
      },
    ]);
  });

  test('for a stage without outputs', async () => {
    expect(await problemsOf({ stages: { a: { schema: { 'a.json': 's.json' } } } })).toEqual([
      {
        code: 'AR506',
        message: 'a.json has a schema but is not an output of this stage',
        hint: 'Add it to "outputs"',
        at: at('/stages/a/schema/a.json', { key: true }),
      },
    ]);
  });

  test('the same output in other words is the same output', async () => {
    const a = {
      matrix: { seed: [7] },
      outputs: ['./out/{{matrix.seed}}.json'],
      schema: { 'out//{{matrix.seed}}.json': './s/../m.json' },
    };
    expect((await planOf({ stages: { a } })).tasks[0]?.schema).toEqual({ 'out/7.json': 'm.json' });
  });

  test('AR108: two schemas for one output', async () => {
    const a = { outputs: ['a.json'], schema: { 'a.json': 'one.json', './a.json': 'two.json' } };
    expect(await problemsOf({ stages: { a } })).toEqual([
      {
        code: 'AR108',
        message: 'a.json has two schemas',
        hint: 'Keep one of the two',
        at: at('/stages/a/schema/.~1a.json', { key: true }),
      },
    ]);
  });
});
