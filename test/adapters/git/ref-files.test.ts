import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { commitOf, isAncestor, symbolicRef, treeOf } from '../../../src/adapters/git/git-repository.js';
import type { Git } from '../../../src/adapters/git/git-run.js';
import { CountingRoom } from './counting-git.js';
import { canExchangeUnseen, exchangeUnseen } from './unseen-exchange.js';

const rooms: CountingRoom[] = [];
afterEach(() => {
  for (const room of rooms.splice(0)) room.close();
});

interface Lab {
  readonly room: CountingRoom;
  readonly git: Git;
  readonly first: string;
  readonly second: string;
  put(path: string, text: string): void;
}

/** `main` with two commits, and a branch `auto/x` at the first. */
async function lab(): Promise<Lab> {
  const room = new CountingRoom();
  rooms.push(room);
  const first = room.git('rev-parse', 'HEAD');
  room.git('commit', '-q', '--allow-empty', '-m', 'second');
  room.git('branch', 'auto/x', first);
  const git = await (await room.repository()).look();
  room.gits();
  const put = (path: string, text: string): void => {
    mkdirSync(dirname(join(room.root, '.git', path)), { recursive: true });
    writeFileSync(join(room.root, '.git', path), text);
  };
  return { room, git, first, second: room.git('rev-parse', 'HEAD'), put };
}

/** What git says, asked by somebody else. */
const asked = ({ room }: Lab, ...args: string[]): string | undefined => {
  try {
    return room.git('--no-replace-objects', ...args);
  } catch {
    return undefined;
  }
};

const names = [
  ...['HEAD', 'main', 'refs/heads/main', 'refs/heads/auto/x', 'auto/x', 'refs/heads/none', 'none', 'v1', 'main~1'],
  ...['refs/autoresearch/tips/auto/x', 'refs/heads/a-g1234abc', 'refs/heads/..', 'refs/heads/x.lock', 'HEAD^{tree}'],
  ...['refs/heads/other', 'refs/heads/loop', 'refs/heads/sp ace', '-q', '', '@', 'refs/heads/main@{0}', 'refs/tags/v1'],
  ...['refs/worktree/x', 'worktrees/wt/HEAD', 'main-worktree/HEAD', 'FETCH_HEAD', 'refs/heads/\uff00'],
];

function linkedFolder({ root, folder }: CountingRoom): void {
  renameSync(join(root, '.git/refs/heads/auto'), join(folder, 'auto'));
  symlinkSync(join(folder, 'auto'), join(root, '.git/refs/heads/auto'));
}

/** Every name leads where git says that it leads, whatever state the repository is in. */
async function expectSame(lab: Lab): Promise<void> {
  // With a list that it cannot read git does not even find what is named by its own id.
  const ids = asked(lab, 'for-each-ref') === undefined ? [] : [lab.first, lab.second, '0'.repeat(40)];
  for (const name of [...names, ...ids]) {
    const commit = asked(lab, 'rev-parse', '--verify', '-q', '--end-of-options', `${name}^{commit}`);
    expect({ name, commit: await commitOf(lab.git, name) }).toEqual({ name, commit });
    if (!/^(HEAD|refs\/)/.test(name)) continue;
    const target = asked(lab, 'symbolic-ref', '-q', name);
    expect({ name, target: await symbolicRef(lab.git, name) }).toEqual({ name, target });
  }
}

describe('names are read as git reads them', () => {
  it.each<[string, (lab: Lab) => unknown]>([
    ['as they are', () => {}],
    ['packed', ({ room }) => room.git('pack-refs', '--all')],
    [
      'packed, and moved since',
      ({ room, second }) => [room.git('pack-refs', '--all'), room.git('branch', '-f', 'auto/x', second)],
    ],
    ['packed, and deleted', ({ room }) => [room.git('pack-refs', '--all'), room.git('branch', '-D', 'auto/x')]],
    ['HEAD without a branch', ({ room }) => room.git('checkout', '-q', '--detach')],
    ['HEAD on a branch that is not there yet', ({ room }) => room.git('symbolic-ref', 'HEAD', 'refs/heads/none')],
    [
      'a branch that is another name for main',
      ({ room }) => room.git('symbolic-ref', 'refs/heads/other', 'refs/heads/main'),
    ],
    [
      'HEAD through two names',
      ({ room }) => [
        room.git('symbolic-ref', 'refs/heads/other', 'refs/heads/auto/x'),
        room.git('symbolic-ref', 'HEAD', 'refs/heads/other'),
      ],
    ],
    [
      'names in a circle',
      ({ put }) => [
        put('refs/heads/other', 'ref: refs/heads/loop\n'),
        put('refs/heads/loop', 'ref: refs/heads/other\n'),
      ],
    ],
    ['a name that leads out of the refs', ({ put }) => put('refs/heads/other', 'ref: ../../config\n')],
    ['a name that leads to HEAD', ({ put }) => put('refs/heads/other', 'ref: HEAD\n')],
    ['a link for a name', ({ room }) => symlinkSync('main', join(room.root, '.git/refs/heads/other'))],
    [
      'a link as in old repositories',
      ({ room }) => symlinkSync('refs/heads/main', join(room.root, '.git/refs/heads/other')),
    ],
    ['a folder for a name', ({ room }) => mkdirSync(join(room.root, '.git/refs/heads/other'))],
    ['an empty file', ({ put }) => put('refs/heads/other', '')],
    ['nonsense in it', ({ put }) => put('refs/heads/other', 'nonsense\n')],
    ['zeros in it', ({ put }) => put('refs/heads/other', `${'0'.repeat(40)}\n`)],
    ['capitals in it', ({ put, first }) => put('refs/heads/other', `${first.toUpperCase()}\n`)],
    ['more behind it', ({ put, first }) => put('refs/heads/other', `${first} and more\n`)],
    ['no newline', ({ put, first }) => put('refs/heads/other', first)],
    ['a commit that is not there', ({ put }) => put('refs/heads/other', `${'1'.repeat(40)}\n`)],
    ['a tree', ({ room, put }) => put('refs/heads/other', `${room.git('rev-parse', 'HEAD^{tree}')}\n`)],
    ['a tag with words', ({ room }) => room.git('tag', '-a', '-m', 'words', 'v1')],
    ['a tag called main', ({ room, first }) => room.git('tag', 'main', first)],
    [
      'a namesake of what is not there',
      ({ room, second }) => room.git('update-ref', 'refs/tags/refs/autoresearch/tips/auto/x', second),
    ],
    [
      'a packed namesake',
      ({ room, second }) => [
        room.git('update-ref', 'refs/heads/refs/autoresearch/tips/auto/x', second),
        room.git('pack-refs', '--all'),
      ],
    ],
    [
      'a namesake of HEAD',
      ({ room, second }) => [
        room.git('update-ref', 'refs/tags/HEAD', second),
        room.git('symbolic-ref', 'HEAD', 'refs/heads/none'),
      ],
    ],
    [
      'what looks like the output of describe',
      ({ room }) => [names.push(`refs/heads/a-g${room.git('rev-parse', '--short', 'HEAD')}`), undefined],
    ],
    [
      'a packed list that is not in order',
      ({ put, first, second }) =>
        put('packed-refs', `${first} refs/heads/zz\n${second} refs/heads/other\n${first} refs/heads/other\n`),
    ],
    ['a packed list with zeros', ({ put }) => put('packed-refs', `${'0'.repeat(40)} refs/heads/other\n`)],
    [
      'a packed list with an empty line',
      ({ put, first, second }) => put('packed-refs', `${first} refs/heads/none\n\n${second} refs/heads/other\n`),
    ],
    [
      'a packed list that begins with what a tag leads to',
      ({ put, first, second }) => put('packed-refs', `^${first}\n${second} refs/heads/other\n`),
    ],
    [
      'a packed list that says it is in order, and is only for those who count in UTF-16',
      ({ put, first, second }) => {
        const of = (name: string): string => `${first} refs/heads/${name}\n`;
        const others = ['\u{10000}', '\uff00', '\uff01', '\uff02'].map(of).join('');
        put('packed-refs', `# pack-refs with: peeled fully-peeled sorted \n${second} refs/heads/other\n${others}`);
      },
    ],
    ['a folder of refs that is a link', ({ room }) => linkedFolder(room)],
    ['refs of a worktree', ({ put, first }) => put('refs/worktree/x', `${first}\n`)],
    [
      'objects from elsewhere',
      ({ room, put }) => {
        const borrowed = join(room.folder, 'borrowed');
        renameSync(join(room.root, '.git/objects'), borrowed);
        mkdirSync(join(room.root, '.git/objects/pack'), { recursive: true });
        put('objects/info/alternates', `${borrowed}\n`);
      },
    ],
    ['a packed list of nonsense', ({ put }) => put('packed-refs', 'nonsense\n')],
    ['a packed list that is cut off', ({ put, first }) => put('packed-refs', `${first} refs/heads/oth`)],
    ['a commit behind a replacement', ({ room, first, second }) => room.git('replace', second, first)],
  ])('%s', async (_name, change) => {
    const made = await lab();
    change(made);
    await expectSame(made);
  });

  it('of a worktree, whose HEAD is its own', async () => {
    const made = await lab();
    made.room.git('worktree', 'add', '-q', join(made.room.folder, 'wt'), 'auto/x');
    const repo = await made.room.repository();
    const gitDir = join(repo.commonDir, 'worktrees/wt');
    const git = await repo.look({ gitDir, workTree: join(made.room.folder, 'wt') });
    expect(await symbolicRef(git, 'HEAD')).toBe('refs/heads/auto/x');
    expect(await commitOf(git, 'HEAD')).toBe(made.first);
    made.room.gits();
    expect(await commitOf(git, 'refs/heads/main')).toBe(made.second);
    expect(made.room.gits()).toEqual([]);
  });

  it('of a worktree that an agent made part of another repository: as git goes by it', async () => {
    const made = await lab();
    made.room.git('worktree', 'add', '-q', join(made.room.folder, 'wt'), 'auto/x');
    const other = new CountingRoom({ 'o.txt': 'other' });
    rooms.push(other);
    const repo = await made.room.repository();
    const gitDir = join(repo.commonDir, 'worktrees/wt');
    writeFileSync(join(gitDir, 'commondir'), `${join(other.root, '.git')}\n`);
    const git = await repo.look({ gitDir, workTree: join(made.room.folder, 'wt') });
    expect(await commitOf(git, 'refs/heads/main')).toBe(other.git('rev-parse', 'main'));
  });
});

describe('git is asked where only it can tell', () => {
  it.each<[string, (lab: Lab) => void]>([
    ['refs in tables', ({ room }) => mkdirSync(join(room.root, '.git/reftable'))],
    [
      'settings that speak of another way to store refs',
      ({ room }) => room.git('config', 'extensions.refStorage', 'files'),
    ],
    [
      'settings that speak of other ids',
      ({ room }) => writeFileSync(join(room.root, '.git/config'), '# objectFormat\n', { flag: 'a' }),
    ],
    ['settings that only seem to speak of it', ({ room }) => room.git('config', 'x.refstorage', 'y')],
  ])('%s', async (_name, change) => {
    const made = await lab();
    change(made);
    await commitOf(made.git, 'HEAD');
    await symbolicRef(made.git, 'HEAD');
    expect(made.room.gits().map((line) => line.split(' ')[0])).toEqual(['rev-parse', 'symbolic-ref']);
  });
});

/** Stamps that are so fresh could be those of another change as well, so until they are older everybody asks. */
async function untilUnasked(room: CountingRoom, ask: () => Promise<unknown>, most = 600): Promise<void> {
  for (let turn = 0; turn < most; turn += 1) {
    await ask();
    room.gits();
    await ask();
    if (room.gits().length === 0) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error('asked again and again');
}

describe('answers are of this moment', () => {
  it('moved, packed, deleted and made again between two questions', async () => {
    const { room, git, first, second } = await lab();
    const now = (): Promise<string | undefined> => commitOf(git, 'refs/heads/auto/x');
    expect(await now()).toBe(first);
    room.git('update-ref', 'refs/heads/auto/x', second);
    expect(await now()).toBe(second);
    room.git('pack-refs', '--all');
    expect(await now()).toBe(second);
    room.git('update-ref', '-d', 'refs/heads/auto/x');
    expect(await now()).toBeUndefined();
    room.git('update-ref', 'refs/heads/auto/x', first);
    expect(await now()).toBe(first);
    room.git('symbolic-ref', 'refs/heads/auto/x', 'refs/heads/main');
    expect([await symbolicRef(git, 'refs/heads/auto/x'), await now()]).toEqual(['refs/heads/main', second]);
  });

  it('no process for any of them', async () => {
    const { room, git, first, second } = await lab();
    await commitOf(git, 'HEAD');
    await symbolicRef(git, 'HEAD');
    await commitOf(git, 'refs/autoresearch/updating/auto/x');
    await commitOf(git, first);
    expect(await treeOf(git, second)).toBe(room.git('rev-parse', 'HEAD^{tree}'));
    const told = [await isAncestor(git, first, second), await isAncestor(git, second, first)];
    expect([...told, await isAncestor(git, first, first)]).toEqual([true, false, true]);
    expect(room.gits()).toEqual([]);
  });

  it('a commit whose object was taken away is none, and neither is one that was exchanged', async () => {
    const { room, git, first, second } = await lab();
    const fileOf = (id: string): string => join(room.root, '.git/objects', id.slice(0, 2), id.slice(2));
    const saved = readFileSync(fileOf(second));
    chmodSync(fileOf(second), 0o644);
    copyFileSync(fileOf(first), fileOf(second));
    expect(await commitOf(git, 'refs/heads/main')).toBeUndefined();
    writeFileSync(fileOf(second), saved);
    expect(await commitOf(git, 'refs/heads/main')).toBe(second);
    rmSync(fileOf(second));
    expect(await commitOf(git, 'refs/heads/main')).toBeUndefined();
    mkdirSync(fileOf(second));
    expect(await commitOf(git, 'refs/heads/main')).toBeUndefined();
  });

  it('packed ones are asked for once, while nobody touches the packs', async () => {
    const { room, git, first, second } = await lab();
    room.git('gc', '-q');
    const packs = join(room.root, '.git/objects/pack');
    await untilUnasked(room, () => commitOf(git, second));
    expect(await commitOf(git, 'HEAD')).toBe(second);
    await commitOf(git, first);
    expect([await isAncestor(git, first, second), await treeOf(git, first)]).toEqual([
      true,
      room.git('rev-parse', `${first}^{tree}`),
    ]);
    expect(room.gits()).toEqual([`cat-file commit ${first}`]);
    for (const name of readdirSync(packs)) renameSync(join(packs, name), join(room.folder, name));
    expect(await commitOf(git, 'HEAD')).toBeUndefined();
    for (const name of readdirSync(room.folder).filter((one) => one.startsWith('pack-')))
      renameSync(join(room.folder, name), join(packs, name));
    expect(await commitOf(git, 'HEAD')).toBe(second);
  });

  it('a pack that is written over in its place is asked for again', async () => {
    const { room, git, second } = await lab();
    room.git('gc', '-q');
    await untilUnasked(room, () => commitOf(git, second));
    const pack = readdirSync(join(room.root, '.git/objects/pack')).find((name) => name.endsWith('.pack'))!;
    const file = join(room.root, '.git/objects/pack', pack);
    const bytes = readFileSync(file);
    chmodSync(file, 0o644);
    writeFileSync(file, Buffer.alloc(bytes.length));
    expect(await commitOf(git, 'HEAD')).toBeUndefined();
  });

  it('a shallow clone does not know the parents that its commits name', async () => {
    const { git, first, second, put } = await lab();
    put('shallow', `${second}\n`);
    expect(await isAncestor(git, first, second)).toBe(false);
  });
});

describe('a repository that is opened again', () => {
  it('costs nothing while nobody has changed its settings', async () => {
    const { room } = await lab();
    await untilUnasked(room, () => room.repository());
    room.git('config', 'user.name', 'Other');
    room.git('config', 'user.email', 'other@example.invalid');
    expect((await room.repository()).identity).toEqual({ name: 'Other', email: 'other@example.invalid' });
    renameSync(join(room.root, '.git'), join(room.folder, 'elsewhere'));
    writeFileSync(join(room.root, '.git'), `gitdir: ${join(room.folder, 'elsewhere')}\n`);
    expect((await room.repository()).gitDir).toBe(join(room.folder, 'elsewhere'));
    mkdirSync(join(room.root, 'src/.git'), { recursive: true });
    rmSync(join(room.root, '.git'));
    await expect(room.repository()).rejects.toMatchObject({ reason: 'not-a-repository' });
    execFileSync('git', ['init', '-q', room.root], { env: room.env });
    expect((await room.repository()).gitDir).toBe(join(room.root, '.git'));
  });

  it('is asked again where the settings were exchanged and nothing else about the file shows it', async (context) => {
    const { room } = await lab();
    if (!canExchangeUnseen(room.folder)) return context.skip();
    await untilUnasked(room, () => room.repository());
    exchangeUnseen(join(room.root, '.git/config'), join(room.folder, 'spare'));
    await expect(room.repository()).rejects.toThrow();
  });

  it('is asked each time where the settings are no file', async () => {
    const { room } = await lab();
    await untilUnasked(room, () => room.repository());
    execFileSync('mkfifo', [join(room.root, '.git/config.worktree')]);
    await expect(untilUnasked(room, () => room.repository(), 5)).rejects.toThrow('asked again and again');
  });
});
