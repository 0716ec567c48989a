import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { findRepository } from '../../../src/adapters/git/git-guard-find.js';
import { refChanges, refsBefore } from '../../../src/adapters/git/git-refs.js';
import { WorktreeRoom } from '../worktree/worktree-room.js';

const rooms: WorktreeRoom[] = [];
afterEach(() => {
  for (const room of rooms.splice(0)) room.close();
});

function lab() {
  const room = new WorktreeRoom();
  rooms.push(room);
  room.git('worktree', 'add', '-q', '-b', 'auto/x', join(room.folder, 'wt'));
  const head = join(room.root, '.git/worktrees/wt/HEAD');
  return { room, repository: findRepository(room.root)!, put: (text: string) => writeFileSync(head, `${text}\n`) };
}

const zeros = '0'.repeat(40);

it('a worktree that git was making when somebody began is nobody’s change', async () => {
  const { repository, put } = lab();
  // As `git worktree add` leaves it for a moment.
  put(zeros);
  const before = await refsBefore(repository);
  put('ref: refs/heads/auto/x');
  expect(await refChanges(repository, before)).toEqual([]);
});

it('a worktree of a person whose HEAD was made zeros, or that of a task, was changed', async () => {
  const { room, repository, put } = lab();
  room.git('branch', 'mine');
  put('ref: refs/heads/mine');
  const before = await refsBefore(repository);
  put(zeros);
  expect(await refChanges(repository, before)).toEqual([{ name: 'worktrees/wt/HEAD', now: zeros }]);
  put('ref: refs/heads/auto/x');
  expect(await refChanges(repository, before)).toEqual([{ name: 'worktrees/wt/HEAD' }]);
});

it('a worktree of a task is known by its place, whatever its HEAD says for a moment', async () => {
  const { room, repository } = lab();
  room.git('worktree', 'add', '-q', '--detach', join(room.root, '.autoresearch/default/worktrees/t'));
  const before = await refsBefore(repository);
  room.git('worktree', 'remove', '--force', join(room.root, '.autoresearch/default/worktrees/t'));
  expect(await refChanges(repository, before)).toEqual([]);
});

it('a worktree of a person that says it is one of a task was changed', async () => {
  const { room, repository, put } = lab();
  room.git('branch', 'mine');
  put('ref: refs/heads/mine');
  const before = await refsBefore(repository);
  writeFileSync(join(room.root, '.git/worktrees/wt/gitdir'), `${join(room.root, '.autoresearch/x/.git')}\n`);
  expect(await refChanges(repository, before)).toEqual([{ name: 'worktrees/wt/HEAD' }]);
});
