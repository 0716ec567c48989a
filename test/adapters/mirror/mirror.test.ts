import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type MirrorPair, mirrorDifferences, mirrorText } from '../../../src/adapters/mirror/mirror.js';

let dir: string;
let root: string;
let pair: MirrorPair;

beforeEach(() => {
  dir = realpathSync(mkdtempSync(join(tmpdir(), 'mirror-')));
  root = join(dir, 'project');
  pair = ['env/src', join(dir, 'lib/env')];
  for (const folder of [there(), here()]) {
    mkdirSync(join(folder, 'sub/deep'), { recursive: true });
    put(join(folder, 'main.py'), 'print(1)\n');
    put(join(folder, 'sub/deep/data'), 'x'.repeat(300_000));
    symlinkSync('main.py', join(folder, 'link'));
  }
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const there = (...path: string[]): string => join(root, 'env/src', ...path);
const here = (...path: string[]): string => join(dir, 'lib/env', ...path);
const put = (file: string, content: string): void => {
  writeFileSync(file, content);
  chmodSync(file, 0o644);
};
const found = async (): Promise<string[]> => {
  const { list, count } = await mirrorDifferences([pair], root);
  expect(count).toBe(list.length);
  return list.map(({ path, how }) => `${how} ${path}`);
};

describe('mirrorDifferences', () => {
  it('finds none in a faithful copy', async () => {
    expect(await mirrorDifferences([pair], root)).toEqual({ list: [], count: 0 });
    expect(await mirrorDifferences([], root)).toEqual({ list: [], count: 0 });
  });

  it('finds files and folders that only one has, one line for a whole folder', async () => {
    mkdirSync(there('new/inner'), { recursive: true });
    put(there('new/inner/a'), '');
    put(here('sub/extra'), '');
    expect(await found()).toEqual(['only-in-source new', 'only-in-copy sub/extra']);
  });

  it('finds an edit that left size and times as they were', async () => {
    const { atime, mtime } = statSync(here('sub/deep/data'));
    put(here('sub/deep/data'), `${'x'.repeat(299_999)}y`);
    utimesSync(here('sub/deep/data'), atime, mtime);
    expect(await found()).toEqual(['content sub/deep/data']);
  });

  it('finds a file that is longer by a piece of zeros', async () => {
    truncateSync(here('main.py'), 1 << 18);
    expect(await found()).toEqual(['content main.py']);
  });

  it('compares kinds, permissions and the targets of links', async () => {
    rmSync(here('link'));
    symlinkSync('sub', here('link'));
    chmodSync(here('main.py'), 0o755);
    chmodSync(here('sub'), 0o700);
    rmSync(here('sub/deep/data'));
    symlinkSync(there('sub/deep/data'), here('sub/deep/data'));
    expect(await found()).toEqual(['content link', 'mode main.py', 'mode sub', 'type sub/deep/data']);
  });

  it('a folder that became a link to its source is no copy', async () => {
    rmSync(here('sub'), { recursive: true });
    symlinkSync(there('sub'), here('sub'));
    expect(await found()).toEqual(['type sub']);
    rmSync(here(), { recursive: true });
    symlinkSync(there(), here());
    expect(await found()).toEqual(['type .']);
  });

  it('leaves caches and git alone', async () => {
    mkdirSync(here('sub/__pycache__'));
    put(here('sub/__pycache__/a.cpython-312.pyc'), '');
    put(here('b.pyc'), '');
    mkdirSync(there('.git'));
    expect(await found()).toEqual([]);
  });

  it('names the one that is missing', async () => {
    rmSync(join(dir, 'lib'), { recursive: true });
    expect(await found()).toEqual([`missing ${here()}`]);
    rmSync(there(), { recursive: true });
    expect(await found()).toEqual(['missing env/src', `missing ${here()}`]);
    symlinkSync('/nowhere', there());
    mkdirSync(here(), { recursive: true });
    expect(await found()).toEqual(['type .']);
  });

  it('a pair may be two files', async () => {
    pair = ['env/src/main.py', here('main.py')];
    expect(await found()).toEqual([]);
    put(here('main.py'), 'print(2)\n');
    expect(await found()).toEqual(['content .']);
    pair = ['env/src/main.py', here('sub')];
    expect(await found()).toEqual(['type .']);
  });

  it('a pipe does not hang it and is no match, not even for another pipe', async () => {
    execFileSync('mkfifo', [here('pipe'), there('pipe'), here('only')]);
    rmSync(here('main.py'));
    execFileSync('mkfifo', [here('main.py')]);
    expect(await found()).toEqual(['type main.py', 'only-in-copy only', 'unreadable pipe']);
    pair = [there('pipe'), here('pipe')];
    expect(await found()).toEqual(['unreadable .']);
  });

  it('what cannot be read is different', async () => {
    chmodSync(dir, 0o755);
    for (const side of [there, here]) {
      put(side('closed'), 'same');
      chmodSync(side('closed'), 0);
      chmodSync(side('sub'), 0);
    }
    const isRoot = process.geteuid?.() === 0;
    if (isRoot) process.seteuid?.(65_534);
    try {
      expect(await found()).toEqual(['unreadable closed', 'unreadable sub']);
      pair = ['env/src/sub/deep', here('sub/deep')];
      expect(await found()).toEqual(['unreadable .']);
    } finally {
      if (isRoot) process.seteuid?.(0);
      for (const side of [there, here]) chmodSync(side('sub'), 0o755);
    }
  });

  it('names that are no text are names all the same', async () => {
    const odd = (folder: string, byte: number): Buffer => Buffer.concat([Buffer.from(`${folder}/`), Buffer.of(byte)]);
    writeFileSync(odd(there(), 0xff), 'a');
    writeFileSync(odd(here(), 0xfe), 'a');
    expect((await found()).map((line) => line.split(' ')[0])).toEqual(['only-in-copy', 'only-in-source']);
    writeFileSync(odd(there(), 0xfe), 'a');
    writeFileSync(odd(here(), 0xff), 'b');
    expect((await found()).map((line) => line.split(' ')[0])).toEqual(['content']);
  });

  it('reads a huge file in pieces and lets others go on meanwhile', async () => {
    for (const side of [there, here]) {
      put(side('huge'), '');
      truncateSync(side('huge'), 2 ** 27);
    }
    let ticks = 0;
    const timer = setInterval(() => (ticks += 1), 5);
    const before = process.memoryUsage().rss;
    expect(await found()).toEqual([]);
    clearInterval(timer);
    expect(ticks).toBeGreaterThan(2);
    expect(process.memoryUsage().rss - before).toBeLessThan(2 ** 26);
  });

  it('can be stopped', async () => {
    for (const side of [there, here]) {
      put(side('huge'), '');
      truncateSync(side('huge'), 2 ** 36);
    }
    const stop = new AbortController();
    setTimeout(() => stop.abort('SIGINT'), 50);
    const stopped = mirrorDifferences([pair], root, { signal: stop.signal });
    await expect(stopped).rejects.toMatchObject({ failure: { code: 'cancelled', signal: 'SIGINT' } });
  });

  it('two names of one file are equal', async () => {
    rmSync(here('main.py'));
    linkSync(there('main.py'), here('main.py'));
    expect(await found()).toEqual([]);
  });

  it('lists so many and counts all, over all pairs', async () => {
    for (let index = 0; index < 7; index += 1) put(here(`f${index}`), '');
    const twice = await mirrorDifferences([pair, pair], root, { most: 2 });
    expect(twice.count).toBe(14);
    expect(twice.list.map(({ path }) => path)).toEqual(['f0', 'f1']);
    expect(mirrorText(twice)).toBe(
      [
        `${here('f0')} is not in the source: env/src/f0`,
        `${here('f1')} is not in the source: env/src/f1`,
        'and 12 more',
        '',
      ].join('\n'),
    );
  });
});

describe('mirrorText', () => {
  it('has a line for each, whatever the names are', () => {
    const hows = ['only-in-source', 'only-in-copy', 'content', 'type', 'mode', 'unreadable'] as const;
    const list = hows.map((how) => ({ pair: ['a', '/b'] as const, path: 'x\n\u001b[2J\u202e', how }));
    const text = mirrorText({ list, count: 6 });
    expect(text.split('\n')).toHaveLength(7);
    expect(text).not.toMatch(/[\u001b\u202e]/);
    expect(mirrorText({ list: [{ pair: ['a', '/b'], path: '/b', how: 'missing' }], count: 1 })).toBe(
      '/b does not exist\n',
    );
    expect(mirrorText({ list: [], count: 0 })).toBe('');
  });
});
