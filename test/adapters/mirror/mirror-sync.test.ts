import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type MirrorPair, mirrorDifferences } from '../../../src/adapters/mirror/mirror.js';
import { syncMirror } from '../../../src/adapters/mirror/mirror-sync.js';
import { FailureError } from '../../../src/model/failure.js';
import { until } from '../../support/until.js';

let dir: string;
let root: string;
let pair: MirrorPair;

beforeEach(() => {
  dir = realpathSync(mkdtempSync(join(tmpdir(), 'mirror-sync-')));
  root = join(dir, 'project');
  pair = ['src', join(dir, 'lib/env')];
  mkdirSync(there(), { recursive: true });
  mkdirSync(here(), { recursive: true });
  mkdirSync(join(dir, 'victim'));
  writeFileSync(join(dir, 'victim/treasure'), 'gold', { mode: 0o600 });
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const there = (...path: string[]): string => join(root, 'src', ...path);
const here = (...path: string[]): string => join(dir, 'lib/env', ...path);
const treasure = (): string => join(dir, 'victim/treasure');
const refusal = async (one: MirrorPair = pair): Promise<string> => {
  try {
    await syncMirror(one, root);
  } catch (error) {
    if (error instanceof FailureError && 'detail' in error.failure) return error.failure.detail;
    throw error;
  }
  return 'not refused';
};
const isUntouched = (): void => {
  expect(readdirSync(join(dir, 'victim'))).toEqual(['treasure']);
  expect(readFileSync(treasure(), 'utf8')).toBe('gold');
  expect(lstatSync(treasure()).mode & 0o777).toBe(0o600);
};

describe('syncMirror', () => {
  it('copies files, folders, links and permissions, and removes what is not in the source', async () => {
    mkdirSync(there('sub'), { mode: 0o750 });
    writeFileSync(there('sub/tool'), 'run', { mode: 0o755 });
    symlinkSync('sub/tool', there('link'));
    writeFileSync(there('was-folder'), 'file now');
    mkdirSync(there('was-file'));
    mkdirSync(here('was-folder/inner'), { recursive: true });
    writeFileSync(here('was-folder/inner/x'), '');
    writeFileSync(here('was-file'), '');
    execFileSync('mkfifo', [here('pipe')]);
    mkdirSync(here('old/__pycache__'), { recursive: true });
    mkdirSync(here('__pycache__'));
    await syncMirror(pair, root);
    expect(readdirSync(here()).sort()).toEqual(['__pycache__', 'link', 'sub', 'was-file', 'was-folder']);
    expect(readFileSync(here('was-folder'), 'utf8')).toBe('file now');
    expect(statSync(here('sub/tool')).mode & 0o777).toBe(0o755);
    expect(statSync(here('sub')).mode & 0o777).toBe(0o750);
    expect(readlinkSync(here('link'))).toBe('sub/tool');
  });

  it('makes a copy that is not there, of a folder or of a file', async () => {
    writeFileSync(there('a'), 'a');
    rmSync(here(), { recursive: true });
    await syncMirror(pair, root);
    expect(readFileSync(here('a'), 'utf8')).toBe('a');
    await syncMirror(['src/a', join(dir, 'lib/one')], root);
    expect(readFileSync(join(dir, 'lib/one'), 'utf8')).toBe('a');
    expect(await refusal(['src', join(dir, 'nowhere/env')])).toContain('ENOENT');
  });

  it('leaves faithful files as they are', async () => {
    writeFileSync(there('a'), 'a');
    await syncMirror(pair, root);
    const { ino, mtimeMs } = statSync(here('a'));
    await syncMirror(pair, root);
    expect(statSync(here('a'))).toMatchObject({ ino, mtimeMs });
  });

  it('whoever has the old file open goes on reading the old file', async () => {
    writeFileSync(there('a'), 'new');
    writeFileSync(here('a'), 'old');
    linkSync(here('a'), join(dir, 'kept'));
    await syncMirror(pair, root);
    expect(readFileSync(here('a'), 'utf8')).toBe('new');
    expect(readFileSync(join(dir, 'kept'), 'utf8')).toBe('old');
  });

  it('a write-protected folder is written and protected again', async () => {
    mkdirSync(there('sub'));
    writeFileSync(there('sub/a'), 'a');
    mkdirSync(here('sub'));
    mkdirSync(here('gone'));
    writeFileSync(here('gone/x'), '');
    for (const folder of [there('sub'), here('sub'), here('gone')]) chmodSync(folder, 0o555);
    await syncMirror(pair, root);
    expect(readFileSync(here('sub/a'), 'utf8')).toBe('a');
    expect(statSync(here('sub')).mode & 0o777).toBe(0o555);
    expect(existsSync(here('gone'))).toBe(false);
    for (const folder of [there('sub'), here('sub')]) chmodSync(folder, 0o755);
  });

  it('copies a file of more than one piece, and names that are no text', async () => {
    const content = Buffer.alloc(700_001, 'abcdefg');
    const odd = (folder: string): Buffer => Buffer.concat([Buffer.from(`${folder}/`), Buffer.of(0xff, 0x41)]);
    writeFileSync(odd(there()), content);
    await syncMirror(pair, root);
    expect(readFileSync(odd(here())).equals(content)).toBe(true);
    rmSync(there(), { recursive: true });
    mkdirSync(there());
    await syncMirror(pair, root);
    expect(readdirSync(here())).toEqual([]);
  });
});

describe('a sync that is led astray', () => {
  it('does not write where a copy that became a link leads', async () => {
    writeFileSync(there('treasure'), 'lead');
    rmSync(here(), { recursive: true });
    symlinkSync(join(dir, 'victim'), here());
    expect(await refusal()).toContain('the copy is a link');
    isUntouched();
    expect(lstatSync(here()).isSymbolicLink()).toBe(true);
  });

  it('replaces links inside of the copy instead of following them', async () => {
    mkdirSync(there('sub'));
    writeFileSync(there('sub/treasure'), 'lead');
    writeFileSync(there('file'), 'lead');
    symlinkSync(join(dir, 'victim'), here('sub'));
    symlinkSync(treasure(), here('file'));
    symlinkSync(join(dir, 'victim'), here('removed'));
    mkdirSync(here('tree'));
    symlinkSync(join(dir, 'victim'), here('tree/removed'));
    await syncMirror(pair, root);
    isUntouched();
    expect(readFileSync(here('sub/treasure'), 'utf8')).toBe('lead');
    expect(readFileSync(here('file'), 'utf8')).toBe('lead');
  });

  it('does not change the permissions or the content of another name of a file', async () => {
    writeFileSync(there('a'), 'gold', { mode: 0o644 });
    linkSync(treasure(), here('a'));
    await syncMirror(pair, root);
    isUntouched();
    expect(statSync(here('a')).mode & 0o777).toBe(0o644);
  });

  it('a folder that is swapped for a link while it works does not lead it out', async () => {
    mkdirSync(there('sub'));
    // Empty, so that it pauses between files and not within them.
    for (let index = 0; index < 3000; index += 1) writeFileSync(there(`sub/f${index}`), '');
    const syncing = syncMirror(pair, root).catch((error: unknown) => error);
    await until(() => {
      if (!existsSync(here('sub')) || readdirSync(here('sub')).length === 0) return false;
      renameSync(here('sub'), join(dir, 'away'));
      symlinkSync(join(dir, 'victim'), here('sub'));
      return true;
    });
    const atSwap = readdirSync(join(dir, 'away')).length;
    expect(atSwap).toBeLessThan(3000);
    expect(await syncing).toMatchObject({
      failure: { code: 'not-writable', detail: expect.stringContaining('differs') },
    });
    isUntouched();
    expect(readdirSync(join(dir, 'away'))).toHaveLength(3000);
  });

  it('a copy in the project does not lead out of it', async () => {
    symlinkSync(join(dir, 'victim'), join(root, 'vendor'));
    expect(await refusal(['src', 'vendor/env'])).toContain('leads out of the project');
    isUntouched();
  });

  it.each([
    ['the source is not there', () => ['nowhere', 'copy'], 'does not exist'],
    ['the copy is in the source', () => ['src', 'src/copy'], 'inside of its source'],
    ['the source is in the copy', () => ['src', '.'], 'inside of its copy'],
    ['both are one', () => ['src', './src'], 'the same'],
    ['the copy is the root', () => ['src', '/'], 'root of the disk'],
    ['the copy is a home folder', () => ['src', homedir()], 'home folder'],
    ['the copy is the home folder of another', () => ['src', '/home/ann'], 'home folder'],
    ['the copy has a home folder in it', () => ['src', '/home'], 'home folder'],
    ['the copy is a parent of the project', () => ['../victim', dirname(join(dir, 'project'))], 'inside of its copy'],
  ] as [string, () => MirrorPair, string][])('refuses when %s', async (_name, make, why) => {
    writeFileSync(there('a'), '');
    expect(await refusal(make())).toContain(why);
    expect(readdirSync(there())).toEqual(['a']);
    isUntouched();
  });

  it('refuses through other names of the same folders', async () => {
    mkdirSync(there('inner'));
    symlinkSync(there('inner'), join(dir, 'door'));
    expect(await refusal(['src', join(dir, 'door/copy')])).toContain('inside of its source');
    symlinkSync(root, join(dir, 'again'));
    expect(await refusal(['src', join(dir, 'again/src')])).toContain('the same');
    symlinkSync(there(), join(root, 'alias'));
    expect(await refusal(['alias', here()])).toContain('the source is a link');
  });

  it('a source that cannot be copied as a whole changes nothing', async () => {
    writeFileSync(there('a'), 'new');
    mkdirSync(there('z'));
    execFileSync('mkfifo', [there('z/pipe')]);
    writeFileSync(here('a'), 'old');
    expect(await refusal()).toContain('pipe');
    expect(readFileSync(here('a'), 'utf8')).toBe('old');
  });

  it('an unreadable file in the source changes nothing', async () => {
    chmodSync(dir, 0o755);
    writeFileSync(there('a'), 'new');
    writeFileSync(there('b'), '', { mode: 0 });
    writeFileSync(here('a'), 'old');
    const isRoot = process.geteuid?.() === 0;
    if (isRoot) process.seteuid?.(65_534);
    try {
      expect(await refusal()).toContain('EACCES');
    } finally {
      if (isRoot) process.seteuid?.(0);
    }
    expect(readFileSync(here('a'), 'utf8')).toBe('old');
  });

  it('stops when it is told to, and no half file is left', async () => {
    writeFileSync(there('huge'), '');
    truncateSync(there('huge'), 2 ** 33);
    const stop = new AbortController();
    setTimeout(() => stop.abort('SIGINT'), 60);
    const stopped = syncMirror(pair, root, { signal: stop.signal });
    await expect(stopped).rejects.toMatchObject({ failure: { code: 'cancelled' } });
    expect(readdirSync(here())).toEqual([]);
  });
});

type Tree = { readonly [name: string]: Node };
type Node =
  | { readonly kind: 'file'; readonly content: string; readonly mode: number }
  | { readonly kind: 'link'; readonly target: string }
  | { readonly kind: 'folder'; readonly tree: Tree; readonly mode: number };

describe('any two trees', () => {
  const name = fc.constantFrom('a', 'b', 'c', 'ü', ' ', 'a b\n', 'x.pyc', '__pycache__', '.hidden', '-rf');
  const { tree } = fc.letrec<{ tree: Tree; node: Node }>((tie) => ({
    tree: fc.dictionary(name, tie('node'), { maxKeys: 4, noNullPrototype: true }),
    node: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      fc.record({
        kind: fc.constant('file' as const),
        content: fc.constantFrom('', 'x', 'y', 'xy', 'x'.repeat(300_000)),
        mode: fc.constantFrom(0o644, 0o600, 0o755, 0o444),
      }),
      fc.record({
        kind: fc.constant('link' as const),
        target: fc.constantFrom('a', '..', '../..', '/etc', '../../victim', '../../victim/treasure', 'nowhere'),
      }),
      fc.record({
        kind: fc.constant('folder' as const),
        tree: tie('tree'),
        mode: fc.constantFrom(0o755, 0o700, 0o555),
      }),
    ),
  }));
  const grow = (folder: string, nodes: Tree): void => {
    for (const [each, node] of Object.entries(nodes)) {
      const path = join(folder, each);
      if (node.kind === 'link') symlinkSync(node.target, path);
      else if (node.kind === 'file') writeFileSync(path, node.content);
      else {
        mkdirSync(path);
        grow(path, node.tree);
      }
      if (node.kind !== 'link') chmodSync(path, node.mode);
    }
  };
  /** By other means than those that are tried. */
  const listing = (folder: string): string =>
    execFileSync(
      'sh',
      [
        '-c',
        'find . \\( -name __pycache__ -o -name "*.pyc" -o -name .git \\) -prune -o -printf "%p %y %m %l\\n" | sort; ' +
          'find . \\( -name __pycache__ -o -name "*.pyc" -o -name .git \\) -prune -o -type f -exec sha256sum {} + | sort',
      ],
      { cwd: folder, encoding: 'utf8', env: { ...process.env, LC_ALL: 'C' } },
    );

  it('are equal after a sync, and nothing else has changed', async () => {
    await fc.assert(
      fc.asyncProperty(tree, tree, async (from, to) => {
        for (const folder of [there(), here()]) {
          execFileSync('chmod', ['-R', 'u+rwx', folder]);
          rmSync(folder, { recursive: true, force: true });
          mkdirSync(folder);
        }
        grow(there(), from);
        grow(here(), to);
        const [source, victim] = [listing(there()), listing(join(dir, 'victim'))];
        const { count } = await mirrorDifferences([pair], root);
        expect(count === 0).toBe(listing(here()) === source);
        await syncMirror(pair, root);
        expect(await mirrorDifferences([pair], root)).toEqual({ list: [], count: 0 });
        expect(listing(here())).toBe(source);
        expect(listing(there())).toBe(source);
        expect(listing(join(dir, 'victim'))).toBe(victim);
        expect(readdirSync(dir).sort()).toEqual(['lib', 'project', 'victim']);
      }),
      { numRuns: 30 },
    );
    isUntouched();
  });
});
