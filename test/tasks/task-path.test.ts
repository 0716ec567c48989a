import { describe, expect, test } from 'vitest';
import { taskPath } from '../../src/tasks/task-path.js';

describe('taskPath', () => {
  test.each([
    ['src/a.ts', 'src/a.ts'],
    ['./src//a.ts', 'src/a.ts'],
    ['src/', 'src'],
    ['.', '**'],
    ['a/../b', 'b'],
    ['a/b/../{c,d}.ts', 'a/{c,d}.ts'],
    ['.github/*', '.github/*'],
    ['app/[...slug]/page.tsx', 'app/[...slug]/page.tsx'],
    ['app/[[...slug]]/page.tsx', 'app/[[...slug]]/page.tsx'],
    ['*.{test.ts,spec.ts}', '*.{test.ts,spec.ts}'],
    ['{src/a.ts,lib/b.ts}', '{src/a.ts,lib/b.ts}'],
    ['foo{,.test}.ts', 'foo{,.test}.ts'],
    ['{,a}/b', '{,a}/b'],
    ['run-{1..9}/log', 'run-{1..9}/log'],
    ['a..b/c', 'a..b/c'],
    ['...', '...'],
  ])('%s', (written, path) => {
    expect(taskPath(written)).toEqual({ path });
  });

  test.each([
    '..',
    '../a',
    'a/../../b',
    '/etc/passwd',
    '~/.ssh/id',
    'C:\\x',
    'C:/x',
    '\\\\host\\share',
    '..\\a',
    'a\\..\\..\\b',
    '{..,a}/b',
    '{a,..}/b',
    '@(..|a)/b',
    '.{.,x}/b',
    '{.,x}./b',
    '{.,..}/b',
    '[.][.]/b',
    '.[.]/b',
    '**/../../b',
    '{a/../../..,b}/c',
    '{a/..,b}/../c',
    'x/{../..,b}/c',
  ])('%s leads out', (written) => {
    expect(taskPath(written)).toEqual({ wrong: `${JSON.stringify(written)} leads out of the project` });
  });

  test('what is no path at all', () => {
    expect(taskPath(' ')).toEqual({ wrong: 'a path is empty' });
    expect(taskPath('a\nb')).toEqual({ wrong: '"a\\nb" holds a control character' });
    expect(taskPath('a\u0000b')).toEqual({ wrong: '"a\\u0000b" holds a control character' });
    expect(taskPath('['.repeat(100_000))).toEqual({ wrong: 'a path is longer than 1000 characters' });
  });
});
