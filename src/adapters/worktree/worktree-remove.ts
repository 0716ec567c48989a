import { existsSync, lstatSync, mkdirSync, readdirSync, renameSync, rmdirSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { GitProblem } from '../git/git-problem.js';
import { commitOf, isAncestor, type Repository } from '../git/git-repository.js';
import type { Git } from '../git/git-run.js';
import { moveRefs } from '../git/ref-moves.js';
import { awayOf, isCache, putBackAway } from './worktree-away.js';
import { foreignTo, keepForeign } from './worktree-commit.js';
import { holdsOnly, unregister } from './worktree-create.js';
import { innerRepositories, lookIn, withFreshIndex } from './worktree-files.js';
import { refsOf } from './worktree-names.js';
import { type Found, findTree } from './worktree-place.js';

export interface RemoveRequest {
  readonly path: string;
  readonly branch: string;
  /** Where it must have been merged; what the main checkout has checked out unless stated. */
  readonly into?: string;
  /** Which ignored files may go with it, in which folder; only caches unless stated. */
  readonly droppable?: Droppable;
}

export type Droppable = (file: string, folder: string) => boolean;

/** The folder in which worktrees end. What lies there is looked at once more before it goes. */
export const trashName = '.trash';

/**
 * Takes away what is clean and merged, else throws. The folder is moved out of everybody's way first, so that what is
 * looked at is what is removed; a kill in between leaves either a worktree or a folder in the trash.
 */
export async function removeTree(repo: Repository, dir: string, request: RemoveRequest): Promise<void> {
  const { path, branch, droppable = isCache } = request;
  const git = await repo.git();
  const refs = refsOf(branch);
  const trash = join(dir, trashName, basename(path));
  putBackAway(repo, dir, path);
  const removable = await checkRemovable(repo, git, { ...request, trash });
  if (removable === undefined) {
    await moveRefs(git, [{ ref: refs.base, to: 'nowhere' }]);
    return;
  }
  const { found, tip } = removable;

  if (found.kind === 'ready' || (found.kind === 'half' && found.hasFolder)) {
    // From a removal that was cut short, after which somebody made the worktree again.
    if (existsSync(trash)) await emptyTrash(repo, { trash, path, tip, droppable });
    mkdirSync(join(dir, trashName), { recursive: true });
    renameSync(path, trash);
  }
  if (existsSync(trash)) await emptyTrash(repo, { trash, path, tip, droppable });
  const gitDir = found.kind === 'ready' ? found.tree.gitDir : found.kind === 'half' ? found.gitDir : undefined;
  if (gitDir !== undefined) await unregister(git, gitDir, { branch, tip });
  const isThere = (await commitOf(git, refs.branch)) !== undefined;
  await moveRefs(git, [
    ...(isThere ? ([{ ref: refs.branch, to: 'nowhere', from: tip }] as const) : []),
    { ref: refs.base, to: 'nowhere' },
    // Last, because it is how the rest is found again.
    { ref: refs.tip, to: 'nowhere', from: tip },
  ]);
}

/** Throws what `removeTree` would, as far as that is known before something is moved; changes nothing. */
export async function checkRemoval(repo: Repository, dir: string, request: RemoveRequest): Promise<void> {
  const trash = join(dir, trashName, basename(request.path));
  const removable = await checkRemovable(repo, await repo.look(), { ...request, trash, isOnlyAsked: true });
  const away = awayOf(dir, request.path);
  if (existsSync(away)) throw unsaved(away, [away], 'files that wait for the end of a check');
  if (removable === undefined || !existsSync(trash)) return;
  const dear = await dearIn(repo, trash, { tip: removable.tip, droppable: request.droppable ?? isCache });
  if (dear.length > 0) throw unsaved(trash, dear, 'files that were written while it was being removed');
}

interface Asked extends RemoveRequest {
  readonly trash: string;
  /** Commits that an agent made get no name then. */
  readonly isOnlyAsked?: boolean;
}

/** Undefined when there is nothing left. */
async function checkRemovable(
  repo: Repository,
  git: Git,
  asked: Asked,
): Promise<{ readonly found: Found; readonly tip: string } | undefined> {
  const { path, branch, trash, droppable = isCache } = asked;
  const tip = await commitOf(git, refsOf(branch).tip);
  if (tip === undefined) {
    await nothingLeft(git, { path, branch, trash });
    const base = await commitOf(git, refsOf(branch).base);
    if (base !== undefined) await checkMerged(git, { ...asked, tip: base });
    return undefined;
  }
  const found = findTree(repo, path);
  if (found.kind === 'ready' && found.tree.branch !== branch) throw notIts(path, found.tree.branch);
  // Nobody has worked in one that was never ready; but who knows.
  const isHalfThere = found.kind === 'half' && found.hasFolder;
  if (isHalfThere && !(isFolder(path) && (await holdsOnly(repo, path, tip)))) throw halfMade(path);
  await checkMerged(git, { ...asked, tip });
  const foreign = await (asked.isOnlyAsked ? foreignTo : keepForeign)(git, { branch, tip });
  if (foreign.length > 0) throw rewritten(branch, foreign);
  if (found.kind === 'ready') await checkClean(repo, path, { tip, droppable });
  return { found, tip };
}

const isFolder = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true;

/** What would be lost with the folder. */
export async function unsavedIn(repo: Repository, path: string, tip: string): Promise<Unsaved> {
  const git = await repo.look({ workTree: path });
  return withFreshIndex(git, tip, async (fresh) => {
    const { changes, ignored } = await lookIn(fresh, { ignored: true });
    const missing = changes.filter(({ how }) => how === 'removed').map((change) => change.path);
    const changed = changes.filter(({ how }) => how !== 'removed').map((change) => change.path);
    return { changed: [...changed, ...innerRepositories(path)], missing, ignored };
  });
}

export interface Unsaved {
  /** Changed, new, and repositories inside. */
  readonly changed: readonly string[];
  readonly missing: readonly string[];
  readonly ignored: readonly string[];
}

interface CleanRules {
  readonly tip: string;
  readonly droppable: Droppable;
}

async function checkClean(repo: Repository, path: string, { tip, droppable }: CleanRules): Promise<void> {
  const { changed, missing, ignored } = await unsavedIn(repo, path, tip);
  const open = [...changed, ...missing].sort();
  if (open.length > 0) throw unsaved(path, open, 'changes that are in no commit');
  const dear = ignored.filter((file) => !droppable(file, path));
  if (dear.length > 0) throw unsaved(path, dear, 'ignored files that are nowhere else');
}

async function emptyTrash(repo: Repository, rules: CleanRules & { trash: string; path: string }): Promise<void> {
  const { trash, path, tip, droppable } = rules;
  const dear = await dearIn(repo, trash, { tip, droppable });
  if (dear.length === 0) return dropTrash(trash);
  if (!existsSync(path)) renameSync(trash, path);
  throw unsaved(existsSync(trash) ? trash : path, dear, 'files that were written while it was being removed');
}

/** A removal that was cut short leaves files missing, which is no loss; anything else was written in the last moment. */
async function dearIn(repo: Repository, trash: string, { tip, droppable }: CleanRules): Promise<readonly string[]> {
  const { changed, ignored } = await unsavedIn(repo, trash, tip);
  return [...changed, ...ignored.filter((file) => !droppable(file, trash))];
}

function dropTrash(trash: string): void {
  rmSync(trash, { recursive: true, force: true });
  if (readdirSync(dirname(trash)).length === 0) rmdirSync(dirname(trash));
}

async function checkMerged(git: Git, { branch, tip, into = 'HEAD' }: RemoveRequest & { tip: string }): Promise<void> {
  // A tag of the same name, which anybody can make, is no place that something was merged into.
  const isBranch = !/^(?:HEAD|[0-9a-f]{40,64})$/.test(into);
  const target = (isBranch ? await commitOf(git, refsOf(into).branch) : undefined) ?? (await commitOf(git, into));
  if (target !== undefined && (await isAncestor(git, tip, target))) return;
  throw new GitProblem({
    reason: 'unmerged',
    what: `the branch ${branch} is not merged into ${into}`,
    fix: 'Merge it first; branch and worktree are still there',
  });
}

/** Without our mark nothing is removed; that there is nothing left is the answer of a second call. */
async function nothingLeft(git: Git, at: { path: string; branch: string; trash: string }): Promise<void> {
  const isThere = existsSync(at.path) || existsSync(at.trash) || (await commitOf(git, refsOf(at.branch).branch));
  if (!isThere) return;
  throw new GitProblem({
    reason: 'not-ours',
    what: `${at.branch} at ${at.path} was not made by autoresearch, or its mark is gone`,
    fix: 'Look at it and remove it by hand',
  });
}

/** Names of folders in the trash. */
export const trashed = (dir: string): string[] =>
  existsSync(join(dir, trashName)) ? readdirSync(join(dir, trashName)) : [];

const unsaved = (path: string, files: readonly string[], what: string): GitProblem =>
  new GitProblem({
    reason: 'dirty',
    what: `${path} has ${what}: ${files.slice(0, 10).join(', ')}${files.length > 10 ? ` and ${files.length - 10} more` : ''}`,
    fix: 'Commit, move or remove them first; nothing was removed',
    files,
  });

const rewritten = (branch: string, foreign: readonly string[]): GitProblem =>
  new GitProblem({
    reason: 'rewritten',
    what: `the branch ${branch} holds commits that autoresearch did not make (${foreign.join(', ')})`,
    fix: 'Commit and merge the worktree again, or take the commits over by hand',
  });

const notIts = (path: string, branch: string): GitProblem =>
  new GitProblem({ reason: 'not-ours', what: `${path} is the worktree of ${branch}`, fix: 'Name its own branch' });

const halfMade = (path: string): GitProblem =>
  new GitProblem({
    reason: 'no-worktree',
    what: `${path} was never made to the end, or git has forgotten it, and it holds files that are in no commit`,
    fix: 'Create it again, which saves what is in it, and then remove it',
    files: [path],
  });
