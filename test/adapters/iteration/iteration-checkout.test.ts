import { existsSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { openRepository } from '../../../src/adapters/git/git-repository.js';
import { IterationCheckout } from '../../../src/adapters/iteration/iteration-checkout.js';
import { systemClock } from '../../../src/adapters/system-clock.js';
import type { IterationChanges } from '../../../src/model/events/iteration-event.js';
import { loadGlobMatch } from '../../../src/source/glob.js';
import { WorktreeRoom } from '../worktree/worktree-room.js';

const rooms: WorktreeRoom[] = [];
afterEach(() => {
  for (const room of rooms.splice(0)) room.close();
});

/** A project in a folder of its repository, with a loop over `src` but for what is protected. */
async function loop(files: Readonly<Record<string, string>> = {}) {
  const room = new WorktreeRoom({
    'top.txt': 't\n',
    'p/src/a.txt': 'a\n',
    'p/src/b.txt': 'b\n',
    'p/src/keep.txt': 'k\n',
    'p/other.txt': 'o\n',
    ...files,
  });
  rooms.push(room);
  const root = join(room.root, 'p');
  const checkout = new IterationCheckout({
    repo: await openRepository(root, { env: room.env }),
    root,
    files: ['src'],
    protect: ['src/keep.txt'],
    written: [],
    match: await loadGlobMatch(),
    clock: systemClock,
  });
  const put = (name: string, text: string): void => room.write(root, { [name]: text });
  const decide = async (base: string, verdict: 'kept' | 'discarded'): Promise<IterationChanges> => {
    const naming = { message: 'Iteration 1', at: 1_000_000 };
    const changed = await checkout.changedSince(base, naming);
    const secured = await checkout.secure(changed, base, { ...naming, branch: 'auto/x-iter-1-1', verdict });
    return { ...secured, patch: 'changes.patch', patchDigest: '' };
  };
  return { room, root, checkout, put, decide, status: () => room.git('status', '--porcelain') };
}

describe('the checkout of a loop', () => {
  it('puts back its own files and nothing else, in a project below the top of its repository', async () => {
    const { room, root, checkout, put, decide, status } = await loop();
    const { head: base } = await checkout.base(() => false);
    put('src/a.txt', 'changed\n');
    put('src/new/c.txt', 'c\n');
    put('src/keep.txt', 'protected\n');
    put('other.txt', 'mine\n');
    room.write(room.root, { 'top.txt': 'mine\n', 'src/a.txt': 'not of the project\n' });
    rmSync(join(root, 'src/b.txt'));
    const changes = await decide(base, 'discarded');
    expect(changes.files).toEqual(['p/src/a.txt', 'p/src/b.txt', 'p/src/new/c.txt']);
    expect(changes.target).toBe(changes.head);
    await checkout.settle(changes);
    expect(status().split('\n')).toEqual([' M p/other.txt', ' M p/src/keep.txt', ' M top.txt', '?? src/']);
    expect(room.read(root, 'src/b.txt')).toBe('b\n');
    expect(existsSync(join(root, 'src/new'))).toBe(false);
    expect(room.git('show', 'auto/x-iter-1-1:p/src/new/c.txt')).toBe('c');
    // Again, as after a crash: nothing is left to do.
    await checkout.settle(changes);
    expect(room.git('rev-parse', 'HEAD')).toBe(base);
  });

  it('moves the branch forward for what is kept, and leaves what a person staged alone', async () => {
    const { room, checkout, put, decide, status } = await loop();
    const { head: base } = await checkout.base(() => true);
    room.write(room.root, { 'top.txt': 'staged\n' });
    room.git('add', 'top.txt');
    put('src/a.txt', 'better\n');
    const changes = await decide(base, 'kept');
    await checkout.settle(changes);
    expect([room.git('rev-parse', 'HEAD'), room.git('rev-parse', 'HEAD~1')]).toEqual([changes.commit, base]);
    expect(status()).toBe('M  top.txt');
    await checkout.settle(changes);
    expect(room.git('rev-parse', 'HEAD')).toBe(changes.commit);
  });

  it('does not overwrite what somebody changed after the decision', async () => {
    const { room, root, checkout, put, decide } = await loop();
    const { head: base } = await checkout.base(() => true);
    put('src/a.txt', 'changed\n');
    const changes = await decide(base, 'discarded');
    put('src/a.txt', 'a person at work\n');
    await expect(checkout.settle(changes)).rejects.toThrow(
      'p/src/a.txt was changed after the iteration had been decided, and would be put back. Put the change aside with git stash, or undo it, and go on.',
    );
    expect(room.read(root, 'src/a.txt')).toBe('a person at work\n');
  });

  it('does not follow a link that took the place of a folder', async () => {
    const { room, root, checkout, put, decide } = await loop({ 'p/src/deep/d.txt': 'd\n' });
    const { head: base } = await checkout.base(() => true);
    const outside = join(room.folder, 'outside');
    mkdirSync(outside);
    writeFileSync(join(outside, 'd.txt'), 'of somebody else\n');
    put('src/a.txt', 'changed\n');
    renameSync(join(root, 'src/deep'), join(room.folder, 'moved'));
    symlinkSync(outside, join(root, 'src/deep'));
    const changes = await decide(base, 'discarded');
    await checkout.settle(changes);
    expect(room.read(outside, 'd.txt')).toBe('of somebody else\n');
    expect(room.read(root, 'src/deep/d.txt')).toBe('d\n');
    expect(room.git('status', '--porcelain')).toBe('');
  });

  it('refuses a branch that is elsewhere, a repository inside, and a checkout that is not clean', async () => {
    const { room, root, checkout, put, decide } = await loop();
    const { head: base } = await checkout.base(() => true);
    put('src/a.txt', 'changed\n');
    const changes = await decide(base, 'kept');
    room.git('checkout', '-q', '-b', 'elsewhere');
    room.git('commit', '-q', '--allow-empty', '-m', 'more');
    await expect(checkout.settle(changes)).rejects.toThrow(
      `your branch was at ${base.slice(0, 12)} when the iteration was decided, and is elsewhere now`,
    );
    room.git('checkout', '-q', '-f', 'main');
    mkdirSync(join(root, 'src/inner'));
    room.gitIn(join(root, 'src/inner'), 'init', '-q');
    room.write(root, { 'src/inner/x': 'x' });
    await expect(decide(base, 'discarded')).rejects.toThrow('cannot be committed: it is a repository of its own');
    rmSync(join(root, 'src/inner'), { recursive: true });
    put('src/b.txt', 'mine\n');
    await expect(checkout.base(() => true)).rejects.toThrow('files of the loop have changes that are in no commit');
  });

  it('a branch of a loop whose record is gone is kept aside', async () => {
    const { room, checkout, put, decide } = await loop();
    const { head: base } = await checkout.base(() => true);
    room.git('branch', 'auto/x-iter-1-1', base);
    put('src/a.txt', 'changed\n');
    const { commit } = await decide(base, 'discarded');
    expect(room.git('rev-parse', 'auto/x-iter-1-1')).toBe(commit);
    expect(room.refs().join('\n')).toContain(`refs/autoresearch/kept/auto/x-iter-1-1/${base}`);
  });
});
