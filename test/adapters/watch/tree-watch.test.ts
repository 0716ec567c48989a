import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openVault } from '../../../src/adapters/vault/vault.js';
import { watchTree } from '../../../src/adapters/watch/tree-watch.js';

const most = { files: 10, bytes: 1000 };
const limits = { handy: most, most };

async function tree() {
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'autoresearch-tree-')));
  const root = join(home, 'project');
  for (const folder of ['src', 'data', 'other']) mkdirSync(join(root, folder), { recursive: true });
  for (const file of ['src/a', 'data/b', 'other/c']) writeFileSync(join(root, file), `${file}\n`);
  const vault = await openVault({ root, dir: join(home, 'vault') });
  const put = (path: string, text: string): void => writeFileSync(join(root, path), text);
  const read = (path: string): string => readFileSync(join(root, path), 'utf8');
  return { home, root, vault, put, read, evidence: join(home, 'evidence') };
}

describe('watching a tree', () => {
  it('puts back what is meant, and leaves what somebody else has changed', async () => {
    const { root, vault, put, read, evidence } = await tree();
    const watch = await watchTree({ root, leaveOut: [], vault, evidence, allowed: ['src/**'] });
    put('src/a', 'allowed\n');
    put('data/b', 'HACK\n');
    put('data/new', 'x\n');
    put('other/c', 'by another task\n');
    expect(watch.changed()).toEqual(['data/b', 'data/new', 'other/c', 'src/a']);
    expect(watch.putBack(['data/b', 'data/new'])).toEqual({ problems: [], evidence: join(evidence, '1') });
    // Put back, it is no change any more.
    expect(watch.changed()).toEqual(['other/c', 'src/a']);
    expect([read('data/b'), read('src/a'), read('other/c')]).toEqual(['data/b\n', 'allowed\n', 'by another task\n']);
    expect(existsSync(join(root, 'data/new'))).toBe(false);
    expect(readFileSync(join(evidence, '1/changes.diff'), 'utf8')).toContain('+HACK');
  });

  it('has no copies where everything may be written', async () => {
    const { root, vault, put, evidence } = await tree();
    const watch = await watchTree({ root, leaveOut: [], vault, evidence });
    put('data/b', 'x\n');
    expect(watch.changed()).toEqual(['data/b']);
    expect(watch.putBack(['data/b'])).toBeUndefined();
  });

  it('refuses what it could not put back, and says where most of it is', async () => {
    const { root, vault, evidence } = await tree();
    truncateSync(join(root, 'data/b'), most.bytes + 1);
    const refused = watchTree({ root, leaveOut: [], vault, evidence, limits, allowed: ['src/**'] });
    await expect(refused).rejects.toMatchObject({
      failure: { code: 'scope-too-large', files: 2, bytes: most.bytes + 1 + 8, most, largest: 'data' },
    });
    // What may be written is not counted.
    await watchTree({ root, leaveOut: [], vault, evidence, limits, allowed: ['src/**', 'data'] });
  });

  it('has no copies of what can be made again where there is no room, and takes away what was made of it', async () => {
    const { root, vault, put, read, evidence } = await tree();
    truncateSync(join(root, 'data/b'), most.bytes + 1);
    mkdirSync(join(root, '.venv/bin'), { recursive: true });
    put('.venv/pyvenv.cfg', 'home = /usr/bin\n');
    put('.venv/bin/pytest', 'exit 1\n');
    const watch = await watchTree({
      root,
      leaveOut: [],
      vault,
      evidence,
      limits,
      allowed: ['src/**'],
      made: ['data/b'],
    });
    put('data/b', 'HACK\n');
    put('.venv/bin/pytest', 'exit 0\n');
    put('other/c', 'HACK\n');
    const changed = ['.venv/bin/pytest', 'data/b', 'other/c'];
    expect(watch.changed()).toEqual(changed);
    const { problems } = watch.putBack(changed)!;
    expect(problems).toEqual([
      '.venv/bin/pytest: there was no copy of it, so it is gone, and so is what was made of it',
      'data/b: there was no copy of it, so it is gone, and so is what was made of it',
      '.venv/bin/pytest is still not as it was (removed)',
      'data/b is still not as it was (removed)',
    ]);
    expect([existsSync(join(root, 'data/b')), existsSync(join(root, '.venv/bin/pytest'))]).toEqual([false, false]);
    expect(read('other/c')).toBe('other/c\n');
  });

  it('copies the smallest where somebody else keeps agents from writing, or they are only to look', async () => {
    const { root, vault, put, read, evidence } = await tree();
    truncateSync(join(root, 'data/b'), most.bytes + 1);
    const watch = await watchTree({ root, leaveOut: [], vault, evidence, limits, allowed: [], isFenced: true });
    put('data/b', 'HACK\n');
    put('other/c', 'HACK\n');
    expect(watch.putBack(['data/b', 'other/c'])!.problems).toHaveLength(2);
    expect([existsSync(join(root, 'data/b')), read('other/c')]).toEqual([false, 'other/c\n']);
  });

  it('puts back from git what is too much to copy, and only what git really has', async () => {
    const { root, vault, put, read, evidence } = await tree();
    const git = (...args: string[]) =>
      execFileSync('git', ['-c', 'user.name=x', '-c', 'user.email=x@y', ...args], { cwd: root });
    git('init', '-q');
    truncateSync(join(root, 'data/b'), most.bytes);
    git('add', 'data/b', 'other/c');
    put('other/c', 'not in git\n');
    git('update-index', '--assume-unchanged', 'other/c');
    const watch = await watchTree({ root, leaveOut: [], vault, evidence, limits, allowed: ['src/**'] });
    put('data/b', 'HACK\n');
    put('other/c', 'HACK\n');
    expect(watch.putBack(['data/b', 'other/c'])).toMatchObject({ problems: [] });
    expect(statSync(join(root, 'data/b')).size).toBe(most.bytes);
    expect(read('other/c')).toBe('not in git\n');
  });

  it('takes away caches that were written, also behind a link or in a folder that was shut', async () => {
    const { root, vault, put, evidence, home } = await tree();
    for (const folder of ['data/__pycache__', 'other/__pycache__', 'node_modules/.cache'])
      mkdirSync(join(root, folder), { recursive: true });
    put('data/__pycache__/old.pyc', 'honest');
    put('other/__pycache__/old.pyc', 'honest');
    const watch = await watchTree({ root, leaveOut: [], vault, evidence, limits, allowed: ['src/**'] });
    put('data/__pycache__/old.pyc', 'forged');
    put('data/b.pyc', 'forged');
    put('node_modules/.cache/x.js', 'forged');
    mkdirSync(join(home, 'evil'));
    writeFileSync(join(home, 'evil/old.pyc'), 'forged');
    rmSync(join(root, 'other/__pycache__'), { recursive: true });
    symlinkSync(join(home, 'evil'), join(root, 'other/__pycache__'));
    mkdirSync(join(root, 'src/__pycache__'));
    put('src/__pycache__/a.pyc', 'its own');
    expect(watch.changed()).toEqual([]);
    const there = (path: string): boolean => existsSync(join(root, path));
    expect(
      ['data/__pycache__/old.pyc', 'data/b.pyc', 'node_modules/.cache/x.js', 'other/__pycache__'].filter(there),
    ).toEqual([]);
    expect(there('src/__pycache__/a.pyc')).toBe(true);
    // What is called like a cache, and is a folder, is none.
    mkdirSync(join(root, 'data/evil.pyc'));
    put('data/evil.pyc/run.py', 'x');
    expect(watch.changed()).toEqual(['data/evil.pyc/run.py']);
  });
});
