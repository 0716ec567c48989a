import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { openProjectFiles } from '../../src/adapters/disk/project-files.js';
import { foldersOf, globBase, globsMayMeet, isGlob, isWithin } from '../../src/model/glob.js';
import { loadGlobMatch } from '../../src/source/glob.js';

const match = await loadGlobMatch();

describe('isGlob', () => {
  const globs = [
    '*',
    '**',
    'a/*.json',
    'a?',
    'a[0-9]',
    'a/[!x]',
    '{a,b}',
    'v{1..3}',
    'x/{a,{b,c}}',
    '@(a|b)',
    '!(a)',
    '+(a)',
    'a\\*',
  ];
  const names = [
    'a',
    'a/b.json',
    'a b',
    'f(x).json',
    'run (1)/out',
    'a+b',
    'a@b',
    'a!',
    '{a}',
    '{}',
    '[]',
    'a[',
    'a]',
    'a{b',
    'x=1,y=2',
    'ünï',
    '~',
    '#',
  ];
  test.each(globs)('%s is one', (pattern) => expect(isGlob(pattern)).toBe(true));
  test.each(names)('%s is a name', (path) => expect(isGlob(path)).toBe(false));
});

test.each([
  ['out/runs/*.json', 'out/runs'],
  ['out/*/a.json', 'out'],
  ['out/**', 'out'],
  ['**', ''],
  ['*.json', ''],
  ['{src,lib/deep}/a.ts', ''],
  ['a/{src,lib/deep}/a.ts', 'a'],
  ['a/x{b/c,{d,e}}/f', 'a'],
  ['a/b@(c|d/e)/*', 'a'],
  ['a/[bc]/d', 'a'],
  ['a/b\\[1\\]/c*', 'a'],
  ['a (1)/*.json', ''],
  ['x/a+b/*.json', 'x/a+b'],
  ['/abs/in/*.csv', '/abs/in'],
  ['../data/*.csv', '../data'],
])('the base of %s is %j', (pattern, base) => {
  expect(globBase(pattern)).toBe(base);
});

test('foldersOf: nearest first, without the project folder', () => {
  expect(foldersOf('a')).toEqual([]);
  expect(foldersOf('a/b/c.json')).toEqual(['a/b', 'a']);
  expect(foldersOf('/abs/x')).toEqual(['/abs']);
  expect(foldersOf('../x')).toEqual(['..']);
});

test('isWithin: whole names only', () => {
  expect(isWithin('out/a', 'out')).toBe(true);
  expect(isWithin('out', 'out')).toBe(true);
  expect(isWithin('outer/a', 'out')).toBe(false);
  expect(isWithin('out', 'out/a')).toBe(false);
  expect(isWithin('anything', '')).toBe(true);
});

describe('globsMayMeet', () => {
  test.each([
    ['out/*.json', 'out/*.json'],
    ['out/*.json', 'out/a*'],
    ['out/**', 'out/a/*.json'],
    ['**/*.json', 'out/a-?.json'],
    ['out/*/m.json', 'out/a/*'],
    ['out/**/m.json', '**/a/m.*'],
    ['**', '*'],
    ['{a,b}/*.json', 'b/*'],
    ['out/[ab].json', 'out/b*'],
    ['out/@(a|b/c)/*', 'out/b/c/*.json'],
    ['{src,lib/deep}/*.ts', 'lib/**'],
    ['out/run-?', 'out/run-1/*.json'],
    ['*a*a*a*a*a*a*a*b', '*a*a*a*a*a*a*b*'],
  ])('%s and %s may', (a, b) => {
    expect(globsMayMeet(a, b)).toBe(true);
    expect(globsMayMeet(b, a)).toBe(true);
  });

  test.each([
    ['out/*.json', 'out/*.txt'],
    ['out/raw-*.csv', 'out/clean-*.csv'],
    ['out/*.json', 'in/*.json'],
    ['out/*', 'outer/*'],
    ['out/*', 'out/*/m.json*'],
    ['out/a-?.json', 'out/a-??.json'],
    ['a/**/m.json', 'b/**/m.json'],
    ['data/*/train.json', 'data/*/test.json'],
    [`${'*a'.repeat(30)}b`, `${'*a'.repeat(30)}c`],
  ])('%s and %s cannot', (a, b) => {
    expect(globsMayMeet(a, b)).toBe(false);
    expect(globsMayMeet(b, a)).toBe(false);
  });

  test('property: never false when a path matches both', () => {
    const part = fc.constantFrom(
      'a',
      'b',
      'ab',
      '*',
      '?',
      'a*',
      '*b',
      '**',
      '[ab]',
      '{a,b}',
      '{a,b/c}',
      '@(a|b)',
      'a?b',
    );
    const pattern = fc.array(part, { minLength: 1, maxLength: 4 }).map((parts) => parts.join('/'));
    const name = fc.constantFrom('a', 'b', 'ab', 'c', 'aab');
    const path = fc.array(name, { minLength: 1, maxLength: 4 }).map((parts) => parts.join('/'));
    fc.assert(
      fc.property(pattern.filter(isGlob), pattern.filter(isGlob), fc.array(path, { maxLength: 30 }), (a, b, paths) => {
        for (const each of paths) {
          if (match(a, each) && match(b, each)) expect(globsMayMeet(a, b), `${a} and ${b} meet at ${each}`).toBe(true);
          if (match(a, each)) expect(isWithin(each, globBase(a)), `${each} in the base of ${a}`).toBe(true);
        }
      }),
      { numRuns: 500 },
    );
  });
});

const files = [
  'a.json',
  'b.txt',
  '.env',
  '.dot/x.json',
  'a b.json',
  'f(x).json',
  'data[1].json',
  'data1.json',
  '{a}.json',
  'ünï.json',
  'out.json/x',
  'out/a.json',
  'out/b.json',
  'out/.hidden.json',
  'out/a-1.json',
  'out/a-2.json',
  'out/a-10.json',
  'out/sub/c.json',
  'out/sub/deep/d.json',
  'out/run 1/m.json',
  'out/run(1)/m.json',
  'out/run1/m.json',
  'src/a.ts',
  'src/b.tsx',
  'src/x+y.ts',
  'src/@x.ts',
  'lib/deep/a.ts',
];

/** The search of a running study and the matching of the compiler have to mean the same files. */
describe('the file search agrees', async () => {
  const root = mkdtempSync(join(tmpdir(), 'autoresearch-glob-'));
  for (const file of files) {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    writeFileSync(join(root, file), 'x');
  }
  const project = await openProjectFiles(root, { globs: true });
  afterAll(() => rmSync(root, { recursive: true }));

  test.each([
    ['*', 9],
    ['**', files.length],
    ['**/*.json', 20],
    ['out/*.json', 6],
    ['out/**', 11],
    ['out/**/*.json', 11],
    ['**/m.json', 3],
    ['out/*/m.json', 3],
    ['out/run*', 0],
    ['out/run?', 1],
    ['out/run */*', 1],
    ['out/{run1,sub}', 3],
    ['out/s[ua]b', 2],
    ['{out,src}/*', 10],
    ['{src,lib/deep}/a.ts', 2],
    ['out/{a,sub/c}.json', 2],
    ['out/a-[0-9].json', 2],
    ['out/a-[!1].json', 1],
    ['out/a-[^1].json', 1],
    ['out/a-{1..2}.json', 2],
    ['out/a-?.json', 2],
    ['data\\[1\\].json', 1],
    ['@(a|b).*', 2],
    ['src/+(a|b).ts*', 2],
    ['src/!(a).ts*', 3],
    ['src/x+y.*', 1],
    ['.*', 1],
    ['.*/*', 1],
    ['**/.*', 2],
    ['*.{json,txt}', 9],
    ['out/run\\(1\\)/*', 1],
    ['ünï.*', 1],
    ['nothing/*', 0],
  ])('%s', (pattern, count) => {
    expect(isGlob(pattern)).toBe(true);
    const found = project.expand([pattern]);
    expect(found).toEqual(files.filter((file) => match(pattern, file)).sort());
    expect(found.length).toBe(count);
  });

  test('a name is a name, whatever is in it, and a folder stands for what lies in it', () => {
    expect(project.expand(['f(x).json', '{a}.json', 'a b.json', 'gone.json'])).toEqual([
      'a b.json',
      'f(x).json',
      '{a}.json',
    ]);
    expect(project.expand(['out/sub'])).toEqual(['out/sub/c.json', 'out/sub/deep/d.json']);
  });
});
