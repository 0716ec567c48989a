import { randomBytes } from 'node:crypto';
import { mkdirSync, renameSync } from 'node:fs';
import { basename, join } from 'node:path';
import { commitOf, isAncestor, type Repository } from '../git/git-repository.js';
import type { Git } from '../git/git-run.js';
import { asideName, isCache, putBackAway } from './worktree-away.js';
import { commitTree, keepForeign, settleBranch } from './worktree-commit.js';
import { clearFolder, unregister } from './worktree-create.js';
import { refsOf, updatingRef } from './worktree-names.js';
import { type Found, findTree } from './worktree-place.js';
import { type Droppable, removeTree, unsavedIn } from './worktree-remove.js';
import { restoreFiles } from './worktree-restore.js';

export interface ShelveRequest {
  readonly path: string;
  readonly branch: string;
  /** What is no loss, such as a file that the project has as well; only caches unless stated. */
  readonly droppable?: Droppable;
}

export interface Shelved {
  /** The ref under which work that is in no other branch can be found. */
  readonly ref?: string;
  /** Where the folder went, when it held ignored files. */
  readonly aside?: string;
}

/**
 * Puts away what an earlier run left under the name of a branch, so that a new one can begin. All of it stays: commits and
 * files under a ref, ignored files in a folder aside.
 */
export async function shelveTree(repo: Repository, dir: string, request: ShelveRequest): Promise<Shelved> {
  const { path, branch, droppable = isCache } = request;
  const git = await repo.git();
  const refs = refsOf(branch);
  const old = await commitOf(git, refs.tip);
  if (old === undefined) return {};
  putBackAway(repo, dir, path);
  const found = findTree(repo, path);
  // Of the moment of what it follows, so that who is killed here makes the same commit again.
  const at = 1000 * Number(await git.line(['show', '-s', '--format=%ct', old]));
  if (found.kind === 'ready') {
    const { changed } = await unsavedIn(repo, path, old);
    const plain = changed.filter((file) => !/(^|\/)\.git$/i.test(file) && droppable(file, path));
    await restoreFiles(repo, path, plain);
    await commitTree(repo, { path, message: `${branch}: set aside by a new run`, at, allow: () => true });
  }
  const tip = (await commitOf(git, refs.tip))!;
  const head = await commitOf(git, 'HEAD');
  const isSafe = head !== undefined && (await isAncestor(git, tip, head));
  if (!isSafe) await git.run(['update-ref', refs.kept(tip), tip]);
  const aside = await clear(repo, git, { found, dir, path, branch, tip, droppable });
  await git.run(['update-ref', '-d', updatingRef(branch)]);
  await removeTree(repo, dir, { path, branch, into: tip, droppable });
  return { ...(isSafe ? {} : { ref: refs.kept(tip) }), ...(aside === undefined ? {} : { aside }) };
}

interface Left extends Pick<ShelveRequest, 'path' | 'branch'> {
  readonly found: Found;
  readonly dir: string;
  readonly tip: string;
  readonly droppable: Droppable;
}

/** What stands in the way of the removal; where it went, if it is worth anything. */
async function clear(repo: Repository, git: Git, left: Left): Promise<string | undefined> {
  const { found, dir, path, branch, tip, droppable } = left;
  if (found.kind === 'ready') {
    const { changed, ignored } = await unsavedIn(repo, path, tip);
    if (changed.length === 0 && ignored.every((file) => droppable(file, path))) return undefined;
    mkdirSync(join(dir, asideName), { recursive: true });
    const aside = join(dir, asideName, `${basename(path)}-${randomBytes(4).toString('hex')}`);
    renameSync(path, aside);
    await unregister(git, found.tree.gitDir, { branch, tip });
    return aside;
  }
  // One that was never made to the end, or whose folder somebody took away.
  const aside = found.kind === 'half' && found.hasFolder ? await clearFolder(repo, { dir, path, tip }) : undefined;
  if (found.kind === 'half' && found.gitDir !== undefined) await unregister(git, found.gitDir, { branch, tip });
  await keepForeign(git, { branch, tip });
  await settleBranch(git, { branch, tip });
  return aside;
}
