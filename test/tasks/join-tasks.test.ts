import { describe, expect, test } from 'vitest';
import { problemsOf } from './task-text.js';

/** `a: x.ts; b < a: y.ts` → two tasks, b after a. */
const tasks = (short: string) =>
  short
    .split(';')
    .map((part) => {
      const [, id, needs, files] = /^\s*(\w+)(?: < ([\w ]+))?(?:: (.*))?$/.exec(part)!;
      const list = (files ?? '')
        .trim()
        .split(/\s+/)
        .filter(Boolean)
        .map((file) => JSON.stringify(file));
      return `- { id: ${id}, title: T, depends_on: [${(needs ?? '').split(' ')}], files: [${list}] }`;
    })
    .join('\n');

const messages = async (text: string) =>
  (await problemsOf(text)).map((line) => line.replace(/^\d+:(\d+)\+\d+ /, '').replace(/ \(.*/, ''));

describe('circles', () => {
  test('each with its members, also more than one', async () => {
    expect(await problemsOf(tasks('a < b; b < c; c < a; d < d; e < a'))).toEqual([
      '1:35+1 error: "a", "b" and "c" wait for each other: "a" → "b" → "c" → "a" (Take one link out)',
      '4:35+1 error: "d" depends on itself (Take one link out)',
    ]);
  });

  test('a wave without depends_on cannot hide one', async () => {
    expect(
      await messages(
        '- { id: a, title: A, wave: 1, depends_on: [m] }\n- { id: m, title: M, needs: [b] }\n- { id: b, title: B, wave: 2 }',
      ),
    ).toEqual(['error: "a" is of wave 1, but it waits for "b" of wave 2']);
  });
});

describe('waves', () => {
  test('the same wave as what it waits for is a contradiction', async () => {
    expect(await messages('- { id: a, title: A, wave: 1 }\n- { id: b, title: B, wave: 1, needs: a }')).toEqual([
      'error: "b" is of wave 1, but it waits for "a" of wave 1',
    ]);
  });
});

describe('files that two tasks write', () => {
  const both = (what: string) => `error: "a" and "b" may run at the same time, and both write ${what}`;
  const maybe = (what: string) =>
    `warning: "a" and "b" may run at the same time, and what they write may overlap: ${what}`;

  test.each([
    ['a: x.ts; b: x.ts', [both('"x.ts"')]],
    ['a: ./src/x.ts; b: src//y/../x.ts', [both('"src/x.ts"')]],
    ['a: src; b: src/deep/x.ts', [both('"src" and "src/deep/x.ts"')]],
    ['a: src/deep/x.ts; b: src/', [both('"src/deep/x.ts" and "src"')]],
    ['a: src/*.ts; b: src/x.ts', [both('"src/*.ts" and "src/x.ts"')]],
    ['a: src/x.ts; b: "src/**"'.replaceAll('"', ''), [both('"src/x.ts" and "src/**"')]],
    ['a: src/**; b: src/**', [both('"src/**"')]],
    ['a: src/**; b: src/a/*.ts', [both('"src/**" and "src/a/*.ts"')]],
    ['a: src/*.ts; b: src/a*', [maybe('"src/*.ts" and "src/a*"')]],
    ['a: .; b: x.ts', [both('"**" and "x.ts"')]],
    ['a: src/*.ts; b: src/x.js', []],
    ['a: src/*.ts; b: src/*.js', []],
    ['a: src/*.ts; b: lib/*.ts', []],
    ['a: x.ts; b: x.tsx', []],
    ['a: src/x; b: src/xy', []],
    ['a: x.ts; m < a; b < m: x.ts', []],
    ['a < m: x.ts; m < b; b: x.ts', []],
    ['a: x.ts; m < a; b: x.ts', [both('"x.ts"')]],
  ])('%s', async (short, expected) => {
    expect(await messages(tasks(short))).toEqual(expected);
  });

  test('every writer hears of it, with the way out', async () => {
    expect(await problemsOf(tasks('a: x.ts; b: x.ts; c < a: x.ts'))).toEqual([
      '2:46+6 error: "a" and "b" may run at the same time, and both write "x.ts" (Let "b" depend on "a")',
      '3:47+6 error: "b" and "c" may run at the same time, and both write "x.ts" (Let "c" depend on "b")',
    ]);
  });

  test('nothing is said about those whose order is not known yet', async () => {
    expect(await messages(tasks('a: x.ts; b < nobody: x.ts; c < b: x.ts'))).toEqual([
      'error: "b" depends on "nobody", which is not a task',
    ]);
  });
});
