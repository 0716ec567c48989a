import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  cpSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { commitOf, openRepository } from '../../../src/adapters/git/git-repository.js';
import { readIndex } from '../../../src/adapters/git/index-file.js';
import { lookIn, withFreshIndex } from '../../../src/adapters/worktree/worktree-files.js';
import { canExchangeUnseen, exchangeUnseen } from '../git/unseen-exchange.js';
import { WorktreeRoom } from './worktree-room.js';

const rooms: WorktreeRoom[] = [];
afterEach(() => {
  for (const room of rooms.splice(0)) room.close();
});

class LookingRoom extends WorktreeRoom {
  constructor(files?: Readonly<Record<string, string>>) {
    super(files);
    rooms.push(this);
  }

  /** As `how path`. */
  async look(commit = this.git('rev-parse', 'HEAD')): Promise<string[]> {
    const eyes = await (await openRepository(this.root, { env: this.env })).look();
    const found = await withFreshIndex(eyes, commit, (fresh) => lookIn(fresh, { ignored: true }));
    return [
      ...found.changes.map(({ how, path }) => `${how} ${path}`),
      ...found.ignored.map((path) => `ignored ${path}`),
    ];
  }

  /** Until the disk's clock shows another second than all that is there. */
  async secondLater(): Promise<void> {
    const probe = join(this.folder, 'probe');
    const second = (): number => {
      writeFileSync(probe, '');
      return Math.floor(statSync(probe).ctimeMs / 1000);
    };
    for (const first = second(); second() === first; ) await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** As it was looked at before: in pieces. */
function piecewise(room: WorktreeRoom, commit: string): string[] {
  const index = join(room.folder, 'reference-index');
  rmSync(index, { force: true });
  const run = (...args: string[]): string[] => {
    const env = { ...room.env, GIT_INDEX_FILE: index };
    const said = spawnSync('git', ['-c', 'core.fsmonitor=false', ...args], { cwd: room.root, env });
    return said.stdout.toString('latin1').split('\0').filter(Boolean);
  };
  run('read-tree', commit);
  run('update-index', '-q', '--refresh');
  const tracked = run('diff-files', '-z', '--name-status', '--no-renames');
  const changes: [string, string][] = [];
  for (let at = 0; at + 1 < tracked.length; at += 2)
    changes.push([tracked[at + 1]!, tracked[at] === 'D' ? 'removed' : 'changed']);
  changes.push(
    ...run('ls-files', '-z', '--others', '--exclude-standard').map((name): [string, string] => [name, 'added']),
  );
  const text = (name: string): string => {
    const bytes = Buffer.from(name, 'latin1');
    const isText = Buffer.from(bytes.toString()).equals(bytes);
    return isText ? bytes.toString() : name.replace(/[\x80-\xff]/g, (byte) => `%${byte.charCodeAt(0).toString(16)}`);
  };
  const isClosed = (name: string): boolean => name.endsWith('/') || text(name).includes('%ff');
  const order = (a: string, b: string): number => Buffer.compare(Buffer.from(a, 'latin1'), Buffer.from(b, 'latin1'));
  return [
    ...changes.sort(([a], [b]) => order(a, b)).map(([name, how]) => `${isClosed(name) ? 'closed' : how} ${text(name)}`),
    ...run('ls-files', '-z', '--others', '--ignored', '--exclude-standard')
      .map(text)
      .sort()
      .map((name) => `ignored ${name}`),
  ];
}

describe('one question answers what four did', () => {
  const parts = ['a', 'b', 'c', 'ignored', 'x.log', 'é', 'sp ace', 'nl\nx', '-dash', '.hid', 'B', 'q"uote', 'build'];
  const rules = ['ignored/', '*.log', '/build', '!keep.log', '.hid', 'c/*', '!c/a', 'B/', 'a/b/'];
  const settings = [
    ...['status.showUntrackedFiles no', 'status.renames copies', 'status.short true', 'status.branch true'],
    ...[
      'status.relativePaths false',
      'column.ui always',
      'color.ui always',
      'core.quotePath false',
      'pager.status cat',
    ],
    ...['diff.ignoreSubmodules all', 'core.untrackedCache true', 'core.preloadIndex false', 'index.version 4'],
    ...['feature.manyFiles true', 'core.checkStat minimal', 'core.trustctime false', 'core.ignoreStat true'],
    ...[
      'core.fileMode false',
      'core.autocrlf input',
      'index.threads 4',
      'status.showStash true',
      'core.splitIndex true',
    ],
  ];

  /** The same numbers for the same seed. */
  const dice = (seed: number): (() => number) => {
    let state = seed;
    return () => {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
      return state / 2 ** 32;
    };
  };

  it.each(Array.from({ length: 16 }, (_, index) => index + 1))(
    'whatever lies around, %i',
    { timeout: 60_000 },
    async (seed) => {
      const next = dice(seed);
      const one = <Item>(items: readonly Item[]): Item => items[Math.floor(next() * items.length)]!;
      const room = new LookingRoom({ '.gitignore': `${one(rules)}\n${one(rules)}\n${one(rules)}\n` });
      const at = (path: string): string => join(room.root, path);
      const innerRepository = (path: string): void => {
        mkdirSync(path, { recursive: true });
        room.gitIn(path, 'init', '-q');
        if (next() < 0.5) return;
        writeFileSync(join(path, 'in'), 'in');
        room.gitIn(path, 'add', '.');
        room.gitIn(path, 'commit', '-q', '-m', 'inner');
      };
      let written = 0;
      /** Longer than all before it, so that its size tells. */
      const text = (): string => {
        written += 1;
        return 'x'.repeat(written);
      };
      const put = (): void => {
        const path = at(Array.from({ length: 1 + Math.floor(next() * 3) }, () => one(parts)).join('/'));
        const what = next();
        mkdirSync(dirname(path), { recursive: true });
        if (what < 0.65) writeFileSync(path, text());
        else if (what < 0.75) symlinkSync(one(['a', 'b', 'nowhere', 'c/a']), path);
        else if (what < 0.85) mkdirSync(path, { recursive: true });
        else if (what < 0.92) writeFileSync(path, `#!${text()}`, { mode: 0o755 });
        else innerRepository(path);
      };
      const inItsPlace = (path: string, how: number): void => {
        rmSync(path, { recursive: true, force: true });
        if (how < 0.65) symlinkSync(one(['a', 'b', '../a', 'c']), path);
        else if (how < 0.75) innerRepository(path);
        else {
          mkdirSync(path);
          if (next() < 0.7) writeFileSync(join(path, 'n'), 'n');
        }
      };
      const change = (): void => {
        const there = (readdirSync(room.root, { recursive: true }) as string[]).filter(
          (path) => !/(^|\/)\.git(\/|$)/.test(path),
        );
        const path = at(one(there));
        const how = next();
        if (how > 0.85) put();
        else if (how < 0.3) rmSync(path, { recursive: true, force: true });
        else if (how < 0.45) writeFileSync(path, text());
        else if (how < 0.5) chmodSync(path, next() < 0.5 ? 0o755 : 0o644);
        else if (how < 0.55) writeFileSync(Buffer.concat([Buffer.from(`${room.root}/f`), Buffer.from([0xff])]), 'odd');
        else inItsPlace(path, how);
      };
      const several = (count: number, act: () => void): void => {
        for (let turn = 0; turn < count; turn += 1) {
          try {
            act();
          } catch (error) {
            // Something is in the way.
            if (!/^E[A-Z]+$/.test((error as NodeJS.ErrnoException).code ?? '')) throw error;
          }
        }
      };
      const commits: string[] = [];
      for (let turn = 0; turn < 3; turn += 1) {
        several(8, put);
        const quiet = ['-c', 'advice.addEmbeddedRepo=false'];
        spawnSync('git', [...quiet, 'add', next() < 0.5 ? '-A' : '-f', '.'], { cwd: room.root, env: room.env });
        room.git('commit', '-q', '--allow-empty', '-m', String(turn));
        commits.push(room.git('rev-parse', 'HEAD'));
      }
      for (let turn = 0; turn < 6; turn += 1) {
        several(3, change);
        if (turn > 2) room.git('config', ...one(settings).split(' '));
        if (turn === 4) room.git('checkout', '-q', '--detach', '--force', commits[0]!);
        const commit = one(commits);
        expect({ turn, look: await room.look(commit) }).toEqual({ turn, look: piecewise(room, commit) });
      }
    },
  );

  it.each<[string, (room: LookingRoom) => unknown]>([
    ['a HEAD that leads to nothing', (room) => writeFileSync(join(room.root, '.git/HEAD'), `${'1'.repeat(40)}\n`)],
    ['a HEAD on no branch', (room) => room.git('checkout', '-q', '--detach')],
    ['a branch without a commit', (room) => room.git('symbolic-ref', 'HEAD', 'refs/heads/none')],
    [
      'a pipe where git would look for a rebase',
      (room) => {
        mkdirSync(join(room.root, '.git/rebase-merge'));
        execFileSync('mkfifo', [join(room.root, '.git/rebase-merge/head-name')]);
      },
    ],
    [
      'a pipe where git would look for a pick',
      (room) => execFileSync('mkfifo', [join(room.root, '.git/CHERRY_PICK_HEAD')]),
    ],
  ])('also with %s', { timeout: 30_000 }, async (_name, change) => {
    const room = new LookingRoom();
    const commit = room.git('rev-parse', 'HEAD');
    change(room);
    room.write(room.root, { 'a.txt': 'longer\n', new: 'new', 'ignored/i': 'i' });
    expect(await room.look(commit)).toEqual(['changed a.txt', 'added new', 'ignored ignored/i']);
  });
});

/** A file of six bytes that nobody has touched for a while, and a look at it. */
async function watched(
  room = new LookingRoom({ 'src/victim': 'good1\n', 'src/other': 'other\n' }),
): Promise<LookingRoom> {
  await room.secondLater();
  expect(await room.look()).toEqual([]);
  return room;
}

const at = (room: WorktreeRoom, path = 'src/victim'): string => join(room.root, path);

/** The same size, and the same date for whoever believes it. */
function forge(room: WorktreeRoom, text = 'evil1\n'): void {
  const { atime, mtime } = statSync(at(room));
  writeFileSync(at(room), text);
  utimesSync(at(room), atime, mtime);
}

describe('a change cannot hide behind what was seen before', { timeout: 60_000 }, () => {
  it.each<[string, (room: LookingRoom) => unknown]>([
    ['the same size and date', (room) => forge(room)],
    [
      'another file in its place that was made in the same second',
      (room) => renameSync(join(room.folder, 'prepared'), at(room)),
    ],
    [
      'a link to another file that was made in the same second',
      (room) => [rmSync(at(room)), linkSync(join(room.folder, 'prepared'), at(room))],
    ],
    [
      'another folder in the place of its folder',
      (room) => [
        renameSync(at(room, 'src'), join(room.folder, 'gone')),
        renameSync(join(room.folder, 'src'), at(room, 'src')),
      ],
    ],
    [
      'a link in the place of its folder',
      (room) => [
        renameSync(at(room, 'src'), join(room.folder, 'gone')),
        symlinkSync(join(room.folder, 'gone'), at(room, 'src')),
      ],
    ],
    ['a link to what it was', (room) => [renameSync(at(room), at(room, 'was')), symlinkSync('../was', at(room))]],
    ['another mode', (room) => chmodSync(at(room), 0o755)],
    [
      'flags in the index of the checkout',
      (room) => {
        room.git('update-index', '--assume-unchanged', 'src/victim');
        room.git('update-index', '--skip-worktree', 'src/other');
        forge(room);
      },
    ],
    [
      'settings that make git look away',
      (room) => {
        room.git('config', 'core.trustctime', 'false');
        room.git('config', 'core.checkStat', 'minimal');
        room.git('config', 'core.ignoreStat', 'true');
        forge(room);
      },
    ],
    [
      'a monitor of files that saw nothing',
      (room) => {
        const monitor = join(room.folder, 'monitor');
        writeFileSync(monitor, '#!/bin/sh\nprintf "token\\0"\n', { mode: 0o755 });
        room.git('config', 'core.fsmonitor', monitor);
        room.git('status');
        forge(room);
      },
    ],
    [
      'a split index, and a cache of what is not tracked',
      (room) => {
        room.git('config', 'core.splitIndex', 'true');
        room.git('config', 'core.untrackedCache', 'true');
        room.git('update-index', '--split-index', '--untracked-cache');
        forge(room);
      },
    ],
    [
      'a sparse checkout that leaves it out',
      (room) => {
        room.git('config', 'core.sparseCheckout', 'true');
        room.git('config', 'index.sparse', 'true');
        writeFileSync(join(room.root, '.git/info/sparse-checkout'), '/*\n!/src/\n');
        forge(room);
      },
    ],
    [
      'an index of the checkout that says so',
      (room) => {
        forge(room);
        room.git('update-index', '--add', 'src/victim');
      },
    ],
  ])('%s', async (_name, attack) => {
    const room = new LookingRoom({ 'src/victim': 'good1\n', 'src/other': 'other\n' });
    cpSync(join(room.root, 'src'), join(room.folder, 'src'), { recursive: true, preserveTimestamps: true });
    writeFileSync(join(room.folder, 'src/victim'), 'evil1\n');
    writeFileSync(join(room.folder, 'prepared'), 'evil1\n');
    const { atime, mtime } = statSync(at(room));
    for (const file of ['src/victim', 'prepared']) utimesSync(join(room.folder, file), atime, mtime);
    await watched(room);
    attack(room);
    const seen = await room.look();
    expect(seen.filter((line) => /src\/victim/.test(line))).not.toEqual([]);
    expect(seen).toEqual(piecewise(room, 'HEAD'));
  });

  it('settings that make git look away were there from the start', async () => {
    const room = new LookingRoom({ 'src/victim': 'good1\n', 'src/other': 'other\n' });
    for (const setting of ['trustctime false', 'checkStat minimal', 'ignoreStat true', 'fileMode true'])
      room.git('config', ...`core.${setting}`.split(' '));
    await watched(room);
    expect(await room.look()).toEqual([]);
    forge(room);
    expect(await room.look()).toEqual(['changed src/victim']);
  });

  it('written again in the same moment as the look', async () => {
    const room = await watched();
    for (let turn = 0; turn < 8; turn += 1) {
      // Old by its date, though it was written just now: git itself would believe it.
      writeFileSync(at(room), 'good1\n');
      utimesSync(at(room), 1000, 1000);
      expect(await room.look()).toEqual([]);
      writeFileSync(at(room), 'evil1\n');
      utimesSync(at(room), 1000, 1000);
      expect({ turn, seen: await room.look() }).toEqual({ turn, seen: ['changed src/victim'] });
    }
  });

  it('written while the look goes on', async () => {
    const room = await watched();
    const flip = `for (;;) for (const text of ['good1\\n', 'evil1\\n']) {
      fs.writeFileSync(process.argv[1], text);
      fs.utimesSync(process.argv[1], 1000, 1000);
    }`;
    const child = spawn(process.execPath, ['-e', flip, at(room)], { stdio: 'ignore' });
    try {
      for (let turn = 0; turn < 8; turn += 1) await room.look();
    } finally {
      child.kill('SIGKILL');
      await once(child, 'close');
    }
    writeFileSync(at(room), 'evil1\n');
    utimesSync(at(room), 1000, 1000);
    expect(await room.look()).toEqual(['changed src/victim']);
  });

  it('in an environment that names another index, other objects and another repository', async () => {
    const room = await watched();
    const other = new WorktreeRoom({ 'src/victim': 'evil1\n' });
    rooms.push(other);
    const dir = join(other.root, '.git');
    forge(room);
    Object.assign(room.env, {
      ...{ GIT_DIR: dir, GIT_COMMON_DIR: dir, GIT_WORK_TREE: other.root, GIT_INDEX_FILE: join(dir, 'index') },
      ...{ GIT_OBJECT_DIRECTORY: join(dir, 'objects'), GIT_NAMESPACE: 'x', GIT_LITERAL_PATHSPECS: '1' },
      ...{ GIT_CONFIG_COUNT: '1', GIT_CONFIG_KEY_0: 'core.ignoreStat', GIT_CONFIG_VALUE_0: 'true' },
    });
    const repo = await openRepository(room.root, { env: room.env });
    expect(repo.gitDir).toBe(join(room.root, '.git'));
    const look = await repo.look();
    const head = await commitOf(look, 'HEAD');
    expect(await room.look(head)).toEqual(['changed src/victim']);
  });

  it('dated in the future', async () => {
    const room = new LookingRoom({ 'src/victim': 'good1\n' });
    utimesSync(at(room), 4_000_000_000, 4_000_000_000);
    await watched(room);
    forge(room);
    expect(await room.look()).toEqual(['changed src/victim']);
  });

  it.each<[string, (room: LookingRoom) => void, (room: LookingRoom) => void]>([
    [
      'attributes in the folder',
      (room) => room.write(room.root, { 'src/.gitattributes': 'victim ident\n' }),
      (room) => rmSync(at(room, 'src/.gitattributes')),
    ],
    [
      'attributes of the repository',
      (room) => room.write(room.root, { '.git/info/attributes': 'victim ident\n' }),
      (room) => rmSync(at(room, '.git/info/attributes')),
    ],
    [
      'attributes of the person',
      (room) => room.write(room.folder, { '.config/git/attributes': 'victim ident\n' }),
      (room) => rmSync(join(room.folder, '.config/git/attributes')),
    ],
    [
      'attributes in a file that the settings name',
      (room) => {
        room.write(room.folder, { named: 'victim ident\n' });
        room.git('config', 'core.attributesFile', join(room.folder, 'named'));
      },
      (room) => rmSync(join(room.folder, 'named')),
    ],
  ])('under rules by which it is none: %s', async (_name, under, undo) => {
    const room = new LookingRoom({ 'src/victim': '$Id$\n', 'src/other': 'other\n' });
    under(room);
    writeFileSync(at(room), '$Id: evil $\n');
    await room.secondLater();
    expect((await room.look()).filter((line) => /victim/.test(line))).toEqual([]);
    undo(room);
    expect(await room.look()).toEqual(['changed src/victim']);
  });

  it('under settings by which it is none', async () => {
    const room = new LookingRoom({ 'src/victim': 'good1\n' });
    room.git('config', 'core.autocrlf', 'true');
    writeFileSync(at(room), 'good1\r\n');
    await room.secondLater();
    expect(await room.look()).toEqual([]);
    room.git('config', '--unset', 'core.autocrlf');
    expect(await room.look()).toEqual(['changed src/victim']);
  });

  it('under rules of a commit by which it is none', async () => {
    const room = new LookingRoom({ 'src/victim': '$Id$\n', '.gitattributes': 'victim ident\n' });
    const first = room.git('rev-parse', 'HEAD');
    room.write(room.root, { '.gitattributes': '# nothing\n' });
    room.git('commit', '-q', '-am', 'second');
    rmSync(join(room.root, '.gitattributes'));
    writeFileSync(at(room), '$Id: evil $\n');
    await room.secondLater();
    expect(await room.look(first)).toEqual(['removed .gitattributes']);
    expect(await room.look()).toEqual(['removed .gitattributes', 'changed src/victim']);
  });

  const script = `
import mmap, sys
with open(sys.argv[1], 'r+b') as file:
    page = mmap.mmap(file.fileno(), 0)
    page[0:5] = b'good1'
    print('mapped', flush=True)
    sys.stdin.readline()
    page[0:5] = b'evil1'
    print('written', flush=True)
    sys.stdin.readline()
`;

  it('written into memory that a program has mapped, which leaves no stamp', async () => {
    const room = new LookingRoom({ 'src/victim': 'good1\n' });
    const child = spawn('python3', ['-c', script, at(room)], { stdio: ['pipe', 'pipe', 'inherit'] });
    await once(child.stdout, 'data');
    await room.secondLater();
    const before = lstatSync(at(room), { bigint: true });
    expect(await room.look()).toEqual([]);
    child.stdin.write('\n');
    await once(child.stdout, 'data');
    expect(readFileSync(at(room), 'utf8')).toBe('evil1\n');
    expect(lstatSync(at(room), { bigint: true }).ctimeNs).toBe(before.ctimeNs);
    expect(await room.look()).toEqual(['changed src/victim']);
    child.stdin.end('\n');
    await once(child, 'close');
  });

  it('exchanged on the disk, which leaves no stamp either', async (context) => {
    const room = await watched();
    if (!canExchangeUnseen(room.folder)) return context.skip();
    exchangeUnseen(at(room), join(room.folder, 'spare'));
    expect(await room.look()).toEqual(['changed src/victim']);
  });
});

describe('an index of ours', () => {
  it('is asked in pieces where a commit has a submodule', async () => {
    const room = new LookingRoom();
    const inner = new WorktreeRoom();
    rooms.push(inner);
    room.git('-c', 'protocol.file.allow=always', 'submodule', 'add', '-q', inner.root, 'sub');
    room.git('commit', '-q', '-m', 'sub');
    await room.secondLater();
    expect(await room.look()).toEqual([]);
    writeFileSync(join(room.root, 'sub/untracked'), 'x');
    expect(await room.look()).toEqual(piecewise(room, 'HEAD'));
    writeFileSync(join(room.root, 'sub/a.txt'), 'changed');
    expect(await room.look()).toEqual(['changed sub']);
  });

  it.each<[string, (bytes: Buffer) => Buffer]>([
    ['cut off', (bytes) => bytes.subarray(0, bytes.length - 1)],
    ['with another sum', (bytes) => Buffer.concat([bytes.subarray(0, -1), Buffer.from([bytes.at(-1)! ^ 1])])],
    ['of nothing', () => Buffer.alloc(0)],
  ])('an index %s is none', (_name, spoil) => {
    const room = new LookingRoom();
    const bytes = readFileSync(join(room.root, '.git/index'));
    expect(readIndex(bytes)?.entries.map(({ name }) => name)).toEqual(['.gitignore', 'a.txt', 'b.txt', 'src/c.txt']);
    expect(readIndex(spoil(bytes))).toBeUndefined();
  });

  it.each(['--assume-unchanged', '--skip-worktree'])('an index with %s is none', (flag) => {
    const room = new LookingRoom();
    room.git('update-index', flag, 'a.txt');
    expect(readIndex(readFileSync(join(room.root, '.git/index')))).toBeUndefined();
  });
});
