import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { changedSince, type SnapshotOptions, snapshot } from '../../../src/adapters/watch/changed-files.js';

function tree(files: Record<string, string>): string {
  const root = mkdtempSync(join(tmpdir(), 'changed-'));
  for (const [path, text] of Object.entries(files)) put(root, path, text);
  return root;
}

function put(root: string, path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}

function changes(root: string, act: () => void, options?: SnapshotOptions): readonly string[] {
  const before = snapshot(root, options);
  act();
  return changedSince(before, root).map(({ path, how }) => `${how} ${path}`);
}

/** Makes a file look as if nobody had changed it for an hour, which only the time of change gives away. */
function age(file: string): void {
  utimesSync(file, 1_700_000_000, 1_700_000_000);
}

describe('what changed in a tree', () => {
  it('is nothing when nothing did', () => {
    expect(changes(tree({ a: '1', 'b/c': '2' }), () => {})).toEqual([]);
  });

  it('is told sorted, a rename as one removed and one added', () => {
    const root = tree({ 'src/a.ts': 'a', 'src/b.ts': 'b', 'z.txt': 'z' });
    const act = (): void => {
      put(root, 'new/deep/file', 'n');
      appendFileSync(join(root, 'src/a.ts'), '!');
      renameSync(join(root, 'src/b.ts'), join(root, 'src/c.ts'));
      unlinkSync(join(root, 'z.txt'));
    };
    expect(changes(root, act)).toEqual([
      'added new/deep/file',
      'changed src/a.ts',
      'removed src/b.ts',
      'added src/c.ts',
      'removed z.txt',
    ]);
  });

  it('is found at once, in the same tick of the clock and with the same size', () => {
    for (let round = 0; round < 50; round += 1) {
      const root = tree({ a: 'one' });
      expect(changes(root, () => writeFileSync(join(root, 'a'), 'two'))).toEqual(['changed a']);
      rmSync(root, { recursive: true });
    }
  });

  it('is found although the clock stood still, as a coarse one does for some milliseconds', () => {
    const root = tree({ a: 'one' });
    const before = snapshot(root);
    writeFileSync(join(root, 'a'), 'two');
    const { mtimeNs, ctimeNs } = snapshot(root).entries.get('a')!;
    const still = { ...before, entries: new Map([['a', { ...before.entries.get('a')!, mtimeNs, ctimeNs }]]) };
    expect(changedSince(still, root)).toEqual([{ path: 'a', how: 'changed' }]);
  });

  it('is found although its times and size were put back', async () => {
    const root = tree({ a: 'one' });
    const file = join(root, 'a');
    age(file);
    await untilOld(file);
    const forge = (): void => {
      writeFileSync(file, 'two');
      age(file);
    };
    expect(changes(root, forge)).toEqual(['changed a']);
  });

  it('is found when another file of the same size and times takes its place', async () => {
    const root = tree({ a: 'one' });
    const spare = join(tree({ b: 'two' }), 'b');
    age(join(root, 'a'));
    age(spare);
    await untilOld(spare);
    expect(changes(root, () => renameSync(spare, join(root, 'a')))).toEqual(['changed a']);
  });

  it('is found through a second name of the file outside of the tree', async () => {
    const root = tree({ a: 'one' });
    const outside = join(tree({}), 'twin');
    linkSync(join(root, 'a'), outside);
    await untilOld(outside);
    expect(changes(root, () => writeFileSync(outside, 'two'))).toEqual(['changed a']);
  });

  it('includes the mode, what a link points to, and a file that became a link to its own content', () => {
    const root = tree({ a: 'one', b: 'one', c: 'x' });
    symlinkSync('a', join(root, 'l'));
    const act = (): void => {
      chmodSync(join(root, 'c'), 0o755);
      unlinkSync(join(root, 'l'));
      symlinkSync('b', join(root, 'l'));
      unlinkSync(join(root, 'b'));
      symlinkSync('a', join(root, 'b'));
    };
    expect(changes(root, act)).toEqual(['changed b', 'changed c', 'changed l']);
  });

  it('stays inside: a link to a folder is a link, also one in a circle', () => {
    const outside = tree({ secret: '1' });
    const root = tree({ a: '1' });
    symlinkSync(outside, join(root, 'out'));
    symlinkSync('.', join(root, 'circle'));
    expect([...snapshot(root).entries.keys()].sort()).toEqual(['a', 'circle', 'out']);
    expect(changes(root, () => put(outside, 'more', '2'))).toEqual([]);
  });

  it('leaves out caches, git, our own state and what it is told, and nothing that is only called alike', () => {
    const root = tree({ a: '1' });
    const act = (): void => {
      for (const path of ['.git/x', 'sub/.git', '.autoresearch/x', 'n/node_modules/x', 'p/__pycache__/x', 'p/a.pyc'])
        put(root, path, 'x');
      for (const path of ['tapes/x', 'logs/errors.log', '.gitignore', 'sub/tapes/x', 'logs/errors.log2'])
        put(root, path, 'x');
    };
    expect(changes(root, act, { leaveOut: ['tapes', 'logs/errors.log'] })).toEqual([
      'added .gitignore',
      'added logs/errors.log2',
      'added sub/tapes/x',
    ]);
  });

  it('looks into what is only called like git or our state, when asked to', () => {
    const root = tree({ a: '1', '.git/HEAD': 'ref: refs/heads/main\n', '.autoresearch/x': '1', 'sub/.git/x': '1' });
    const act = (): void => {
      for (const path of ['.git/x', '.autoresearch/x', 'sub/.git/x', 'b/.autoresearch/x/y', 'b/.git'])
        put(root, path, 'x');
    };
    expect(changes(root, act, { namesakes: true })).toEqual([
      'added b/.autoresearch/x/y',
      'added b/.git',
      'changed sub/.git/x',
    ]);
  });

  it('sees a repository that was not there before, and not one that lies elsewhere in the folder', () => {
    const bare = tree({ a: '1' });
    const plant = (root: string) => (): void => put(root, '.git/hooks/post-commit', 'x');
    expect(changes(bare, plant(bare), { namesakes: true })).toEqual(['added .git/hooks/post-commit']);
    const apart = tree({ '.git': 'gitdir: store\n', 'store/HEAD': 'ref: refs/heads/main\n', 'sub/store/x': '1' });
    const act = (): void => {
      for (const path of ['store/index', 'sub/store/x']) put(apart, path, 'new');
    };
    expect(changes(apart, act, { namesakes: true })).toEqual(['changed sub/store/x']);
  });

  it('counts a touch, unless the content was known', async () => {
    const root = tree({ small: 'one', large: 'x'.repeat(100) });
    await untilOld(join(root, 'large'));
    const touch = (): void => {
      for (const name of ['small', 'large'])
        writeFileSync(join(root, name), name === 'small' ? 'one' : 'x'.repeat(100));
    };
    expect(changes(root, touch)).toEqual(['changed large', 'changed small']);
    await untilOld(join(root, 'large'));
    expect(changes(root, touch, { digestUpTo: 10 })).toEqual(['changed large']);
  });

  it('sees pipes and names that are no text', () => {
    const root = tree({ a: '1' });
    const odd = (name: string): Buffer => Buffer.concat([Buffer.from(`${root}/`), Buffer.from(name, 'latin1')]);
    const before = snapshot(root);
    writeFileSync(odd('caf\xe9'), 'x');
    execFileSync('mkfifo', [join(root, 'pipe')]);
    expect(changedSince(before, root)).toEqual([
      { path: 'caf%e9', how: 'added' },
      { path: 'pipe', how: 'added' },
    ]);
    const later = snapshot(root);
    writeFileSync(odd('caf\xe9'), 'longer');
    expect(changedSince(later, root)).toEqual([{ path: 'caf%e9', how: 'changed' }]);
  });

  it('a root that is not there is an error, not an empty tree', () => {
    expect(() => snapshot('/nowhere/at/all')).toThrow('/nowhere/at/all cannot be read');
  });
});

/** Until its last change is so long ago that stamps alone have to do. */
async function untilOld(file: string): Promise<void> {
  while (Date.now() - lstatSync(file).ctimeMs < 120) await new Promise((resolve) => setTimeout(resolve, 20));
}
