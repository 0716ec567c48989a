import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { Driver } from '../../support/driver.js';
import { shared } from '../../support/thinned.js';
import type { DriverStep } from './worktree-driver.js';
import { WorktreeRoom } from './worktree-room.js';

const driver = new Driver(fileURLToPath(new URL('worktree-driver.ts', import.meta.url)));
const killAt = fileURLToPath(new URL('worktree-kill-at.cjs', import.meta.url));
const rooms: WorktreeRoom[] = [];
afterAll(() => {
  driver.close();
  for (const room of rooms) room.close();
});

function newRoom(): WorktreeRoom {
  const room = new WorktreeRoom();
  rooms.push(room);
  return room;
}

interface Ended {
  readonly signal: string | null;
  readonly results: readonly unknown[];
  readonly stderr: string;
}

async function drive(
  room: WorktreeRoom,
  steps: readonly DriverStep[],
  env: Record<string, string> = {},
): Promise<Ended> {
  const { root, dir, mutexFile } = room;
  const args = [
    '--require',
    killAt,
    join(driver.folder, 'driver.mjs'),
    JSON.stringify({ root, dir, mutexFile, steps }),
  ];
  const child = spawn(process.execPath, args, { env: { ...room.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
  let [out, stderr] = ['', ''];
  child.stdout.on('data', (text) => (out += text));
  child.stderr.on('data', (text) => (stderr += text));
  const timer = setTimeout(() => child.kill('SIGKILL'), 240_000);
  // Not at its exit: what it printed may come after that.
  const [, signal] = (await once(child, 'close')) as [number | null, string | null];
  clearTimeout(timer);
  const results = out
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as unknown);
  return { signal, results, stderr };
}

/** Everything that must be the same whether or not somebody died on the way. */
const endOf = (room: WorktreeRoom, path: string): object => ({
  refs: room.refs(),
  status: room.git('status', '--porcelain'),
  main: room.git('ls-tree', '-r', 'HEAD'),
  trees: room.git('worktree', 'list', '--porcelain').replaceAll(room.folder, ''),
  inTree: existsSync(join(path, '.git')) ? room.gitIn(path, 'status', '--porcelain') : 'gone',
  aside: room.aside(),
  uncommitted: existsSync(join(path, 'wip')) ? readFileSync(join(path, 'wip'), 'utf8') : 'none',
  lost: room.lost(),
});

describe('eight processes that create at once', () => {
  it('all of them, three times over', { timeout: 300_000 }, async () => {
    const room = newRoom();
    for (let round = 0; round < 3; round += 1) {
      const names = Array.from({ length: 8 }, (_, index) => `r${round}-${index}`);
      const ended = await Promise.all(names.map((name) => drive(room, [{ op: 'create', name }])));
      expect(ended.map(({ stderr }) => stderr).join('')).toBe('');
      expect(ended.flatMap(({ results }) => results)).toHaveLength(8);
    }
    expect(room.git('worktree', 'list').split('\n')).toHaveLength(25);
    expect(room.git('branch', '--list', 'auto/*').split('\n')).toHaveLength(24);
  });

  it('commit and merge at once: no change is lost', { timeout: 300_000 }, async () => {
    const room = newRoom();
    const names = Array.from({ length: 6 }, (_, index) => `n${index}`);
    const steps = (name: string): DriverStep[] => [
      { op: 'create', name },
      { op: 'write', name, files: { [`${name}.txt`]: name } },
      { op: 'commit', name },
      { op: 'merge', name },
      { op: 'remove', name },
    ];
    const ended = await Promise.all(names.map((name) => drive(room, steps(name))));
    expect(ended.map(({ stderr }) => stderr).join('')).toBe('');
    for (const name of names) expect(room.read(room.root, `${name}.txt`)).toBe(name);
    expect(room.refs()).toHaveLength(1);
    expect(room.git('status', '--porcelain')).toBe('');
    expect(room.lost()).toEqual([]);
  });
});

const changing =
  /^git (worktree add|read-tree|update-ref|symbolic-ref [^-]|commit-tree|write-tree|merge-tree|update-index)/;

/** Without what is made up anew each time. */
const plain = (step: string): string => step.replace(/-index-\d+-[0-9a-f]+/, '-index').replace(/-[0-9a-f]{8}$/, '');

describe('SIGKILL before every step, then the same again', () => {
  const made: DriverStep[] = [{ op: 'create', name: 'x' }];
  const files = { 'a.txt': 'mine\n', 'b.txt': '', 'new/file': 'new\n' };
  const committed: DriverStep[] = [...made, { op: 'write', name: 'x', files }, { op: 'commit', name: 'x' }];
  const merged: DriverStep[] = [...committed, { op: 'merge', name: 'x' }];
  const other: DriverStep[] = [
    { op: 'create', name: 'y' },
    { op: 'write', name: 'y', files: { 'src/c.txt': 'other\n', 'new/other': 'other\n' } },
    { op: 'commit', name: 'y' },
    { op: 'merge', name: 'y' },
    { op: 'remove', name: 'y' },
  ];
  const beside: DriverStep[] = [...committed, ...other];
  const more = { 'a.txt': 'more\n', 'not yet': 'x\n', 'ignored/big': 'big\n' };
  const working: DriverStep[] = [
    ...made,
    { op: 'write', name: 'x', files: { ...files, wip: 'not yet\n', 'ignored/big': 'big\n' } },
  ];
  const unsaved: DriverStep[] = [...committed, { op: 'write', name: 'x', files: more }];

  it.each<[string, readonly DriverStep[], DriverStep]>([
    ['create', [], { op: 'create', name: 'x' }],
    ['commit', committed.slice(0, 2), { op: 'commit', name: 'x' }],
    ['merge', committed, { op: 'merge', name: 'x' }],
    ['remove', merged, { op: 'remove', name: 'x' }],
    ['update', beside, { op: 'update', name: 'x' }],
    ['update to what holds it already', [...merged, ...other], { op: 'update', name: 'x' }],
    ['update of work in no commit', [...working, ...other], { op: 'catch-up', name: 'x' }],
    ['shelve', unsaved, { op: 'shelve', name: 'x' }],
    ['shelve what is merged', merged, { op: 'shelve', name: 'x' }],
  ])('%s', { timeout: 600_000 }, async (_name, before, step) => {
    // Git writes absolute paths, so each trial takes place in the same folder, brought back to where it began.
    const room = newRoom();
    const path = join(room.dir, 'x');
    await drive(room, before);
    const saved = `${room.folder}-saved`;
    cpSync(room.folder, saved, { recursive: true, preserveTimestamps: true });
    const putBack = (): void => {
      room.close();
      cpSync(saved, room.folder, { recursive: true, preserveTimestamps: true });
    };
    const log = join(driver.folder, `log-${_name.replaceAll(' ', '-')}`);
    // Files that were copied have other stamps, for which git may need a step more.
    putBack();
    expect((await drive(room, [step], { KILL_LOG: log })).stderr).toBe('');
    const expected = endOf(room, path);
    const steps = readFileSync(log, 'utf8').trim().split('\n');
    expect(steps.length).toBeGreaterThan(10);
    const trials = steps.flatMap((what, index) => {
      const isGit = what.startsWith('git ');
      // A git that only answers leaves everything as it was; the last one stands for all of them.
      if (isGit && !changing.test(what) && index < steps.length - 1) return [];
      return (isGit ? ['before', 'after'] : ['before']).map((how) => ({ what, index, how }));
    });
    for (const { what, index, how } of shared(trials)) {
      putBack();
      rmSync(log);
      const killed = await drive(room, [step], { KILL_AT: String(index), KILL_HOW: how, KILL_LOG: log });
      const at = readFileSync(log, 'utf8').trim().split('\n').at(-1)!;
      expect(`${killed.signal} ${how} ${plain(at)}`).toBe(`SIGKILL ${how} ${plain(what)}`);
      const again = await drive(room, [step]);
      expect(`${how} ${what}: ${again.stderr}`).toBe(`${how} ${what}: `);
      expect({ what, how, ...endOf(room, path) }).toEqual({ what, how, ...expected });
    }
    room.close();
    cpSync(saved, room.folder, { recursive: true });
    rooms.push(Object.assign(Object.create(WorktreeRoom.prototype), { folder: saved }));
  });
});

describe('a git that died between two refs that it moves at once', () => {
  const made: DriverStep[] = [{ op: 'create', name: 'x' }];
  const committed: DriverStep[] = [
    ...made,
    { op: 'write', name: 'x', files: { 'a.txt': 'mine\n', new: 'new\n' } },
    { op: 'commit', name: 'x' },
  ];
  const merged: DriverStep[] = [...committed, { op: 'merge', name: 'x' }];
  const other: DriverStep[] = [
    { op: 'create', name: 'y' },
    { op: 'write', name: 'y', files: { other: 'other\n' } },
    { op: 'commit', name: 'y' },
    { op: 'merge', name: 'y' },
    { op: 'remove', name: 'y' },
  ];

  /** What stays of the refs as they were before, when the first few of those that change have been moved. */
  it.each<[string, readonly DriverStep[], DriverStep, readonly string[]]>([
    ['create', [], made[0]!, ['bases/auto/x', 'tips/auto/x', 'heads/auto/x']],
    ['commit', committed.slice(0, 2), committed[2]!, ['tips/auto/x', 'heads/auto/x']],
    ['merge', committed, { op: 'merge', name: 'x' }, ['heads/main', 'merging/main']],
    ['update', [...committed, ...other], { op: 'update', name: 'x' }, ['tips/auto/x', 'updating/auto/x']],
    ['remove', merged, { op: 'remove', name: 'x' }, ['heads/auto/x', 'bases/auto/x', 'tips/auto/x']],
  ])('%s', { timeout: 120_000 }, async (name, before, step, order) => {
    const room = newRoom();
    const path = join(room.dir, 'x');
    await drive(room, before);
    const saved = `${room.folder}-saved`;
    cpSync(room.folder, saved, { recursive: true, preserveTimestamps: true });
    const putBack = (): void => {
      room.close();
      cpSync(saved, room.folder, { recursive: true, preserveTimestamps: true });
    };
    const log = join(driver.folder, `refs-${name}`);
    putBack();
    expect((await drive(room, [step], { KILL_LOG: log })).stderr).toBe('');
    const expected = endOf(room, path);
    const refs = order.map((ref) => (ref.startsWith('heads/') ? `refs/${ref}` : `refs/autoresearch/${ref}`));
    const at = (ref: string): string =>
      room
        .refs()
        .find((line) => line.startsWith(`${ref} `))
        ?.split(' ')[1] ?? 'nowhere';
    const ends = refs.map(at);
    const last = readFileSync(log, 'utf8')
      .trim()
      .split('\n')
      .findLastIndex((line) => /^git update-ref.*--stdin/.test(line));
    for (let done = 1; done < refs.length; done += 1) {
      putBack();
      // Killed before the last of its moves, of which some are then made all the same.
      await drive(room, [step], { KILL_AT: String(last), KILL_HOW: 'before' });
      for (const [index, ref] of refs.slice(0, done).entries())
        room.git('update-ref', '--no-deref', ...(ends[index] === 'nowhere' ? ['-d', ref] : [ref, ends[index]!]));
      const again = await drive(room, [step]);
      expect({ done, stderr: again.stderr, ...endOf(room, path) }).toEqual({ done, stderr: '', ...expected });
    }
    room.close();
    rmSync(saved, { recursive: true, force: true });
  });
});

describe('a git that was killed itself', () => {
  const begun = async (): Promise<{ room: WorktreeRoom; commit: string }> => {
    const room = newRoom();
    const files = { 'a.txt': 'long enough\n', 'b.txt': 'b too\n', 'src/c.txt': 'c too\n', new: 'new\n' };
    await drive(room, [
      { op: 'create', name: 'x' },
      { op: 'write', name: 'x', files },
      { op: 'commit', name: 'x' },
    ]);
    const commit = room.git('commit-tree', '-p', 'main', '-p', 'auto/x', '-m', 'merge x', 'auto/x^{tree}');
    room.git('update-ref', 'refs/autoresearch/merging/main', commit);
    // As in the middle of writing: one is done, one is cut off, one has been removed, one is still to come.
    room.write(room.root, { new: 'new\n', 'a.txt': 'long en' });
    rmSync(join(room.root, 'b.txt'));
    return { room, commit };
  };

  it('in the middle of the checkout: the merge is finished', async () => {
    const { room, commit } = await begun();
    const ended = await drive(room, [{ op: 'merge', name: 'x' }]);
    expect(ended.stderr).toBe('');
    expect(ended.results).toEqual([{ kind: 'merged', commit, files: ['a.txt', 'b.txt', 'new', 'src/c.txt'] }]);
    expect(room.git('rev-parse', 'main')).toBe(commit);
    expect(room.git('status', '--porcelain')).toBe('');
    expect(room.refs().some((ref) => ref.includes('merging'))).toBe(false);
  });

  it('what a person wrote after that is not written over', async () => {
    const { room } = await begun();
    room.write(room.root, { 'src/c.txt': 'person\n' });
    const ended = await drive(room, [{ op: 'merge', name: 'x' }]);
    expect(ended.stderr).toContain('changes of its own in src/c.txt that');
    expect(room.read(room.root, 'src/c.txt')).toBe('person\n');
    room.write(room.root, { 'src/c.txt': 'c\n' });
    expect((await drive(room, [{ op: 'merge', name: 'x' }])).results).toEqual([
      expect.objectContaining({ kind: 'merged' }),
    ]);
    expect(room.git('status', '--porcelain')).toBe('');
  });

  it('with its lock on the checkout: somebody is told which file to remove', async () => {
    const { room } = await begun();
    const lock = join(room.root, '.git/index.lock');
    writeFileSync(lock, '');
    expect((await drive(room, [{ op: 'merge', name: 'x' }])).stderr).toContain(`remove ${lock}`);
    rmSync(lock);
    expect((await drive(room, [{ op: 'merge', name: 'x' }])).stderr).toBe('');
  });

  it('in the middle of a removal, and the worktree was made again: both go', async () => {
    const room = newRoom();
    const name = 'x';
    await drive(room, [{ op: 'create', name }]);
    cpSync(join(room.dir, name), join(room.dir, '.trash', name), { recursive: true });
    rmSync(join(room.dir, '.trash', name, 'a.txt'));
    expect((await drive(room, [{ op: 'remove', name }])).stderr).toBe('');
    expect(room.refs()).toHaveLength(1);
    expect(existsSync(join(room.dir, '.trash', name))).toBe(false);
  });
});
