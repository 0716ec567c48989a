import { describe, expect, test } from 'vitest';
import { at, planOf, problemsOf, taskOf } from './study.js';

const ids = async (matrix: Record<string, unknown>, vars = {}): Promise<readonly string[]> =>
  (await planOf({ vars, stages: { a: { matrix: matrix as { [name: string]: [number] } } } })).tasks.map(({ id }) => id);

describe('tasks of a matrix', () => {
  test('one for each combination, the last name varying fastest', async () => {
    expect(await ids({ arm: ['x', 'y'], seed: [1, 2] })).toEqual([
      'a:arm=x,seed=1',
      'a:arm=x,seed=2',
      'a:arm=y,seed=1',
      'a:arm=y,seed=2',
    ]);
  });

  test('values keep their types', async () => {
    const plan = await planOf({ stages: { a: { matrix: { lr: [1e-7], on: [true], name: ['1'] } } } });
    expect(plan.tasks[0]?.matrix).toEqual({ lr: 1e-7, on: true, name: '1' });
    expect(plan.tasks[0]?.id).toBe('a:lr=1e-7,on=true,name=1');
  });

  test('a list variable, and a variable as one of the values', async () => {
    expect(await ids({ seed: '{{vars.seeds}}' }, { seeds: [3, 4] })).toEqual(['a:seed=3', 'a:seed=4']);
    expect(await ids({ seed: [1, '{{vars.last}}'] }, { last: 9 })).toEqual(['a:seed=1', 'a:seed=9']);
  });

  test('names are safe as names of folders', async () => {
    expect(await ids({ path: ['../../x y', 'ü/\0'] })).toEqual(['a:path=.._.._x_y', 'a:path=___']);
    const [long] = await ids({ text: ['z'.repeat(500)] });
    expect(long).toMatch(/^a:text=z{183}~[0-9a-f]{8}$/);
    const [one, two] = await ids({ text: [`${'z'.repeat(500)}1`, `${'z'.repeat(500)}2`] });
    expect(one).not.toBe(two);
  });

  test('an axis called __proto__ is an axis', async () => {
    const plan = await planOf({ stages: { a: { matrix: JSON.parse('{"__proto__": [1, 2]}') } } });
    expect(plan.tasks.map(({ id }) => id)).toEqual(['a:__proto__=1', 'a:__proto__=2']);
    expect(JSON.stringify(taskOf(plan, 'a:__proto__=1').matrix)).toBe('{"__proto__":1}');
  });
});

describe('AR505: two tasks of one name', () => {
  test('a value that is written twice', async () => {
    expect(await problemsOf({ stages: { a: { matrix: { seed: [1, 2, 1] } } } })).toEqual([
      {
        code: 'AR505',
        message: '{"seed":1} and {"seed":1} would both be called a:seed=1',
        hint: 'Give values that differ in letters, digits or . _ + -',
        at: at('/stages/a/matrix'),
      },
    ]);
  });

  test('values that differ only in what a folder name cannot hold, or in type', async () => {
    const messages = async (values: [string | number, string | number]) =>
      (await problemsOf({ stages: { a: { matrix: { v: values } } } })).map(({ message }) => message);
    expect(await messages(['a b', 'a/b'])).toEqual(['{"v":"a b"} and {"v":"a/b"} would both be called a:v=a_b']);
    expect(await messages([1, '1'])).toEqual(['{"v":1} and {"v":"1"} would both be called a:v=1']);
  });

  test('what holds the parts of a name together cannot come from a value', async () => {
    expect(await ids({ x: ['1', '1,y=2'], y: ['2'] })).toEqual(['a:x=1,y=2', 'a:x=1_y_2,y=2']);
  });
});

describe('AR408: what is no list of values', () => {
  test('a variable that is one value', async () => {
    expect(await problemsOf({ vars: { seed: 5 }, stages: { a: { matrix: { seed: '{{vars.seed}}' } } } })).toEqual([
      {
        code: 'AR408',
        message: 'a matrix needs a list of values, and this gives one',
        at: at('/stages/a/matrix/seed'),
      },
    ]);
  });

  test('an empty list would leave the stage out in silence', async () => {
    expect(await problemsOf({ vars: { seeds: [] }, stages: { a: { matrix: { seed: '{{vars.seeds}}' } } } })).toEqual([
      { code: 'AR408', message: 'the list is empty, so there would be no task', at: at('/stages/a/matrix/seed') },
    ]);
  });

  test('keys and names that are wrong whatever the values are told with it, and nothing that depends on them', async () => {
    const problems = await problemsOf({
      vars: { seeds: [] },
      stages: {
        a: {
          matrix: { arm: ['x'], seed: '{{vars.seeds}}' },
          with: { run: 'train {{matrix.sed}} {{matrix.arm}}', cmd: 'x' },
          timeout: '{{matrix.seed}}',
          when: 'matrix.seed > 1',
          outputs: ['out/{{matrix.seed}}'],
        },
      },
    });
    expect(problems.map(({ code, message }) => `${code} ${message}`)).toEqual([
      'AR408 the list is empty, so there would be no task',
      'AR402 unknown name "matrix.sed"',
      'AR201 unknown key "cmd"',
    ]);
  });

  test('a list or a map as one of the values', async () => {
    expect(
      await problemsOf({
        vars: { seeds: [1, 2] },
        stages: { a: { matrix: { seed: [0, '{{vars.seeds}}', '{{stage}}'] } } },
      }),
    ).toEqual([
      {
        code: 'AR408',
        message: 'a value of a matrix is text, a number or true or false, and this gives a list',
        at: at('/stages/a/matrix/seed/1'),
      },
      {
        code: 'AR408',
        message: 'a value of a matrix is text, a number or true or false, and this gives a map',
        at: at('/stages/a/matrix/seed/2'),
      },
    ]);
  });
});

describe('include and exclude', () => {
  const grid = { arm: ['x', 'y'], seed: [1, 2] };

  test('take combinations away and add some', async () => {
    expect(await ids({ ...grid, exclude: [{ arm: 'y', seed: 2 }] })).toEqual([
      'a:arm=x,seed=1',
      'a:arm=x,seed=2',
      'a:arm=y,seed=1',
    ]);
    expect(await ids({ ...grid, exclude: [{ seed: 2 }] })).toEqual(['a:arm=x,seed=1', 'a:arm=y,seed=1']);
    expect(await ids({ arm: ['x'], seed: [1], include: [{ seed: 9, arm: 'z' }] })).toEqual([
      'a:arm=x,seed=1',
      'a:arm=z,seed=9',
    ]);
  });

  test('what was taken away may come back, and a list may be all there is', async () => {
    expect(await ids({ ...grid, exclude: [{ arm: 'y' }], include: [{ arm: 'y', seed: 2 }] })).toEqual([
      'a:arm=x,seed=1',
      'a:arm=x,seed=2',
      'a:arm=y,seed=2',
    ]);
    expect(
      await ids({
        include: [
          { lr: 0.1, seed: 1 },
          { lr: 0.2, seed: 2 },
        ],
      }),
    ).toEqual(['a:lr=0.1,seed=1', 'a:lr=0.2,seed=2']);
  });

  test('values may be templates', async () => {
    expect(
      await ids({ seed: '{{vars.seeds}}', exclude: [{ seed: '{{vars.bad}}' }] }, { seeds: [3, 4], bad: 4 }),
    ).toEqual(['a:seed=3']);
  });

  const wrong = async (matrix: object) =>
    (await problemsOf({ stages: { a: { matrix: matrix as { [name: string]: [number] } } } })).map(
      ({ code, message, hint }) => [code, message, hint].filter((part) => part !== undefined).join(' '),
    );

  test('what would do nothing is a mistake', async () => {
    expect(await wrong({ ...grid, exclude: [{ arm: 'z' }] })).toEqual(['AR367 no combination has arm=z']);
    expect(await wrong({ ...grid, exclude: [{ seed: '1' }] })).toEqual(['AR367 no combination has seed=1']);
    expect(await wrong({ ...grid, exclude: [{ arm: 'x' }, { arm: 'x', seed: 1 }] })).toEqual([
      'AR367 no combination has arm=x, seed=1',
    ]);
    expect(await wrong({ ...grid, exclude: [{ arn: 'x' }] })).toEqual([
      'AR367 the matrix has no arn Did you mean "arm"?',
    ]);
    expect(await wrong({ ...grid, include: [{ arm: 'z' }] })).toEqual(['AR367 arm=z does not say seed']);
    expect(await wrong({ ...grid, include: [{ arm: 'z', seed: 1, lr: 2 }] })).toEqual(['AR367 the matrix has no lr']);
    expect((await wrong({ ...grid, include: [{ arm: 'x', seed: 1 }] }))[0]).toContain('AR505');
    expect(await wrong({ arm: ['x'], exclude: [{ arm: 'x' }] })).toEqual(['AR367 every combination is left out']);
  });

  test('parallel is for stages of many tasks', async () => {
    const plan = await planOf({ stages: { a: { matrix: { seed: [1, 2] }, parallel: 1 } } });
    expect(plan.tasks.map(({ parallel }) => parallel)).toEqual([1, 1]);
    const problems = await problemsOf({ stages: { a: { parallel: 2 } } });
    expect(problems).toMatchObject([{ code: 'AR368', message: 'parallel has no effect: the stage is one task' }]);
  });
});
