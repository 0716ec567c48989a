import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { GitProblem } from '../git/git-problem.js';
import { checkSupported, commitOf, type Repository } from '../git/git-repository.js';
import type { Git } from '../git/git-run.js';
import { readRef } from '../git/ref-files.js';
import { moveRefs } from '../git/ref-moves.js';
import { soundTree } from '../git/sound-commit.js';
import { checkWritten } from '../git/sound-files.js';
import { asideName, putBackAway } from './worktree-away.js';
import { keepForeign, type Standing, settleBranch, tipOf } from './worktree-commit.js';
import { innerRepositories, lookIn, withFreshIndex } from './worktree-files.js';
import { checkBranchName, refsOf } from './worktree-names.js';
import { findTree, markReady, registrations } from './worktree-place.js';

export interface CreateRequest {
  readonly branch: string;
  /** A commit, or a name for one. Counts only when the branch is made; one that is resumed keeps its base. */
  readonly base: string;
  readonly path: string;
}

export interface Created {
  readonly path: string;
  /** The commit that the branch began at. */
  readonly base: string;
  /** The last commit that we made on it. */
  readonly tip: string;
  readonly isReused: boolean;
  /** Where a half-made folder went that held more than the commit's files. */
  readonly aside?: string;
}

export async function createTree(repo: Repository, dir: string, request: CreateRequest): Promise<Created> {
  const { branch, path } = request;
  const git = await repo.git();
  await checkBranchName(git, branch);
  putBackAway(repo, dir, path);
  const found = findTree(repo, path);
  if (found.kind === 'ready') {
    if (found.tree.branch !== branch) throw otherBranch(path, found.tree.branch);
    return { path, ...(await standing(git, branch)), isReused: true };
  }
  const { base, tip } = await ensureBranch(repo, git, request);
  const elsewhere = (await checkouts(repo, git)).find(
    (each) => each.branch === refsOf(branch).branch && each.path !== path,
  )?.path;
  if (elsewhere !== undefined) throw checkedOut(branch, elsewhere);
  const aside = found.kind === 'half' && found.hasFolder ? await clearFolder(repo, { dir, path, tip }) : undefined;
  if (found.kind === 'half' && found.gitDir !== undefined) await unregister(git, found.gitDir, { branch, tip });
  await git.run(['worktree', 'add', '--', path, branch], { timeoutMs: 600_000 });
  const made = registrations(repo).find((each) => each.path === path);
  if (made === undefined) throw notMade(path);
  // What an exchanged object gave would pass for the work of whoever begins here.
  await checkWritten(await repo.git({ workTree: path }), tip, await soundTree(git, tip));
  markReady(made.gitDir, branch);
  return { path, base, tip, isReused: false, ...(aside === undefined ? {} : { aside }) };
}

/** Forgets a worktree whose folder is gone. A commit that was checked out in it without a branch gets a name. */
export async function unregister(git: Git, gitDir: string, standing: Standing): Promise<void> {
  const headFile = join(gitDir, 'HEAD');
  const head = existsSync(headFile) ? readFileSync(headFile, 'utf8').trim() : '';
  await keepForeign(git, { ...standing, ...(/^[0-9a-f]{40,64}$/.test(head) ? { head } : {}) });
  rmSync(gitDir, { recursive: true, force: true });
}

async function ensureBranch(repo: Repository, git: Git, { branch, base }: CreateRequest) {
  const refs = refsOf(branch);
  const tip = await commitOf(git, refs.tip);
  const there = await commitOf(git, refs.branch);
  if (tip !== undefined) {
    await keepForeign(git, { branch, tip });
    await settleBranch(git, { branch, tip });
    return standing(git, branch);
  }
  if (there !== undefined) await tipOf(git, branch);
  const commit = await baseCommit(git, base);
  await checkSupported(git, commit, repo);
  // The tip says that the branch is ours, so it is there before the branch is.
  const fresh = [refs.tip, refs.branch].map((ref) => ({ ref, to: commit, from: 'nowhere' }));
  await moveRefs(git, [{ ref: refs.base, to: commit }, ...fresh]);
  return { base: commit, tip: commit };
}

async function standing(git: Git, branch: string): Promise<{ readonly base: string; readonly tip: string }> {
  const tip = await tipOf(git, branch);
  return { tip, base: (await commitOf(git, refsOf(branch).base)) ?? tip };
}

async function baseCommit(git: Git, base: string): Promise<string> {
  const commit = await commitOf(git, base);
  if (commit !== undefined) return commit;
  if ((await commitOf(git, 'HEAD')) === undefined) {
    throw new GitProblem({
      reason: 'no-commit',
      what: 'the repository has no commit yet, so there is nothing a worktree could begin with',
      fix: 'Commit your project first',
    });
  }
  throw new GitProblem({
    reason: 'no-such-commit',
    what: `there is no commit ${base}`,
    fix: 'Name a branch or a commit',
  });
}

/** Nobody has worked in a folder that was never ready, but who knows. What is not in the commit is moved, not removed. */
export async function clearFolder(
  repo: Repository,
  { dir, path, tip }: { readonly dir: string; readonly path: string; readonly tip: string },
): Promise<string | undefined> {
  if (await holdsOnly(repo, path, tip)) {
    rmSync(path, { recursive: true, force: true });
    return undefined;
  }
  mkdirSync(join(dir, asideName), { recursive: true });
  const aside = join(dir, asideName, `${basename(path)}-${randomBytes(4).toString('hex')}`);
  renameSync(path, aside);
  return aside;
}

/** Whether all files of the folder are the commit's own; some may be missing. */
export async function holdsOnly(repo: Repository, path: string, commit: string): Promise<boolean> {
  try {
    if (innerRepositories(path).length > 0) return false;
    const git = await repo.git({ workTree: path });
    return await withFreshIndex(git, commit, async (fresh) => {
      const { changes, ignored } = await lookIn(fresh, { ignored: true });
      return changes.every(({ how }) => how === 'removed') && ignored.length === 0;
    });
  } catch {
    return false;
  }
}

interface Checkout {
  readonly path: string;
  readonly branch: string | undefined;
}

/** Every folder that has a branch of this repository checked out. */
export async function checkouts(repo: Repository, git: Git): Promise<readonly Checkout[]> {
  const read = readCheckouts(repo);
  if (read) return read;
  const listed = (await git.run(['worktree', 'list', '--porcelain', '-z'])).stdout.toString('utf8');
  return listed.split('\0\0').flatMap((block) => {
    const said = (word: string): string | undefined =>
      block
        .split('\0')
        .find((line) => line.startsWith(`${word} `))
        ?.slice(word.length + 1);
    const path = said('worktree');
    return path === undefined ? [] : [{ path, branch: said('branch') }];
  });
}

/** Undefined where only git can tell. */
function readCheckouts(repo: Repository): readonly Checkout[] | undefined {
  const { commonDir } = repo;
  if (basename(commonDir) !== '.git') return undefined;
  const found: Checkout[] = [];
  for (const { path, gitDir } of [{ path: dirname(commonDir), gitDir: commonDir }, ...registrations(repo)]) {
    const head = readRef({ gitDir, commonDir }, 'HEAD');
    if (!head) return undefined;
    found.push({ path, branch: head.isSymbolic ? head.name : undefined });
  }
  return found;
}

const otherBranch = (path: string, branch: string): GitProblem =>
  new GitProblem({
    reason: 'not-ours',
    what: `${path} is the worktree of the branch ${branch}`,
    fix: 'Give this worktree another folder',
  });

const checkedOut = (branch: string, at: string): GitProblem =>
  new GitProblem({
    reason: 'checked-out',
    what: `the branch ${branch} is checked out at ${at}`,
    fix: `Check out another branch there, or take it away with git worktree remove`,
  });

const notMade = (path: string): GitProblem =>
  new GitProblem({
    reason: 'git-failed',
    what: `git says that it made ${path}, but does not know it`,
    fix: 'Look at git worktree list',
  });
