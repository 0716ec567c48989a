import { expect, test } from 'vitest';
import { at, codesOf, problemsOf } from './study.js';

const writes = { outputs: ['src/out.txt'] };

test('a stage cannot protect what another one writes at the same time', async () => {
  expect(await problemsOf({ stages: { w: writes, g: { protect: ['src/**'] } } })).toEqual([
    {
      code: 'AR503',
      message: 'stage "g" protects src/**, which stage "w" writes and which may run at the same time',
      at: at('/stages/g/protect'),
      hint: 'Let one of them need the other, or take it out of protect',
    },
  ]);
});

test('nor what lies in the scope of another one, and is told what to do about that', async () => {
  const agents = { a: { backend: 'command', run: 'true', limits: { timeout: '1m' } } } as const;
  const w = { uses: 'agent', agent: 'a', with: { instructions: 'x', verify: 'true' }, scope: ['src/**'] };
  expect(await problemsOf({ agents, stages: { w, g: { protect: ['src/eval/**'] } } })).toEqual([
    {
      code: 'AR503',
      message:
        'stage "g" protects src/eval/**, which stage "w" may write (its scope) and which may run at the same time',
      at: at('/stages/g/protect'),
      hint: 'Let one of them need the other, narrow "scope" of stage "w", or protect it in the whole study: "protect" at the top of the config goes before any scope',
    },
  ]);
  expect(await codesOf({ agents, protect: ['src/eval/**'], stages: { w, g: {} } })).toEqual([]);
});

test.each([
  ['after it', { w: writes, g: { protect: ['src/**'], needs: ['w'] } }],
  ['before it', { g: { protect: ['src/**'] }, w: { ...writes, needs: ['g'] } }],
  ['long after it', { w: writes, m: { needs: ['w'] }, g: { protect: ['src/out.txt'], needs: ['m'] } }],
  ['elsewhere', { w: writes, g: { protect: ['eval/**'] } }],
])('%s it can', async (_, stages) => {
  expect(await codesOf({ stages })).toEqual([]);
});

test.each(['src/*.txt', 'src', '**/*.txt'])('whatever the pattern: %s', async (pattern) => {
  expect(await codesOf({ stages: { w: writes, g: { protect: [pattern] } } })).toEqual(['AR503']);
});
