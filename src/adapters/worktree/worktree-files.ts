import { isUtf8 } from 'node:buffer';
import { randomBytes } from 'node:crypto';
import { type Dirent, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Git } from '../git/git-run.js';

export interface TreeChange {
  /** As git and the disk spell it. */
  readonly name: Buffer;
  /** As text; a name that is no text has its odd bytes as `%ff`. */
  readonly path: string;
  /** `closed`: cannot be committed, because it is a repository of its own or its name is no text. */
  readonly how: 'added' | 'changed' | 'removed' | 'closed';
}

/**
 * Calls back with an index of our own that holds the commit's files. The worktree's index is the agent's: it may be locked,
 * hold things that nobody asked for, or hide changes (`--assume-unchanged`).
 */
export async function withFreshIndex<Value>(
  git: Git,
  commit: string,
  act: (git: Git, index: string) => Promise<Value>,
): Promise<Value> {
  const index = join(
    git.place.scratch ?? git.place.gitDir!,
    `autoresearch-index-${process.pid}-${randomBytes(4).toString('hex')}`,
  );
  try {
    const fresh = git.withIndex(index);
    await fresh.run(['read-tree', commit]);
    // Exit code 1 says that something differs, which is what we want to know.
    await fresh.run(['update-index', '-q', '--refresh'], { accept: [0, 1] });
    return await act(fresh, index);
  } finally {
    for (const file of [index, `${index}.lock`]) rmSync(file, { force: true });
  }
}

/** What the folder has that the index has not, and the other way round, ignored files apart; sorted. */
export async function changesIn(fresh: Git): Promise<readonly TreeChange[]> {
  const tracked = names((await fresh.run(['diff-files', '-z', '--name-status', '--no-renames'])).stdout);
  const changes: TreeChange[] = [];
  for (let at = 0; at + 1 < tracked.length; at += 2) {
    changes.push(changeOf(tracked[at + 1]!, tracked[at]!.toString() === 'D' ? 'removed' : 'changed'));
  }
  const others = (await fresh.run(['ls-files', '-z', '--others', '--exclude-standard'])).stdout;
  changes.push(...names(others).map((name) => changeOf(name, 'added')));
  return changes.sort((a, b) => Buffer.compare(a.name, b.name));
}

export async function ignoredIn(fresh: Git): Promise<readonly string[]> {
  const listed = await fresh.run(['ls-files', '-z', '--others', '--ignored', '--exclude-standard']);
  return names(listed.stdout).map(textOf).sort();
}

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
