import { existsSync, lstatSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { GitProblem } from '../../../src/adapters/git/git-problem.js';
import { systemClock } from '../../../src/adapters/system-clock.js';
import { worktreeBranch } from '../../../src/adapters/worktree/worktree-names.js';
import { openWorktrees } from '../../../src/adapters/worktree/worktrees.js';
import { everything, WorktreeRoom } from './worktree-room.js';

const rooms: WorktreeRoom[] = [];
afterEach(() => {
  for (const room of rooms.splice(0)) room.close();
});

function newRoom(files?: Record<string, string>): WorktreeRoom {
  const room = new WorktreeRoom(files);
  rooms.push(room);
  return room;
}

const problem = async (promise: Promise<unknown>): Promise<GitProblem> => {
  const error = await promise.then(
    (value) => new Error(`worked: ${JSON.stringify(value)}`),
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof GitProblem)) throw error;
  expect(error.fix).not.toBe('');
  return error;
};

describe('worktreeBranch', () => {
  it('names agent, iteration, stage and task', () => {
    expect(worktreeBranch({ agent: 'a1', iteration: 2, stage: 'implement' })).toBe('auto/a1-iter-2-implement');
    expect(worktreeBranch({ agent: 'a1', iteration: 2, stage: 's', task: 't' })).toBe('auto/a1-iter-2-s-t');
  });

  it('is a branch name whatever a task is called, and never the same for two', () => {
    const room = newRoom();
    const tasks = ['a b', 'a/b', 'a:b', '..', '--upload-pack=x', 'x.lock', 'é', '', 'n=1', 'n=2', 'y'.repeat(400)];
    const names = tasks.map((task) => worktreeBranch({ agent: 'a', iteration: 1, stage: 's', task }));
    for (const name of names) room.git('check-ref-format', '--branch', name);
    expect(new Set(names).size).toBe(tasks.length);
  });
});

describe('one worktree', () => {
  it('is made, committed, merged into the checkout and removed', async () => {
    const room = newRoom();
    const trees = await room.open();
    const made = await trees.create({ branch: 'auto/x', base: 'main', path: 'x' });
    expect(made).toEqual({
      path: join(room.dir, 'x'),
      base: room.git('rev-parse', 'main'),
      tip: made.base,
      isReused: false,
    });
    room.write(made.path, { 'a.txt': 'new\n', 'new file': '1', 'ignored/x': '1' });
    rmSync(join(made.path, 'b.txt'));
    expect(await trees.changedSince(made.base, 'x')).toEqual(['a.txt', 'b.txt', 'new file']);
    const done = await trees.commit({ path: 'x', message: 'task x', allow: everything });
    expect(done).toMatchObject({ files: ['a.txt', 'b.txt', 'new file'], refused: [], kept: [], tip: done.commit });
    expect(room.git('log', '-1', '--format=%an <%ae> %s%n%b', 'auto/x').trim()).toBe(
      'autoresearch <autoresearch@localhost> task x',
    );
    expect(room.gitIn(made.path, 'status', '--porcelain')).toBe('');
    expect(await trees.commit({ path: 'x', message: 'again', allow: everything })).toEqual({
      tip: done.commit,
      files: [],
      refused: [],
      kept: [],
    });
    expect(await trees.changedSince(made.base, 'x')).toEqual(['a.txt', 'b.txt', 'new file']);
    expect((await problem(trees.remove({ path: 'x', branch: 'auto/x' }))).reason).toBe('unmerged');

    const merged = await trees.merge({ branch: 'auto/x', into: 'main', message: 'merge x' });
    expect(merged).toEqual({ kind: 'merged', commit: room.git('rev-parse', 'main'), files: done.files });
    expect(room.read(room.root, 'a.txt')).toBe('new\n');
    expect(existsSync(join(room.root, 'b.txt'))).toBe(false);
    expect(room.git('status', '--porcelain')).toBe('');
    expect(await trees.merge({ branch: 'auto/x', into: 'main', message: 'merge x' })).toEqual({ kind: 'nothing' });

    expect(await problem(trees.remove({ path: 'x', branch: 'auto/x' }))).toMatchObject({
      reason: 'dirty',
      files: ['ignored/x'],
    });
    await trees.remove({ path: 'x', branch: 'auto/x', droppable: everything });
    await trees.remove({ path: 'x', branch: 'auto/x' });
    expect(room.refs()).toEqual([`refs/heads/main ${room.git('rev-parse', 'main')}`]);
    expect(room.git('worktree', 'list').split('\n')).toHaveLength(1);
    expect(await trees.leftovers()).toEqual([]);
  });

  it('leaves refused files uncommitted, also where a folder takes the place of one', async () => {
    const room = newRoom({ protected: 'p', 'a/deep': 'd', other: 'o' });
    const trees = await room.open();
    const { path } = await trees.create({ branch: 'auto/x', base: 'main', path: 'x' });
    rmSync(join(path, 'protected'));
    room.write(path, { 'protected/inside': '1', other: '2' });
    rmSync(join(path, 'a'), { recursive: true });
    writeFileSync(join(path, 'a'), 'a file now');
    const kept = (file: string): boolean => file !== 'protected' && file !== 'a/deep';
    const done = await trees.commit({ path: 'x', message: 'm', allow: kept });
    expect(done.files).toEqual(['other']);
    expect(done.refused).toEqual(['a', 'a/deep', 'protected', 'protected/inside']);
    expect(room.git('ls-tree', '-r', '--name-only', 'auto/x').split('\n').sort()).toEqual([
      '.gitignore',
      'a/deep',
      'other',
      'protected',
    ]);
    const all = await trees.commit({ path: 'x', message: 'm', allow: everything });
    expect(all.files).toEqual(['a', 'a/deep', 'protected', 'protected/inside']);
  });

  it('takes names that look like something else, and refuses those that are no text', async () => {
    const room = newRoom();
    const trees = await room.open();
    const { path } = await trees.create({ branch: 'auto/x', base: 'main', path: 'x' });
    const odd = ['--upload-pack=x', '-rf', 'two\nlines', 'tab\t"quote"', ':(top)x', '*', ' lead', 'naïve', 'a\\b'];
    for (const name of odd) writeFileSync(join(path, name), name);
    writeFileSync(Buffer.concat([Buffer.from(`${path}/`), Buffer.from([0x66, 0xff])]), 'x');
    symlinkSync('/etc/passwd', join(path, 'link'));
    const done = await trees.commit({ path: 'x', message: 'm', allow: (file) => file !== '*' });
    expect([...done.files].sort()).toEqual([...odd.filter((name) => name !== '*'), 'link'].sort());
    expect(done.refused).toEqual(['*', 'f%ff']);
    expect(room.git('cat-file', '-p', 'auto/x:link')).toBe('/etc/passwd');
    expect((await trees.merge({ branch: 'auto/x', into: 'main', message: 'm' })).kind).toBe('merged');
    expect(room.read(room.root, 'two\nlines')).toBe('two\nlines');
    expect(lstatSync(join(room.root, 'link')).isSymbolicLink()).toBe(true);
    rmSync(join(path, '*'));
    expect((await problem(trees.remove({ path: 'x', branch: 'auto/x' }))).files).toEqual(['f%ff']);
  });

  it('may live in the checkout, and a project below the top of it', async () => {
    const room = newRoom({ 'deep/project/file': '1\n', 'top.txt': 't' });
    writeFileSync(join(room.root, '.gitignore'), '');
    room.git('commit', '-q', '-am', 'nothing is ignored');
    const root = join(room.root, 'deep/project');
    const trees = await openWorktrees({
      root,
      dir: join(root, 'state/worktrees'),
      mutexFile: join(room.folder, 'mutex'),
      clock: systemClock,
      env: room.env,
    });
    const { path } = await trees.create({ branch: 'auto/x', base: 'main', path: 'x' });
    const watch = await trees.watch();
    room.write(path, { 'deep/project/file': '2\n', 'top.txt': 'u' });
    expect((await trees.state()).dirty).toEqual({ tracked: [], untracked: [] });
    const done = await trees.commit({ path: 'x', message: 'm', allow: everything });
    expect(done.files).toEqual(['deep/project/file', 'top.txt']);
    expect((await trees.merge({ branch: 'auto/x', into: 'main', message: 'm' })).kind).toBe('merged');
    expect(room.read(root, 'file')).toBe('2\n');
    expect(await watch.changes()).toEqual({ files: [] });
    await trees.remove({ path: 'x', branch: 'auto/x' });
  });

  it('is reused with its base and its uncommitted files', async () => {
    const room = newRoom();
    const trees = await room.open();
    const made = await trees.create({ branch: 'auto/x', base: 'main', path: 'x' });
    room.write(made.path, { wip: '1' });
    room.git('commit', '-q', '--allow-empty', '-m', 'later');
    const again = await trees.create({ branch: 'auto/x', base: 'main', path: 'x' });
    expect(again).toEqual({ ...made, isReused: true });
    expect(room.read(made.path, 'wip')).toBe('1');
    expect((await problem(trees.create({ branch: 'auto/y', base: 'main', path: 'x' }))).reason).toBe('not-ours');
  });

  it('refuses a branch that somebody else made, and names that are none', async () => {
    const room = newRoom();
    room.git('branch', 'auto/theirs');
    const trees = await room.open();
    expect((await problem(trees.create({ branch: 'auto/theirs', base: 'main', path: 'x' }))).reason).toBe('not-ours');
    for (const branch of ['--upload-pack=x', '-b', 'a..b', '']) {
      expect((await problem(trees.create({ branch, base: 'main', path: 'x' }))).reason).toBe('bad-name');
    }
    for (const path of ['../x', '.git', '-x', '', 'a/b', '/etc']) {
      await expect(async () => trees.create({ branch: 'auto/x', base: 'main', path })).rejects.toThrow(
        'folder of a worktree',
      );
    }
    expect((await problem(trees.create({ branch: 'auto/x', base: '--all', path: 'x' }))).reason).toBe('no-such-commit');
    expect(room.refs().map((line) => line.split(' ')[0])).toEqual(['refs/heads/auto/theirs', 'refs/heads/main']);
  });

  it('heals what is half there and loses neither commits nor files', async () => {
    const room = newRoom();
    const trees = await room.open();
    const create = () => trees.create({ branch: 'auto/x', base: 'main', path: 'x' });
    const { path } = await create();
    room.write(path, { done: '1' });
    const { tip } = await trees.commit({ path: 'x', message: 'm', allow: everything });

    rmSync(path, { recursive: true });
    expect(await create()).toMatchObject({ tip, isReused: false });
    expect(room.read(path, 'done')).toBe('1');

    room.write(path, { wip: 'dear' });
    rmSync(join(room.root, '.git/worktrees'), { recursive: true });
    const healed = await create();
    expect(room.read(healed.aside!, 'wip')).toBe('dear');
    expect(await trees.leftovers()).toContainEqual({ path: healed.aside, commits: [], dirty: [], reason: 'aside' });

    room.git('worktree', 'lock', path);
    rmSync(path, { recursive: true });
    room.git('update-ref', '-d', 'refs/heads/auto/x');
    expect(await create()).toMatchObject({ tip });
    expect(room.git('rev-parse', 'auto/x')).toBe(tip);
    expect(room.lost()).toEqual([]);
  });
});

describe('what no commit would keep', () => {
  const nothing = (): boolean => false;
  const watched = { isWatched: nothing, isProtected: nothing };
  const wish = { path: 'one', keep: '/nonexistent', allow: everything, stays: [], ...watched };

  it('waits elsewhere, is put back, and is not lost with the worktree: whoever makes, shelves or removes it brings it back', async () => {
    const room = newRoom();
    const trees = await room.open();
    const { path } = await trees.create({ branch: 'auto/one', base: 'main', path: 'one' });
    const file = join(path, 'ignored/x');
    const away = join(room.dir, '.away/one');
    const takeAway = async (): Promise<void> => {
      room.write(path, { 'ignored/x': 'x\n' });
      expect(await trees.takeAway(wish)).toEqual({ without: ['ignored/'], otherwise: [] });
      expect([existsSync(file), existsSync(join(away, 'ignored/x'))]).toEqual([false, true]);
    };
    await takeAway();
    trees.putBack('one');
    trees.putBack('one');
    expect([existsSync(file), existsSync(join(room.dir, '.away'))]).toEqual([true, false]);
    await takeAway();
    await trees.create({ branch: 'auto/one', base: 'main', path: 'one' });
    expect(existsSync(file)).toBe(true);
    await takeAway();
    expect((await trees.clean({ isDryRun: true })).stays[0]?.why).toBe(
      `${away} has files that wait for the end of a check: ${away}`,
    );
    const { what } = await problem(trees.remove({ path: 'one', branch: 'auto/one' }));
    expect(what).toBe(`${path} has ignored files that are nowhere else: ignored/x`);
    await takeAway();
    await trees.shelve({ path: 'one', branch: 'auto/one' });
    expect(room.aside()).toContain('/ignored/x');
  });

  it('is moved aside, and listed, where there is no worktree any more that it could go to', async () => {
    const room = newRoom();
    const trees = await room.open();
    const { path } = await trees.create({ branch: 'auto/one', base: 'main', path: 'one' });
    room.write(path, { 'ignored/x': 'x\n' });
    await trees.takeAway(wish);
    rmSync(path, { recursive: true });
    symlinkSync(room.folder, path);
    trees.putBack('one');
    expect(existsSync(join(room.folder, 'ignored'))).toBe(false);
    expect(room.aside()).toEqual(['/ignored/x']);
    mkdirSync(join(room.dir, '.away/two'), { recursive: true });
    const two = { path: join(room.dir, '.away/two'), commits: [], dirty: [], reason: 'aside' };
    rmSync(path);
    expect(await trees.leftovers()).toContainEqual(two);
  });
});

describe('merging', () => {
  const two = async (room: WorktreeRoom, files: readonly [Record<string, string>, Record<string, string>]) => {
    const trees = await room.open();
    for (const [index, name] of ['x', 'y'].entries()) {
      const { path } = await trees.create({ branch: `auto/${name}`, base: 'main', path: name });
      room.write(path, files[index]!);
      await trees.commit({ path: name, message: name, allow: everything });
    }
    return trees;
  };

  it('takes two branches that touch different files, one after the other', async () => {
    const room = newRoom();
    const trees = await two(room, [{ 'a.txt': 'x\n' }, { 'b.txt': 'y\n', new: '1' }]);
    expect(await trees.merge({ branch: 'auto/x', into: 'main', message: 'x' })).toMatchObject({ files: ['a.txt'] });
    expect(await trees.merge({ branch: 'auto/y', into: 'main', message: 'y' })).toMatchObject({
      files: ['b.txt', 'new'],
    });
    expect(['a.txt', 'b.txt', 'new'].map((file) => room.read(room.root, file))).toEqual(['x\n', 'y\n', '1']);
    expect(room.git('status', '--porcelain')).toBe('');
  });

  it('a conflict names the files and changes nothing', async () => {
    const room = newRoom();
    const trees = await two(room, [
      { 'a.txt': 'x\n', 'src/c.txt': 'x' },
      { 'a.txt': 'y\n', new: '1' },
    ]);
    await trees.merge({ branch: 'auto/x', into: 'main', message: 'x' });
    const before = room.refs();
    expect(await trees.merge({ branch: 'auto/y', into: 'main', message: 'y' })).toEqual({
      kind: 'conflict',
      files: ['a.txt'],
    });
    expect(room.refs()).toEqual(before);
    expect(room.git('status', '--porcelain')).toBe('');
    expect(room.read(join(room.dir, 'y'), 'a.txt')).toBe('y\n');
    expect((await problem(trees.remove({ path: 'y', branch: 'auto/y' }))).reason).toBe('unmerged');
  });

  it('touches no checkout when the target is not checked out', async () => {
    const room = newRoom();
    room.git('branch', 'study');
    const trees = await two(room, [{ 'a.txt': 'x\n' }, {}]);
    room.write(room.root, { 'a.txt': 'in work\n' });
    const merged = await trees.merge({ branch: 'auto/x', into: 'study', message: 'x' });
    expect(merged).toMatchObject({ kind: 'merged', commit: room.git('rev-parse', 'study') });
    expect(room.git('status', '--porcelain')).toBe(' M a.txt');
    expect(room.read(room.root, 'a.txt')).toBe('in work\n');
    expect((await problem(trees.merge({ branch: 'auto/x', into: 'auto/y', message: 'x' }))).reason).toBe('checked-out');
    expect((await problem(trees.merge({ branch: 'auto/x', into: 'nowhere', message: 'x' }))).reason).toBe(
      'no-such-branch',
    );
  });

  it.each([
    ['changed', (room: WorktreeRoom) => room.write(room.root, { 'a.txt': 'mine\n' }), 'a.txt'],
    [
      'staged',
      (room: WorktreeRoom) => {
        room.write(room.root, { 'a.txt': 'mine\n' });
        room.git('add', 'a.txt');
      },
      'a.txt',
    ],
    ['untracked', (room: WorktreeRoom) => room.write(room.root, { fresh: 'mine\n' }), 'fresh'],
    [
      'ignored',
      (room: WorktreeRoom) => {
        writeFileSync(join(room.root, '.git/info/exclude'), 'fresh\n');
        room.write(room.root, { fresh: 'mine\n' });
      },
      'fresh',
    ],
    [
      'overlooked',
      (room: WorktreeRoom) => {
        room.git('update-index', '--assume-unchanged', 'a.txt');
        room.write(room.root, { 'a.txt': 'mine\n' });
      },
      'a.txt',
    ],
  ])('a checkout with a %s file in the way is refused, and nothing is half done', async (_how, disturb, file) => {
    const room = newRoom();
    const trees = await two(room, [{ 'a.txt': 'x\n', 'b.txt': 'x\n', fresh: 'x\n' }, {}]);
    disturb(room);
    const [refs, status] = [room.refs(), room.git('status', '--porcelain')];
    expect(await problem(trees.merge({ branch: 'auto/x', into: 'main', message: 'x' }))).toMatchObject({
      reason: 'dirty',
      files: [file],
    });
    expect(room.read(room.root, file)).toBe('mine\n');
    expect(room.read(room.root, 'b.txt')).toBe('b\n');
    expect([room.refs(), room.git('status', '--porcelain')]).toEqual([refs, status]);
  });

  it('goes past changes that it does not touch', async () => {
    const room = newRoom();
    const trees = await two(room, [{ 'a.txt': 'x\n' }, {}]);
    room.write(room.root, { 'b.txt': 'mine\n', other: 'mine' });
    room.git('add', 'b.txt');
    expect((await trees.merge({ branch: 'auto/x', into: 'main', message: 'x' })).kind).toBe('merged');
    expect(room.git('status', '--porcelain')).toBe('M  b.txt\n?? other');
  });

  it('waits for a person who is in the middle of something', async () => {
    const room = newRoom();
    const trees = await two(room, [{ 'a.txt': 'x\n' }, {}]);
    writeFileSync(join(room.root, '.git/MERGE_HEAD'), `${room.git('rev-parse', 'main')}\n`);
    expect((await trees.state()).inProgress).toBe('merge');
    expect((await problem(trees.merge({ branch: 'auto/x', into: 'main', message: 'x' }))).reason).toBe('busy');
  });
});

describe('the main checkout', () => {
  it('tells what is changed and what is new, not what is ignored or ours', async () => {
    const room = newRoom();
    room.write(room.root, { 'a.txt': '2', 'new/file': '1', 'ignored/x': '1', '.autoresearch/state': '1' });
    const trees = await room.open();
    const head = room.git('rev-parse', 'HEAD');
    expect(await trees.state()).toEqual({
      branch: 'main',
      head,
      dirty: { tracked: ['a.txt'], untracked: ['new/file'] },
    });
    room.git('checkout', '-q', '--detach');
    expect(await trees.state()).not.toHaveProperty('branch');
  });

  it('is watched while agents work: what others write is seen, what our merges write is not', async () => {
    const room = newRoom();
    const trees = await room.open();
    const { path } = await trees.create({ branch: 'auto/x', base: 'main', path: 'x' });
    room.write(room.root, { 'b.txt': 'person\n' });
    const watch = await trees.watch();
    room.write(path, { 'a.txt': 'x\n', new: '1' });
    await trees.commit({ path: 'x', message: 'm', allow: everything });
    await trees.merge({ branch: 'auto/x', into: 'main', message: 'm' });
    expect(await watch.changes()).toEqual({ files: [] });
    room.write(room.root, { 'a.txt': 'sneaked\n', 'b.txt': 'sneaked', 'ignored/f': '1' });
    expect(await watch.changes()).toEqual({ files: ['a.txt', 'b.txt', 'ignored/f'] });
    room.git('checkout', '-q', '-f', '--detach');
    expect((await watch.changes()).head).toEqual({
      from: expect.stringContaining('refs/heads/main '),
      to: expect.stringContaining('detached '),
    });
  });

  it('is stashed only when asked, state folder apart, and nothing is lost', async () => {
    const room = newRoom();
    writeFileSync(join(room.root, '.gitignore'), 'ignored/\n');
    room.git('commit', '-q', '-am', 'state folder is not ignored');
    room.write(room.root, { 'a.txt': '2', 'new/file': '1', '.autoresearch/state': '1' });
    const trees = await room.open();
    const stash = await trees.stash('before the study');
    expect((await trees.state()).dirty).toEqual({ tracked: [], untracked: [] });
    expect(room.read(room.root, '.autoresearch/state')).toBe('1');
    expect(room.git('stash', 'list')).toContain('before the study');
    expect(await trees.stash('again')).toBeUndefined();
    room.git('stash', 'apply', '-q', stash!);
    expect((await trees.state()).dirty).toEqual({ tracked: ['a.txt'], untracked: ['new/file'] });
  });
});

describe('repositories that cannot have worktrees of ours', () => {
  it.each([
    ['no repository', 'not-a-repository', (room: WorktreeRoom) => room.folder],
    [
      'a bare one',
      'bare',
      (room: WorktreeRoom) => {
        room.git('clone', '-q', '--bare', '.', '../bare');
        return join(room.folder, 'bare');
      },
    ],
  ])('%s', async (_name, reason, make) => {
    const room = newRoom();
    expect((await problem(room.open({ root: make(room) }))).reason).toBe(reason);
  });

  it('an old git is named', async () => {
    const room = newRoom();
    mkdirSync(join(room.folder, 'bin'));
    writeFileSync(join(room.folder, 'bin/git'), '#!/bin/sh\necho git version 2.30.1\n', { mode: 0o755 });
    const found = await problem(room.open({ env: { ...room.env, PATH: join(room.folder, 'bin') } }));
    expect(found).toMatchObject({ reason: 'git-too-old', what: expect.stringContaining('2.30.1') });
    expect((await problem(room.open({ env: { ...room.env, PATH: '/nowhere' } }))).reason).toBe('git-missing');
  });

  it('no commit yet', async () => {
    const room = newRoom();
    mkdirSync(join(room.folder, 'empty'));
    room.gitIn(join(room.folder, 'empty'), 'init', '-q');
    const trees = await room.open({ root: join(room.folder, 'empty') });
    expect((await problem(trees.create({ branch: 'auto/x', base: 'HEAD', path: 'x' }))).reason).toBe('no-commit');
    expect(await trees.state()).not.toHaveProperty('head');
  });

  it.each([
    [
      'a submodule',
      (room: WorktreeRoom) =>
        room.git('update-index', '--add', '--cacheinfo', `160000,${room.git('rev-parse', 'HEAD')},sub`),
    ],
    [
      'a filter',
      (room: WorktreeRoom) => {
        room.write(room.root, { '.gitattributes': '*.bin filter=lfs -text\n' });
        room.git('add', '.');
      },
    ],
    ['a sparse checkout', (room: WorktreeRoom) => room.git('config', 'core.sparseCheckout', 'true')],
    ['a partial clone', (room: WorktreeRoom) => room.git('config', 'remote.origin.promisor', 'true')],
  ])('%s', async (what, make) => {
    const room = newRoom();
    make(room);
    room.git('commit', '-q', '--allow-empty', '-m', 'second');
    const trees = await room.open();
    const found = await problem(trees.create({ branch: 'auto/x', base: 'main', path: 'x' }));
    expect(found).toMatchObject({ reason: 'unsupported', what: expect.stringContaining(what) });
    expect(room.git('branch', '--list', 'auto/*')).toBe('');
  });

  it('a shallow clone and a detached HEAD work as far as they can', async () => {
    const room = newRoom();
    room.git('commit', '-q', '--allow-empty', '-m', 'second');
    room.git('clone', '-q', '--depth', '1', `file://${room.root}`, '../shallow');
    const root = join(room.folder, 'shallow');
    room.gitIn(root, 'checkout', '-q', '--detach');
    const trees = await room.open({ root });
    const { path } = await trees.create({ branch: 'auto/x', base: 'HEAD', path: 'x' });
    room.write(path, { n: '1' });
    await trees.commit({ path: 'x', message: 'm', allow: everything });
    expect((await trees.merge({ branch: 'auto/x', into: 'main', message: 'm' })).kind).toBe('merged');
    await trees.remove({ path: 'x', branch: 'auto/x', into: 'main' });
  });
});
