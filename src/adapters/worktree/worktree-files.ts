import { isUtf8 } from 'node:buffer';
import { randomBytes } from 'node:crypto';
import { type Dirent, lstatSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { readPlainBytes } from '../disk/plain-file.js';
import type { Git } from '../git/git-run.js';
import { hasGitlink, type IndexFile, readIndex } from '../git/index-file.js';
import { readRef } from '../git/ref-files.js';

export interface TreeChange {
  /** As git and the disk spell it. */
  readonly name: Buffer;
  /** As text; a name that is no text has its odd bytes as `%ff`. */
  readonly path: string;
  /** `closed`: cannot be committed, because it is a repository of its own or its name is no text. */
  readonly how: 'added' | 'changed' | 'removed' | 'closed';
}

/** An index file of our own that holds a commit's files; everything that is run goes by it. */
export interface FreshIndex extends Git {
  readonly file: string;
  /** As it was filled; undefined where only git can read it. */
  readonly index?: IndexFile;
}

/**
 * Calls back with an index of our own that holds the commit's files. The worktree's index is the agent's: it may be locked,
 * hold things that nobody asked for, or hide changes (`--assume-unchanged`).
 */
export async function withFreshIndex<Value>(
  git: Git,
  commit: string,
  act: (fresh: FreshIndex) => Promise<Value>,
): Promise<Value> {
  const file = join(
    git.place.scratch ?? git.place.gitDir!,
    `autoresearch-index-${process.pid}-${randomBytes(4).toString('hex')}`,
  );
  try {
    const own = git.withIndex(file);
    await own.run(['read-tree', commit]);
    const index = indexAt(file);
    return await act({ ...own, file, ...(index ? { index } : {}) });
  } finally {
    for (const each of [file, `${file}.lock`]) rmSync(each, { force: true });
  }
}

function indexAt(file: string): IndexFile | undefined {
  const bytes = readPlainBytes(file);
  return bytes && readIndex(bytes);
}

/** Names of all files of the commit, in bytes, one character each. */
export async function trackedIn(fresh: FreshIndex): Promise<readonly string[]> {
  if (fresh.index) return fresh.index.entries.map(({ name }) => name);
  return (await fresh.run(['ls-files', '-z'])).stdout.toString('latin1').split('\0').filter(Boolean);
}

export interface TreeLook {
  /** What the folder has that the index has not, and the other way round, ignored files apart; sorted. */
  readonly changes: readonly TreeChange[];
  /** Empty unless asked for. */
  readonly ignored: readonly string[];
}

export const changesIn = async (fresh: FreshIndex): Promise<readonly TreeChange[]> => (await lookIn(fresh)).changes;

/** To be asked while the index still holds the commit and nothing else. */
export async function lookIn(fresh: FreshIndex, wish: { readonly ignored?: boolean } = {}): Promise<TreeLook> {
  const args = ['status', '--porcelain=v1', '-z', '--untracked-files=all', '--no-renames'];
  const wanted = [...args, ...(wish.ignored ? ['--ignored=traditional'] : [])];
  // Here git may write what it has found out about files into the index, which is ours.
  const options = { accept: [0, 1, 128], env: { GIT_OPTIONAL_LOCKS: '1' } };
  const said = isOrdinary(fresh) ? await fresh.run(wanted, options) : undefined;
  if (said?.code !== 0) return lookPieceByPiece(fresh, wish);
  const changes: TreeChange[] = [];
  const ignored: string[] = [];
  for (const entry of names(said.stdout)) {
    // Of the two letters the first is about HEAD, which is the agent's.
    const [mark, how, name] = [entry.toString('latin1', 0, 2), entry[1]!, entry.subarray(3)];
    if (mark === '!!') ignored.push(textOf(name));
    else if (mark === '??') changes.push(changeOf(name, 'added'));
    else if (how !== space) changes.push(changeOf(name, how === removed ? 'removed' : 'changed'));
  }
  return { changes: sorted(changes), ignored: ignored.sort() };
}

const [space, removed] = [0x20, 0x44];

/**
 * `git status` says all at once. It also reads what is checked out, and what is being merged or rebased there, and looks into submodules
 * more closely: where there is any such thing, or something strange in its place, git is asked as little as possible.
 */
function isOrdinary({ place, index }: FreshIndex): boolean {
  const { gitDir, commonDir } = place;
  if (!index || hasGitlink(index) || gitDir === undefined || commonDir === undefined) return false;
  if (readRef({ gitDir, commonDir }, 'HEAD')?.isSymbolic !== true) return false;
  return !unfinished.some((name) => lstatSync(join(gitDir, name), { throwIfNoEntry: false }));
}

const unfinished = [
  ...['MERGE_HEAD', 'CHERRY_PICK_HEAD', 'REVERT_HEAD', 'BISECT_LOG'],
  ...['rebase-merge', 'rebase-apply', 'sequencer'],
];

async function lookPieceByPiece(fresh: FreshIndex, wish: { readonly ignored?: boolean }): Promise<TreeLook> {
  // Exit code 1 says that something differs, which is what we want to know.
  await fresh.run(['update-index', '-q', '--refresh'], { accept: [0, 1] });
  const tracked = names((await fresh.run(['diff-files', '-z', '--name-status', '--no-renames'])).stdout);
  const changes: TreeChange[] = [];
  for (let at = 0; at + 1 < tracked.length; at += 2) {
    changes.push(changeOf(tracked[at + 1]!, tracked[at]!.toString() === 'D' ? 'removed' : 'changed'));
  }
  const others = ['ls-files', '-z', '--others', '--exclude-standard'];
  changes.push(...names((await fresh.run(others)).stdout).map((name) => changeOf(name, 'added')));
  const ignored = wish.ignored
    ? names((await fresh.run([...others, '--ignored'])).stdout)
        .map(textOf)
        .sort()
    : [];
  return { changes: sorted(changes), ignored };
}

const sorted = (changes: TreeChange[]): readonly TreeChange[] => changes.sort((a, b) => Buffer.compare(a.name, b.name));

/** Names between NULs, as text. */
export const fileNames = (listed: Buffer): string[] => names(listed).map(textOf);

/** Repositories inside the folder, also where git sees only the files beside them: removing it would take their commits along. */
export function innerRepositories(path: string): string[] {
  const found: string[] = [];
  const folders = [''];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    for (const entry of readdirSync(join(path, folder), { withFileTypes: true }) as Dirent[]) {
      const name = folder === '' ? entry.name : `${folder}/${entry.name}`;
      if (entry.name.toLowerCase() === '.git') {
        if (name !== '.git') found.push(name);
      } else if (entry.isDirectory()) folders.push(name);
    }
  }
  return found.sort();
}

export interface Choice {
  readonly take: readonly TreeChange[];
  readonly refused: readonly string[];
}

/**
 * Where a folder took the place of a file, or the other way round, taking the one in would push the other out: they are
 * taken together or not at all.
 */
export function choose(changes: readonly TreeChange[], allow: (file: string) => boolean): Choice {
  const refused = new Set(changes.filter(({ how, path }) => how === 'closed' || !allow(path)).map(({ path }) => path));
  const staying = changes.filter(({ how, path }) => how === 'removed' && refused.has(path));
  for (const { path, how } of changes) {
    const isBlocked = staying.some((one) => path.startsWith(`${one.path}/`) || one.path.startsWith(`${path}/`));
    if (isBlocked && how !== 'removed') refused.add(path);
  }
  return { take: changes.filter(({ path }) => !refused.has(path)), refused: [...refused].sort() };
}

function changeOf(name: Buffer, how: TreeChange['how']): TreeChange {
  const isClosed = name.at(-1) === 0x2f || !isUtf8(name);
  return { name, path: textOf(name), how: isClosed ? 'closed' : how };
}

function names(listed: Buffer): Buffer[] {
  const found: Buffer[] = [];
  for (let start = 0, end = listed.indexOf(0); end >= 0; start = end + 1, end = listed.indexOf(0, start)) {
    found.push(listed.subarray(start, end));
  }
  return found;
}

const textOf = (name: Buffer): string =>
  isUtf8(name)
    ? name.toString('utf8')
    : name.toString('latin1').replace(/[\x80-\xff]/g, (byte) => `%${byte.charCodeAt(0).toString(16)}`);
