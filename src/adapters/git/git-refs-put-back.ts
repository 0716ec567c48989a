import { copyFileSync, lstatSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { digestFile } from '../disk/file-digest.js';
import { askGit } from './git-guard-ask.js';
import type { Repository } from './git-guard-find.js';
import type { RefChange, RefsBefore } from './git-refs.js';

/** A copy of the index, with which HEAD can go back to where it was. */
export interface IndexCopy {
  readonly file: string;
  readonly digest: string;
}

/** Undefined where there is no index yet. */
export function copyIndex({ gitDir }: Repository, file: string): IndexCopy | undefined {
  const index = join(gitDir, 'index');
  if (!lstatSync(index, { throwIfNoEntry: false })?.isFile()) return undefined;
  copyFileSync(index, file);
  return { file, digest: digestFile(file) };
}

/** Makes everything lead again to where it led. What it led to meanwhile stays under a name of ours. Answers with what is still wrong, in words. */
export async function putRefsBack(
  repository: Repository,
  { before, changes, index }: { before: RefsBefore; changes: readonly RefChange[]; index?: IndexCopy | undefined },
): Promise<readonly string[]> {
  const problems: string[] = [];
  for (const change of changes) {
    try {
      if (isId(change.now)) await keep(repository, change.now);
      await putBack(repository, before, change.name).catch(() => {
        // Who moved it is not at work any more; a lock that is left behind would keep it moved.
        for (const lock of locksOf(repository, change.name)) rmSync(lock, { force: true });
        return putBack(repository, before, change.name);
      });
    } catch (error) {
      problems.push(`${change.name}: ${(error as Error).message}`);
    }
  }
  // The index said what the other commit holds; the files themselves are put back by their own copies.
  const moved = changes.some(({ name }) => name === 'HEAD' || name === before.branch);
  if (moved && index && problems.length === 0) problems.push(...indexBack(repository, index));
  return problems;
}

const locksOf = ({ gitDir, commonDir }: Repository, name: string): readonly string[] => [
  join(name === 'HEAD' ? gitDir : commonDir, `${name}.lock`),
  join(commonDir, 'packed-refs.lock'),
];

async function putBack(repository: Repository, before: RefsBefore, name: string): Promise<void> {
  if (name === 'HEAD') return headBack(repository, before.branch === undefined ? before.head : `ref: ${before.branch}`);
  const worktree = /^worktrees\/([^/]+)\/HEAD$/.exec(name)?.[1];
  if (worktree === undefined) {
    await askGit(repository, ['update-ref', '--no-deref', '--create-reflog', name, before.refs[name]!]);
    return;
  }
  const gitDir = join(repository.commonDir, 'worktrees', worktree);
  if (!lstatSync(gitDir, { throwIfNoEntry: false })?.isDirectory())
    throw new Error('the worktree is gone; git worktree add makes it again');
  await headBack({ ...repository, gitDir }, before.heads[worktree]);
}

async function headBack(repository: Repository, text: string | undefined): Promise<void> {
  const branch = /^ref: (.+)$/.exec(text ?? '')?.[1];
  if (branch !== undefined) await askGit(repository, ['symbolic-ref', '-m', 'autoresearch: put back', 'HEAD', branch]);
  else if (isId(text)) await askGit(repository, ['update-ref', '--no-deref', 'HEAD', text]);
}

/** Nothing is lost: whoever has moved it may have been right. */
const keep = (repository: Repository, id: string): Promise<string> =>
  askGit(repository, ['update-ref', `refs/autoresearch/kept/moved/${id}`, id]);

const isId = (text: string | undefined): text is string => /^[0-9a-f]{40,64}$/.test(text ?? '');

function indexBack({ gitDir }: Repository, { file, digest }: IndexCopy): readonly string[] {
  const draft = join(gitDir, 'index.put-back');
  try {
    copyFileSync(file, draft);
    if (digestFile(draft) !== digest) throw new Error('its copy was tampered with');
    renameSync(draft, join(gitDir, 'index'));
    return [];
  } catch (error) {
    rmSync(draft, { force: true });
    return [`the index could not be put back: ${(error as Error).message}`];
  }
}
