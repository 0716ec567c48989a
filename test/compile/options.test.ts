import { expect, test } from 'vitest';
import { at, behaviour, codesOf, planOf, problemsOf, type Stages } from './study.js';

test('AR201: an unknown option, with the nearest one', async () => {
  const problems = await problemsOf({ stages: { a: { with: { run: 'true', rnu: 'x' } } } });
  expect(problems).toEqual([
    {
      code: 'AR201',
      message: 'unknown key "rnu"',
      hint: expect.stringContaining('Did you mean "run"?'),
      at: at('/stages/a/with/rnu', { key: true }),
    },
  ]);
});

test('AR203: an option of another type', async () => {
  const problems = await problemsOf({ stages: { a: { uses: 'fake', with: { flag: 'yes' } } } });
  expect(problems.map(({ code, at: place }) => [code, place])).toEqual([['AR203', at('/stages/a/with/flag')]]);
});

test('AR203: also when only a template makes it so, and once for all tasks', async () => {
  const stages: Stages = {
    a: { uses: 'fake', matrix: { n: [1, 2] }, with: { count: '{{vars.n}}', any: '{{matrix.n}}' } },
  };
  const problems = await problemsOf({ vars: { n: 'many' }, stages });
  expect(problems.map(({ code, at: place }) => [code, place])).toEqual([['AR203', at('/stages/a/with/count')]]);
});

test('AR204: out of range is never clamped', async () => {
  expect(await codesOf({ vars: { n: 0 }, stages: { a: { uses: 'fake', with: { count: '{{vars.n}}' } } } })).toEqual([
    'AR204',
  ]);
});

test('AR205: a missing option', async () => {
  const problems = await problemsOf({ stages: { a: { with: {} }, b: { uses: 'render' } } });
  expect(problems.map(({ code, at: place }) => [code, place])).toEqual([
    ['AR205', at('/stages/a/with')],
    ['AR205', at('/stages/b/with')],
  ]);
});

test('a behaviour is never asked to describe options that do not fit', async () => {
  const loaded = await behaviour({ type: 'object', required: ['path'], properties: { path: { type: 'string' } } });
  const strict = {
    ...loaded,
    behaviour: {
      ...loaded.behaviour,
      describe: ({ path }: { path?: unknown }) => ({ summary: (path as string).trim() }),
    },
  };
  expect(await codesOf({ stages: { a: { uses: 'mine' } } }, { behaviours: { mine: strict } })).toEqual(['AR205']);
  expect(
    await codesOf({ stages: { a: { uses: 'mine', with: { path: '{{vars.no}}' } } } }, { behaviours: { mine: strict } }),
  ).toEqual(['AR402']);
});

test('options that are said to fit too late are a bug, not a plan without a description', async () => {
  const loaded = { ...(await behaviour({ type: 'object' })), validate: async () => [] };
  await expect(planOf({ stages: { a: { uses: 'mine' } } }, { behaviours: { mine: loaded } })).rejects.toThrow(
    'the options of a fit',
  );
});

test('a behaviour that could not be loaded hides nothing else', async () => {
  const codes = await codesOf({
    vars: { x: 1 },
    stages: { a: { uses: './gone.ts', needs: ['b'], with: { anything: '{{vars.no}}' } } },
  });
  expect([...codes].sort()).toEqual(['AR301', 'AR307', 'AR402']);
});

test('the task holds what the behaviour says', async () => {
  const { tasks } = await planOf({
    stages: { a: { with: { run: ['node', 'x y.js'] } }, b: { uses: 'fake', with: { reads: ['./r'], writes: ['w/'] } } },
  });
  expect(tasks.map(({ uses, behaviour: digest, description }) => ({ uses, digest, description }))).toEqual([
    { uses: 'command', digest: 'command@1', description: { summary: "node 'x y.js'", commands: ["node 'x y.js'"] } },
    { uses: 'fake', digest: 'fake@1', description: { summary: 'fake b', reads: ['./r'], writes: ['w/'] } },
  ]);
});

test.each([
  [
    'throws',
    () => {
      throw new Error('boom');
    },
    'describe() of fake threw: boom',
  ],
  ['answers nonsense', () => undefined as never, 'describe() of fake does not answer with a summary and lists of text'],
])('AR305: a behaviour whose describe() %s', async (_name, describe, message) => {
  const loaded = await behaviour({ type: 'object' });
  const bad = { ...loaded, behaviour: { ...loaded.behaviour, describe } };
  const problems = await problemsOf({ stages: { a: { uses: './bad.ts' } } }, { behaviours: { './bad.ts': bad } });
  expect(problems).toEqual([{ code: 'AR305', message, at: at('/stages/a/uses') }]);
});
