import { execFileSync } from 'node:child_process';
import { mkdtempSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { gitFacts } from '../../../src/adapters/git/git-facts.js';

const folder = (): string => mkdtempSync(join(tmpdir(), 'autoresearch-git-'));
const git = (dir: string, ...args: string[]): string =>
  execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@example.invalid', ...args], {
    cwd: dir,
    encoding: 'utf8',
  }).trim();

describe('gitFacts', () => {
  it('asks nothing outside a repository', async () => {
    expect(await gitFacts(folder())).toBeUndefined();
  });

  it('knows a repository before its first commit', async () => {
    const dir = folder();
    git(dir, 'init', '-q', '-b', 'main');
    writeFileSync(join(dir, 'a'), '1');
    expect(await gitFacts(dir)).toEqual({ type: 'workspace-recorded', branch: 'main', changedFiles: 1 });
  });

  it('never locks the index: a task that commits meanwhile would fail', async () => {
    const dir = folder();
    git(dir, 'init', '-q', '-b', 'main');
    writeFileSync(join(dir, 'a'), '1');
    git(dir, 'add', 'a');
    git(dir, 'commit', '-q', '-m', 'first');
    // Other stamps and the same content: whoever may, writes the index anew, for which it is locked.
    const index = (): bigint => statSync(join(dir, '.git/index'), { bigint: true }).ino;
    utimesSync(join(dir, 'a'), new Date(0), new Date(0));
    const before = index();
    expect(await gitFacts(dir)).toMatchObject({ changedFiles: 0 });
    expect(index()).toBe(before);
    git(dir, 'status');
    expect(index()).not.toBe(before);
  });

  it('tells commit, branch and what differs', async () => {
    const dir = folder();
    git(dir, 'init', '-q', '-b', 'study');
    writeFileSync(join(dir, 'a'), '1');
    git(dir, 'add', 'a');
    git(dir, 'commit', '-q', '-m', 'first');
    writeFileSync(join(dir, 'a'), '2');
    writeFileSync(join(dir, 'b'), '1');
    const commit = git(dir, 'rev-parse', 'HEAD');
    expect(await gitFacts(dir)).toEqual({ type: 'workspace-recorded', commit, branch: 'study', changedFiles: 2 });
    git(dir, 'checkout', '-q', '--detach');
    expect(await gitFacts(dir)).toEqual({ type: 'workspace-recorded', commit, changedFiles: 2 });
  });

  it('a repository that cannot be read is a line in the record', async () => {
    const dir = folder();
    writeFileSync(join(dir, '.git'), 'gitdir: nowhere\n');
    expect(await gitFacts(dir)).toEqual({
      type: 'workspace-recorded',
      problem: expect.stringContaining('not a git repository'),
    });
  });
});
