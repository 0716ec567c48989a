import { existsSync, lstatSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { GitProblem } from '../git/git-problem.js';
import type { Repository } from '../git/git-repository.js';

/** A worktree that was made to the end, and is still what it was. */
export interface Tree {
  readonly path: string;
  /** The worktree's own part of the repository. */
  readonly gitDir: string;
  readonly branch: string;
}

/** `half`: some of it is there. The folder, the registration, or both; nothing in it is trusted. */
export type Found =
  | { readonly kind: 'ready'; readonly tree: Tree }
  | { readonly kind: 'half'; readonly gitDir?: string; readonly hasFolder: boolean }
  | { readonly kind: 'none' };

export function findTree(repo: Repository, path: string): Found {
  const gitDir = registrationOf(repo, path);
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (gitDir === undefined && stats === undefined) return { kind: 'none' };
  const branch = gitDir === undefined ? undefined : readyBranch(gitDir);
  if (gitDir === undefined || branch === undefined || stats === undefined) {
    return { kind: 'half', ...(gitDir === undefined ? {} : { gitDir }), hasFolder: stats !== undefined };
  }
  if (!stats.isDirectory()) throw tampered(path, 'is no folder any more');
  const pointer = join(path, '.git');
  if (!lstatSync(pointer, { throwIfNoEntry: false })?.isFile())
    throw tampered(pointer, 'is not the file that git made');
  const target = /^gitdir: (.*)\n?$/.exec(readFileSync(pointer, 'utf8'))?.[1];
  if (target === undefined || resolve(path, target) !== gitDir) throw tampered(pointer, 'points to another repository');
  return { kind: 'ready', tree: { path, gitDir, branch } };
}

/** Throws unless the worktree is there and whole. */
export function readyTree(repo: Repository, path: string): Tree {
  const found = findTree(repo, path);
  if (found.kind === 'ready') return found.tree;
  throw new GitProblem({
    reason: 'no-worktree',
    what: `${path} is no worktree of ours`,
    fix: 'Look whether somebody moved or removed it; its branch and what was committed are still there',
  });
}

/** Written last: an agent never starts in a worktree without it. */
export function markReady(gitDir: string, branch: string): void {
  const file = join(gitDir, readyName);
  writeFileSync(`${file}.new`, `${JSON.stringify({ branch })}\n`);
  renameSync(`${file}.new`, file);
}

/** All worktrees that git knows of besides the first: their folder and their part of the repository. */
export function registrations({ commonDir }: Repository): { readonly path: string; readonly gitDir: string }[] {
  const folder = join(commonDir, 'worktrees');
  if (!existsSync(folder)) return [];
  return readdirSync(folder).flatMap((name) => {
    const gitDir = join(folder, name);
    const text = readOr(join(gitDir, 'gitdir'), '').trim();
    return text === '' ? [] : [{ path: dirname(resolve(gitDir, text)), gitDir }];
  });
}

/** A folder right in `dir`, with a plain name. */
export function treePath(dir: string, path: string): string {
  const full = resolve(dir, path);
  if (dirname(full) === dir && /^[A-Za-z0-9][\w.-]*$/.test(basename(full))) return full;
  throw new GitProblem({
    reason: 'bad-name',
    what: `${path} cannot be the folder of a worktree`,
    fix: `Use a plain name for a folder in ${dir}`,
  });
}

const readyName = 'autoresearch.json';

function registrationOf(repo: Repository, path: string): string | undefined {
  return registrations(repo).find((each) => each.path === path)?.gitDir;
}

function readyBranch(gitDir: string): string | undefined {
  try {
    const { branch } = JSON.parse(readFileSync(join(gitDir, readyName), 'utf8')) as { branch?: unknown };
    return typeof branch === 'string' ? branch : undefined;
  } catch {
    return undefined;
  }
}

function readOr(file: string, otherwise: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return otherwise;
  }
}

const tampered = (file: string, what: string): GitProblem =>
  new GitProblem({
    reason: 'tampered',
    what: `${file} ${what}: something in the worktree changed it`,
    fix: 'Nothing was touched. Look at what is in the folder, save what you need and move the folder away',
    files: [file],
  });
