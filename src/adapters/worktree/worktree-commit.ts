import { renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { filteredFiles, filterFix, filterWords } from '../git/filtered-files.js';
import { GitProblem } from '../git/git-problem.js';
import { commitOf, type Identity, isAncestor, type Repository, symbolicRef, treeOf } from '../git/git-repository.js';
import type { Git } from '../git/git-run.js';
import { moveRefs, type RefMove } from '../git/ref-moves.js';
import { soundTree } from '../git/sound-commit.js';
import { isAttributes, strayAttributes } from '../git/stray-attributes.js';
import { changesIn, choose, fileNames, type TreeChange, withFreshIndex } from './worktree-files.js';
import { refsOf } from './worktree-names.js';
import { readyTree } from './worktree-place.js';

export interface CommitRequest {
  readonly path: string;
  readonly message: string;
  readonly author?: Identity;
  /** Milliseconds since 1970. The same moment gives the same commit again after a crash. */
  readonly at?: number;
  /** What may go in. Paths are relative to the top of the repository. */
  readonly allow: (file: string) => boolean;
  /** Called when the commit is made and before anything leads to it: to write it down, or to throw, and then it is nothing. */
  readonly before?: (made: Committed) => void;
}

export interface Committed {
  /** Missing when there was nothing to commit. */
  readonly commit?: string;
  /** Where the branch stands now. */
  readonly tip: string;
  readonly files: readonly string[];
  /** Changed, but left uncommitted. */
  readonly refused: readonly string[];
  /** Commits that something else made, or dropped, on this branch; they stay under `refs/autoresearch/kept`. */
  readonly kept: readonly string[];
}

/**
 * What counts is what is in the folder, on top of the last commit that we made. What the agent did with git itself decides
 * nothing: its commits are kept aside, its index is not read, a branch it moved or deleted is put right.
 */
export async function commitTree(repo: Repository, request: CommitRequest): Promise<Committed> {
  const tree = readyTree(repo, request.path);
  const git = await repo.git({ gitDir: tree.gitDir, workTree: tree.path });
  const old = await tipOf(git, tree.branch);
  // What counts as changed follows from what git says was there.
  await soundTree(git, old);
  const headRef = await symbolicRef(git, 'HEAD');
  const kept = await keepForeign(git, {
    branch: tree.branch,
    tip: old,
    ...(headRef === undefined ? { head: 'HEAD' } : {}),
  });
  return withFreshIndex(git, old, async (fresh) => {
    const { take, refused } = choose(await changesIn(fresh), request.allow);
    await stage(fresh, take);
    await refuseStray(fresh, take);
    await refuseFiltered(fresh, await repo.filters(), take);
    const content = await fresh.line(['write-tree']);
    const isNew = content !== (await treeOf(git, old));
    const commit = isNew
      ? await makeCommit(git, { ...request, tree: content, parents: [old], committer: repo.identity })
      : undefined;
    const files = commit ? take.map(({ path }) => path) : [];
    const made = { ...(commit ? { commit } : {}), tip: commit ?? old, files, refused, kept };
    request.before?.(made);
    // Our own ref first: when the next step does not happen any more, the branch is known to be behind it.
    const first = commit ? [{ ref: refsOf(tree.branch).tip, to: commit, from: old }] : [];
    await settleBranch(git, { branch: tree.branch, tip: commit ?? old }, { first });
    const ownRef = refsOf(tree.branch).branch;
    if (headRef !== ownRef) await git.run(['symbolic-ref', 'HEAD', ownRef]);
    rmSync(join(tree.gitDir, 'index.lock'), { force: true });
    renameSync(fresh.file, join(tree.gitDir, 'index'));
    return made;
  });
}

/** The last commit that we made on the branch, or its base. A branch without one is not ours. */
export async function tipOf(git: Git, branch: string): Promise<string> {
  const tip = await commitOf(git, refsOf(branch).tip);
  if (tip !== undefined) return tip;
  throw new GitProblem({
    reason: 'not-ours',
    what: `the branch ${branch} was not made by autoresearch`,
    fix: 'Rename that branch, or give the study another agent id',
  });
}

export interface NewCommit {
  readonly tree: string;
  readonly parents: readonly string[];
  readonly message: string;
  readonly committer: Identity;
  readonly author?: Identity;
  readonly at?: number;
}

export async function makeCommit(git: Git, commit: NewCommit): Promise<string> {
  const { tree, parents, message, committer, author = committer, at = Date.now() } = commit;
  if (message.trim() === '' || message.includes('\0') || message.length > longestMessage) throw badMessage();
  const date = `@${Math.floor(at / 1000)} +0000`;
  const env = {
    GIT_AUTHOR_NAME: author.name,
    GIT_AUTHOR_EMAIL: author.email,
    GIT_AUTHOR_DATE: date,
    GIT_COMMITTER_NAME: committer.name,
    GIT_COMMITTER_EMAIL: committer.email,
    GIT_COMMITTER_DATE: date,
  };
  const from = parents.flatMap((parent) => ['-p', parent]);
  // Not through standard input: when we are killed, git would take the end of it for the end of the message.
  return git.line(['commit-tree', ...from, '-m', message.trimEnd(), tree], { env });
}

/** Gives a name to what stands on the branch, or was checked out, but is not among our commits. */
export async function keepForeign(git: Git, standing: Standing): Promise<readonly string[]> {
  const foreign = await foreignTo(git, standing);
  for (const commit of foreign) await git.run(['update-ref', refsOf(standing.branch).kept(commit), commit]);
  return foreign;
}

export async function foreignTo(git: Git, { branch, tip, head }: Standing): Promise<readonly string[]> {
  const foreign = new Set<string>();
  for (const name of [refsOf(branch).branch, ...(head === undefined ? [] : [head])]) {
    const commit = await commitOf(git, name);
    if (commit !== undefined && commit !== tip && !(await isAncestor(git, commit, tip))) foreign.add(commit);
  }
  return [...foreign];
}

export interface Standing {
  readonly branch: string;
  readonly tip: string;
  /** A commit that is checked out without a branch. */
  readonly head?: string;
}

export interface Besides {
  /** What has to be there before the branch is. */
  readonly first?: readonly RefMove[];
  /** What may go when it is there. */
  readonly last?: readonly RefMove[];
}

/** The branch as it has to be. What stood there has a name by now. */
export async function settleBranch(git: Git, { branch, tip }: Standing, besides: Besides = {}): Promise<void> {
  const { first = [], last = [] } = besides;
  const ref = refsOf(branch).branch;
  const isSymbolic = (await symbolicRef(git, ref)) !== undefined;
  if (isSymbolic && first.length > 0) await moveRefs(git, first);
  // Writing through a branch that is only another name for `main` would move `main`.
  if (isSymbolic) await git.run(['symbolic-ref', '--delete', ref]);
  const now = await commitOf(git, ref);
  const own: readonly RefMove[] = now === tip ? [] : [{ ref, to: tip, from: now ?? 'nowhere' }];
  const moves = [...(isSymbolic ? [] : first), ...own, ...last];
  if (moves.length > 0) await moveRefs(git, moves);
}

/** Names go in through standard input, so that none of them can be an option or a pattern. */
/** Takes these changes of the folder into an index of ours. */
export async function stage(fresh: Git, take: readonly TreeChange[]): Promise<void> {
  const list = (those: readonly TreeChange[]): Buffer =>
    Buffer.concat(those.flatMap(({ name }) => [name, Buffer.from([0])]));
  const gone = take.filter(({ how }) => how === 'removed');
  const there = take.filter(({ how }) => how !== 'removed');
  if (gone.length > 0) await fresh.run(['update-index', '--force-remove', '-z', '--stdin'], { input: list(gone) });
  if (there.length > 0) await fresh.run(['update-index', '--add', '-z', '--stdin'], { input: list(there) });
}

/** What was committed has to be what was checked, and not what rules that nobody else has made of it. */
async function refuseStray(staged: Git, take: readonly TreeChange[]): Promise<void> {
  const files = take.filter(({ how }) => how !== 'removed').map(({ path }) => path);
  const top = staged.place.cwd;
  if (strayAttributes(top, files, () => false).length === 0) return;
  const kept = new Set(fileNames((await staged.run(['ls-files', '-z'])).stdout));
  const [stray] = strayAttributes(top, files, (file) => kept.has(file));
  if (stray !== undefined)
    throw new GitProblem({
      reason: 'tampered',
      what: `${stray} says what git makes of the files beside and below it, and is in no commit itself`,
      fix: 'Take it away, or let the task commit it, and go on with autoresearch exec',
      files: [stray],
    });
}

/** What checks have written came behind the look at what the agent wrote. */
async function refuseFiltered(staged: Git, filters: readonly string[], take: readonly TreeChange[]): Promise<void> {
  if (filters.length === 0 || take.length === 0) return;
  const files = take.some(({ path }) => isAttributes(path))
    ? fileNames((await staged.run(['ls-files', '-z'])).stdout)
    : take.map(({ path }) => path);
  const [filtered] = await filteredFiles(staged, filters, files);
  if (filtered)
    throw new GitProblem({
      reason: 'tampered',
      what: `${filtered.file} cannot be committed: ${filterWords(filtered.filter)}`,
      fix: `Let the task ${filterFix(filtered.filter)}, and go on with autoresearch exec`,
      files: [filtered.file],
    });
}

/** One argument of a command may have 128 KiB. */
const longestMessage = 30_000;

const badMessage = (): GitProblem =>
  new GitProblem({
    reason: 'bad-name',
    what: 'the message of the commit is empty, has a zero byte or is longer than 30,000 characters',
    fix: 'Change the template of `commit`',
  });
