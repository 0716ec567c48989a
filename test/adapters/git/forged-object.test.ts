import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { deflateSync } from 'node:zlib';
import { afterEach, expect, it } from 'vitest';
import { openRepository } from '../../../src/adapters/git/git-repository.js';
import { settleCheckout } from '../../../src/adapters/iteration/iteration-settle.js';
import { follow } from '../../../src/adapters/worktree/worktree-follow.js';
import { restoreFiles } from '../../../src/adapters/worktree/worktree-restore.js';
import { WorktreeRoom } from '../worktree/worktree-room.js';

const rooms: WorktreeRoom[] = [];
afterEach(() => {
  for (const room of rooms.splice(0)) room.close();
});

/** `main` at the first of two commits, and what is checked out as neither has it. */
async function lab(text: string) {
  const room = new WorktreeRoom();
  rooms.push(room);
  const first = room.git('rev-parse', 'HEAD');
  room.write(room.root, { 'a.txt': 'second\n' });
  room.git('commit', '-qam', 'second');
  const second = room.git('rev-parse', 'HEAD');
  room.git('reset', '-q', '--hard', first);
  room.write(room.root, { 'a.txt': text });
  const repo = await openRepository(room.root, { env: room.env });
  return { room, first, second, repo, git: await repo.git() };
}

/** Every checkout of it gives something else from now on. */
function forge(room: WorktreeRoom, name: string): void {
  const id = room.git('rev-parse', name);
  const file = join(room.root, '.git/objects', id.slice(0, 2), id.slice(2));
  chmodSync(file, 0o644);
  writeFileSync(file, deflateSync(Buffer.from('blob 5\0evil\n')));
}

const forged = { failure: { code: 'object-forged' } };

it('nothing is put back from it, and no branch moves', async () => {
  const { room, first, second, repo } = await lab('second\n');
  forge(room, `${first}:a.txt`);
  const place = { commit: second, branch: 'x', head: first, target: first, patch: '', patchDigest: '' };
  await expect(settleCheckout(repo, { ...place, files: ['a.txt'] })).rejects.toMatchObject(forged);
  expect([room.read(room.root, 'a.txt'), room.git('rev-parse', 'main')]).toEqual(['second\n', first]);
});

it('no branch leads to it', async () => {
  const { room, first, second, repo } = await lab('second\n');
  forge(room, `${second}:a.txt`);
  const place = { commit: second, branch: 'x', head: first, target: second, patch: '', patchDigest: '' };
  await expect(settleCheckout(repo, { ...place, files: ['a.txt'] })).rejects.toMatchObject(forged);
  expect(room.git('rev-parse', 'main')).toBe(first);
});

it('nothing is merged from it, and no mark of a merge is left', async () => {
  const { room, first, second, git } = await lab('a\n');
  forge(room, `${second}:a.txt`);
  await expect(follow(git, { into: 'main', old: first, commit: second })).rejects.toMatchObject(forged);
  expect(room.refs()).toEqual([`refs/heads/main ${first}`]);
  expect(room.read(room.root, 'a.txt')).toBe('a\n');
});

it('nothing that was lent to a worktree is given back from it', async () => {
  const { room, repo, first } = await lab('a\n');
  const trees = await room.open();
  const { path } = await trees.create({ branch: 'auto/x', path: 'x', base: 'main' });
  room.write(path, { 'a.txt': 'lent\n' });
  forge(room, `${first}:a.txt`);
  await expect(restoreFiles(repo, path, ['a.txt'])).rejects.toMatchObject(forged);
  expect(room.read(path, 'a.txt')).toBe('lent\n');
});
