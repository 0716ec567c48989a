import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { Worktrees } from '../../../src/adapters/worktree/worktrees.js';
import { everything, WorktreeRoom } from './worktree-room.js';

const rooms: WorktreeRoom[] = [];
afterEach(() => {
  for (const room of rooms.splice(0)) room.close();
});

/** A worktree `x` with one commit of ours, and an agent that may do as it likes in it. */
async function lab(): Promise<Lab> {
  const room = new WorktreeRoom();
  rooms.push(room);
  const trees = await room.open();
  const { path } = await trees.create({ branch: 'auto/x', base: 'main', path: 'x' });
  room.write(path, { ours: '1\n' });
  const { tip } = await trees.commit({ path: 'x', message: 'ours', allow: everything });
  return { room, trees, path, tip, agent: (...args) => room.gitIn(path, ...args) };
}

interface Lab {
  readonly room: WorktreeRoom;
  readonly trees: Worktrees;
  readonly path: string;
  readonly tip: string;
  agent(...args: string[]): string;
}

const merge = { branch: 'auto/x', into: 'main', message: 'merge' };
const remove = { branch: 'auto/x', path: 'x' };

describe('an agent that uses git itself', () => {
  it('cannot commit past the guard: its commits are kept aside, its files go through ours', async () => {
    const { room, trees, path, tip, agent } = await lab();
    room.write(path, { 'a.txt': 'cheated\n', work: 'w' });
    agent('add', '.');
    agent('commit', '-q', '-m', 'mine\n\nCo-Authored-By: Agent <a@b>');
    const theirs = agent('rev-parse', 'HEAD');
    await expect(trees.merge(merge)).rejects.toMatchObject({ reason: 'rewritten' });
    await expect(trees.remove(remove)).rejects.toMatchObject({ reason: 'unmerged' });
    const done = await trees.commit({ path: 'x', message: 'task', allow: (file) => file !== 'a.txt' });
    expect(done).toMatchObject({ files: ['work'], refused: ['a.txt'], kept: [theirs] });
    expect(room.git('log', '--format=%s%b', `${tip}..auto/x`)).toBe('task');
    expect(room.git('show', 'auto/x:a.txt')).toBe('a');
    expect(room.read(path, 'a.txt')).toBe('cheated\n');
    expect((await trees.merge(merge)).kind).toBe('merged');
    expect(room.lost()).toEqual([]);
    expect((await trees.leftovers()).map(({ reason }) => reason).sort()).toEqual(['dirty', 'kept']);
  });

  it.each<[string, (lab: Lab) => unknown]>([
    ['rewrites its branch', ({ agent }) => agent('commit', '-q', '--amend', '-m', 'amended')],
    ['throws our commit away', ({ agent }) => agent('reset', '-q', '--soft', 'main')],
    ['deletes its branch', ({ agent }) => agent('update-ref', '-d', 'refs/heads/auto/x')],
    ['checks out another branch', ({ agent }) => agent('checkout', '-q', '-b', 'other')],
    ['detaches its HEAD', ({ agent }) => agent('checkout', '-q', '--detach')],
    [
      'makes its branch another name for main',
      ({ agent }) => agent('symbolic-ref', 'refs/heads/auto/x', 'refs/heads/main'),
    ],
    ['leaves a lock', ({ room }) => writeFileSync(join(room.root, '.git/worktrees/x/index.lock'), '')],
    ['breaks its index', ({ room }) => writeFileSync(join(room.root, '.git/worktrees/x/index'), 'garbage')],
    [
      'hides its change',
      ({ room, agent, path }) => {
        agent('update-index', '--skip-worktree', 'b.txt');
        agent('update-index', '--assume-unchanged', 'a.txt');
        room.write(path, { 'a.txt': 'hidden\n' });
      },
    ],
    [
      'commits on a detached HEAD',
      ({ agent }) => {
        agent('checkout', '-q', '--detach');
        agent('commit', '-q', '--allow-empty', '-m', 'd');
      },
    ],
    ['replaces a commit', ({ agent, tip }) => agent('replace', tip, agent('rev-parse', 'main'))],
  ])('%s: our history and its files are what they should be', async (_name, act) => {
    const all = await lab();
    const { room, trees, path, tip } = all;
    const main = room.git('rev-parse', 'main');
    await act(all);
    room.write(path, { work: 'w' });
    const done = await trees.commit({ path: 'x', message: 'task', allow: everything });
    expect(done.files).toContain('work');
    expect(room.git('--no-replace-objects', 'rev-parse', 'auto/x^')).toBe(tip);
    expect(room.git('rev-parse', 'main')).toBe(main);
    expect(room.gitIn(path, 'symbolic-ref', 'HEAD')).toBe('refs/heads/auto/x');
    expect(room.git('--no-replace-objects', 'show', 'auto/x:ours')).toBe('1');
    expect(room.git('--no-replace-objects', 'show', 'auto/x:a.txt')).toBe(room.read(path, 'a.txt').trim());
    expect(room.lost()).toEqual([]);
    expect((await trees.merge(merge)).kind).toBe('merged');
    await trees.remove(remove);
  });

  it('cannot have a change overlooked when the worktree is removed', async () => {
    const { room, trees, path, agent } = await lab();
    await trees.merge(merge);
    agent('update-index', '--assume-unchanged', 'a.txt');
    agent('update-index', '--skip-worktree', 'b.txt');
    room.write(path, { 'a.txt': 'dear\n', 'b.txt': 'dear\n' });
    await expect(trees.remove(remove)).rejects.toMatchObject({ reason: 'dirty', files: ['a.txt', 'b.txt'] });
    expect(room.read(path, 'a.txt')).toBe('dear\n');
  });

  it('cannot hide new files behind an ignore rule of the repository', async () => {
    const { room, trees, path } = await lab();
    await trees.merge(merge);
    writeFileSync(join(room.root, '.git/info/exclude'), '*\n');
    room.write(path, { results: 'dear' });
    await expect(trees.remove(remove)).rejects.toMatchObject({ reason: 'dirty', files: ['results'] });
  });
});

describe('an agent that plants things', () => {
  it('gets no program run by our git', async () => {
    const { room, trees, path, agent } = await lab();
    const canary = join(room.folder, 'canary');
    const evil = `sh -c 'echo ran >> ${canary}; cat'`;
    for (const hook of [
      'post-checkout',
      'post-commit',
      'pre-commit',
      'reference-transaction',
      'post-index-change',
      'post-merge',
      'post-rewrite',
    ]) {
      mkdirSync(join(room.root, '.git/hooks'), { recursive: true });
      writeFileSync(join(room.root, '.git/hooks', hook), `#!/bin/sh\necho ${hook} >> ${canary}\n`, { mode: 0o755 });
    }
    room.write(path, { '.gitattributes': '* filter=evil merge=evil diff=evil\n', 'a.txt': 'x\n', 'b.txt': 'x\n' });
    const keys = [
      'filter.evil.clean',
      'filter.evil.smudge',
      'merge.evil.driver',
      'diff.evil.textconv',
      'diff.evil.command',
      'diff.external',
      'core.fsmonitor',
      'gpg.program',
      'core.editor',
      'core.pager',
      'core.sshCommand',
    ];
    for (const key of keys) agent('config', key, evil);
    agent('config', 'filter.evil.required', 'true');
    agent('config', 'filter.a=b.c.process', evil);
    agent('config', 'commit.gpgSign', 'true');
    agent('config', 'extensions.worktreeConfig', 'true');
    agent('config', '--worktree', 'filter.evil.process', evil);
    rmSync(canary, { force: true });

    const wanted = { path: 'x', message: 'm', allow: everything };
    await expect(trees.commit(wanted)).rejects.toThrow('make git run the filter "evil"');
    expect(existsSync(canary)).toBe(false);
    // Without a program that is known by it, it says nothing here, and everything where there is one.
    room.write(path, { '.gitattributes': '* filter=other merge=evil diff=evil\n' });
    expect((await trees.commit(wanted)).files).toEqual(['.gitattributes', 'a.txt', 'b.txt']);
    expect((await trees.merge(merge)).kind).toBe('merged');
    await trees.changedSince('main', 'x');
    const other = await trees
      .create({ branch: 'auto/y', base: 'main', path: 'y' })
      .catch((error: Error) => error.message);
    expect(other).toContain('a filter for files');
    room.write(room.root, { 'b.txt': 'person\n' });
    room.git(
      '-c',
      'core.hooksPath=/dev/null',
      '-c',
      'commit.gpgSign=false',
      '-c',
      'core.fsmonitor=',
      '-c',
      'filter.evil.process=',
      '-c',
      'filter.evil.clean=',
      '-c',
      'filter.evil.required=false',
      'commit',
      '-qm',
      'person',
      'b.txt',
    );
    room.write(path, { 'b.txt': 'agent\n' });
    await trees.commit({ path: 'x', message: 'm', allow: everything });
    expect(await trees.merge(merge)).toEqual({ kind: 'conflict', files: ['b.txt'] });
    await trees.state();
    await trees.remove({ ...remove, into: 'auto/x' });
    expect(existsSync(canary) ? readFileSync(canary, 'utf8') : '').toBe('');
  });

  it.each<[string, (lab: Lab) => unknown]>([
    ['points its .git elsewhere', ({ room, path }) => writeFileSync(join(path, '.git'), `gitdir: ${room.root}/.git\n`)],
    [
      'makes a repository of its own there',
      ({ path, agent }) => {
        rmSync(join(path, '.git'));
        agent('init', '-q');
      },
    ],
    [
      'puts a link to the checkout in place of the folder',
      ({ room, path }) => {
        renameSync(path, `${path}-moved`);
        symlinkSync(room.root, path);
      },
    ],
  ])('%s: everything stays where it is', async (_name, act) => {
    const all = await lab();
    const { room, trees, tip } = all;
    await act(all);
    const refs = room.refs();
    const create = { branch: 'auto/x', base: 'main', path: 'x' };
    const commit = trees.commit({ path: 'x', message: 'm', allow: everything });
    await expect(commit).rejects.toMatchObject({ reason: 'tampered' });
    await expect(trees.create(create)).rejects.toMatchObject({ reason: 'tampered' });
    await expect(trees.remove({ ...remove, into: tip })).rejects.toMatchObject({ reason: 'tampered' });
    expect(await trees.leftovers()).toContainEqual(expect.objectContaining({ branch: 'auto/x', reason: 'tampered' }));
    expect((await trees.clean()).removed).toEqual([]);
    expect(room.refs()).toEqual(refs);
  });

  it.each(['nested', 'src', 'ignored/deep'])('a repository in %s is neither committed nor removed', async (folder) => {
    const { room, trees, path } = await lab();
    room.write(path, { [`${folder}/file`]: '1' });
    const inner = join(path, folder);
    room.gitIn(inner, 'init', '-q');
    room.gitIn(inner, 'add', '.');
    room.gitIn(inner, 'commit', '-q', '-m', 'inner');
    const { commit } = await trees.commit({ path: 'x', message: 'm', allow: everything });
    if (commit) expect(room.git('ls-tree', '-r', commit)).not.toContain('160000');
    await trees.merge(merge);
    await expect(trees.remove({ ...remove, droppable: everything })).rejects.toMatchObject({ reason: 'dirty' });
    expect(room.gitIn(inner, 'log', '--format=%s')).toBe('inner');
  });

  it('what a straggler writes while its worktree goes is found', async () => {
    const { room, trees, path } = await lab();
    await trees.merge(merge);
    mkdirSync(join(room.dir, '.trash'), { recursive: true });
    room.write(path, { late: 'dear' });
    renameSync(path, join(room.dir, '.trash', 'x'));
    await expect(trees.remove(remove)).rejects.toMatchObject({ reason: 'dirty', files: ['late'] });
    expect(room.read(path, 'late')).toBe('dear');
  });
});

describe('a target that moves while it is merged into', () => {
  /** A git on the PATH that lets somebody else be quicker, once. */
  async function raced(room: WorktreeRoom, other: string): Promise<Worktrees> {
    const bin = join(room.folder, 'bin');
    mkdirSync(bin);
    const script = `#!/bin/sh
case "$*" in *update-ref*autoresearch:\\ merge*)
  if mkdir ${bin}/once 2>/dev/null; then (unset GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE; PATH=${room.env.PATH}; cd ${room.root}; ${other}) >/dev/null 2>&1; fi;;
esac
PATH=${room.env.PATH} exec git "$@"\n`;
    writeFileSync(join(bin, 'git'), script, { mode: 0o755 });
    return room.open({ env: { ...room.env, PATH: `${bin}:${room.env.PATH}` } });
  }

  it.each([
    [
      'not checked out',
      'study',
      'git update-ref refs/heads/study $(git -c user.name=p -c user.email=p@x commit-tree -p study -m theirs study^{tree})',
    ],
    [
      'checked out',
      'main',
      'git update-ref refs/heads/main $(git -c user.name=p -c user.email=p@x commit-tree -p main -m theirs main^{tree})',
    ],
  ])('%s: neither commit is lost, and trying again is enough', async (_name, into, other) => {
    const { room, tip } = await lab();
    room.git('branch', 'study');
    const trees = await raced(room, other);
    expect(await trees.merge({ ...merge, into })).toEqual({ kind: 'moved' });
    expect(room.git('log', '-1', '--format=%s', into)).toBe('theirs');
    expect(room.git('status', '--porcelain')).toBe('');
    expect((await trees.merge({ ...merge, into })).kind).toBe('merged');
    expect(room.git('log', '--format=%s', into).split('\n').sort()).toEqual(['first', 'merge', 'ours', 'theirs']);
    expect(room.git('merge-base', '--is-ancestor', tip, into)).toBe('');
    expect(room.git('status', '--porcelain')).toBe('');
  });
});
