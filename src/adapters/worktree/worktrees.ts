import { hash } from 'node:crypto';
import { mkdirSync, realpathSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import type { TakenAway } from '../../model/files/isolation.js';
import type { Clock } from '../../model/ports.js';
import type { Environment } from '../command/environment.js';
import { type CheckoutCommit, commitCheckout } from '../git/checkout-commit.js';
import { stashMain } from '../git/checkout-stash.js';
import { checkSupported, openRepository } from '../git/git-repository.js';
import { ownLogs } from '../kept/own-logs.js';
import { logCheckout } from './merge-log.js';
import { putBackAway } from './worktree-away.js';
import { changedSince, committedSince, unlikeCommit } from './worktree-changed.js';
import { type CommitRequest, type Committed, commitTree } from './worktree-commit.js';
import { type Created, type CreateRequest, createTree } from './worktree-create.js';
import { fileNames } from './worktree-files.js';
import { type Cleaned, type CleanOptions, cleanLeftovers, type Leftover, leftoversIn } from './worktree-leftovers.js';
import { type MainState, mainState } from './worktree-main.js';
import { type Merged, type MergeRequest, mergeBranch } from './worktree-merge.js';
import { exclusively } from './worktree-mutex.js';
import { readyTree, treePath } from './worktree-place.js';
import { type RemoveRequest, removeTree } from './worktree-remove.js';
import { restoreFiles } from './worktree-restore.js';
import { advanceBranch, type SettleRequest, settleTree } from './worktree-settle.js';
import { type Shelved, type ShelveRequest, shelveTree } from './worktree-shelve.js';
import { takeAwayUnkept, type UnkeptRequest } from './worktree-unkept.js';
import { finishUpdateOf, isCurrent, type Updated, type UpdateRequest, updateTree } from './worktree-update.js';
import { type MainWatch, watchMain } from './worktree-watch.js';

/** Git worktrees for agents that work in a folder of their own. What is not possible throws a `GitProblem`. */
export interface Worktrees {
  /** The top folder of the repository; a project may be deeper. All files are named relative to it. */
  readonly top: string;
  /** Where the trees are, as git spells it. */
  readonly dir: string;
  state(): Promise<MainState>;
  /** Throws when worktrees of this commit would not be what they seem. */
  checkSupported(commit: string): Promise<void>;
  /** Puts the changes of the main checkout into a stash; tells its commit, or undefined when there were none. */
  stash(message: string, stays?: (file: string) => boolean): Promise<string | undefined>;
  /** Begins to watch the files of the main checkout, while agents work in worktrees; what runners do there is known. */
  watch(): Promise<MainWatch>;
  create(request: CreateRequest): Promise<Created>;
  /** Throws unless the worktree is there and whole. */
  check(path: string): void;
  /** A commit that is written down is on its branch, also when nobody came to that; before the worktree is made again. */
  advance(request: SettleRequest): Promise<void>;
  /** Branch and index of a worktree are what its last commit says. */
  settle(path: string): Promise<void>;
  /** Only when the agent has ended. */
  commit(request: CommitRequest): Promise<Committed>;
  /** Makes a worktree what a checkout of its next commit would be; tells what was not. Nothing of it is lost. */
  takeAway(request: UnkeptRequest): Promise<TakenAway>;
  /** The other way round. */
  putBack(path: string): void;
  /** Whether a worktree has all that another branch has. */
  isCurrent(request: UpdateRequest): Promise<boolean>;
  /** Takes what was merged meanwhile into a worktree; what is in no commit there stays as it is, or stands in the way. */
  update(request: UpdateRequest): Promise<Updated>;
  merge(request: MergeRequest): Promise<Merged>;
  /** Makes files of a worktree what its last commit says. */
  restore(path: string, files: readonly string[]): Promise<void>;
  /** Puts away what an earlier run left under this name; nothing of it is lost. */
  shelve(request: ShelveRequest): Promise<Shelved>;
  /** Commits files of the main checkout. */
  commitHere(files: readonly string[], message: string): Promise<CheckoutCommit | undefined>;
  /** Which of these files of the main checkout are in no commit. */
  untracked(files: readonly string[]): Promise<ReadonlySet<string>>;
  /** Files of the main checkout that were written in our name. */
  wrote(files: readonly string[]): void;
  /** Files that commits of ours on a branch have changed. */
  committedSince(base: string, branch: string): Promise<readonly string[]>;
  /** Files of a worktree that differ from its last commit; new ones apart. */
  unlikeCommit(path: string): Promise<readonly string[]>;
  /** Files of a worktree that differ from a commit, in commits of ours or in the folder. */
  changedSince(base: string, path: string): Promise<readonly string[]>;
  remove(request: RemoveRequest): Promise<void>;
  leftovers(into?: string): Promise<readonly Leftover[]>;
  clean(options?: CleanOptions): Promise<Cleaned>;
}

export interface WorktreeOptions {
  /** The project folder, in the checkout that the person works in. */
  readonly root: string;
  /** Where the trees live. */
  readonly dir: string;
  /** In the repository unless stated. */
  readonly mutexFile?: string;
  /** Where runners write down what they do to checkouts; beside the mutex unless stated. */
  readonly logDir?: string;
  readonly clock: Clock;
  readonly env?: Environment;
  /** Files and folders of the project that are nobody's changes: the state folder. */
  readonly leaveOut?: readonly string[];
}

export async function openWorktrees(options: WorktreeOptions): Promise<Worktrees> {
  const { clock } = options;
  const repo = await openRepository(options.root, {
    env: options.env ?? process.env,
    ...(options.mutexFile === undefined ? {} : { tether: options.mutexFile }),
  });
  const mutexFile = repo.tether;
  mkdirSync(options.dir, { recursive: true });
  mkdirSync(dirname(mutexFile), { recursive: true });
  const dir = realpathSync(options.dir);
  const logDir = options.logDir ?? dirname(mutexFile);
  // What runners keep may lie in the repository, such as one that is somebody's home.
  const kept = [dir, ...(options.logDir ? [dirname(logDir)] : [])]
    .map((path) => relative(repo.top, path))
    .filter((path) => path !== '' && !path.startsWith('..'));
  const project = relative(repo.top, realpathSync(options.root));
  const left = (options.leaveOut ?? ['.autoresearch']).map((path) => join(project, path));
  const leaveOut = [...left, ...kept, ...ownLogs(repo.top)];
  const log = join(logDir, `checkouts-${hash('sha256', repo.commonDir).slice(0, 16)}.log`);
  const alone = <Value>(act: () => Promise<Value>): Promise<Value> => exclusively(mutexFile, clock, act);
  const placed = <Request extends { readonly path: string }>(request: Request): Request => ({
    ...request,
    path: treePath(dir, request.path),
  });
  const { top } = repo;
  const tell = (what: 'begun' | 'done', into: string, { commit, files }: CheckoutCommit): void =>
    logCheckout(log, { top, what, standing: `refs/heads/${into} ${commit}`, files });
  const merge = async (request: MergeRequest): Promise<Merged> => {
    const { into } = request;
    const writing = (files: readonly string[], commit: string): void => {
      tell('begun', into, { commit, files });
      request.writing?.(files, commit);
    };
    const result = await mergeBranch(repo, { ...request, writing });
    if (result.kind === 'merged') tell('done', into, result);
    return result;
  };
  return {
    top: repo.top,
    dir,
    state: () => mainState(repo, leaveOut),
    checkSupported: async (commit) => checkSupported(await repo.look(), commit, repo),
    stash: (message, stays = () => false) => alone(() => stashMain(repo, leaveOut, { message, stays })),
    async watch() {
      const watch = await alone(() => watchMain(repo, { leaveOut, log, project }));
      return { changes: () => alone(() => watch.changes()) };
    },
    check: (path) => void readyTree(repo, treePath(dir, path)),
    advance: (request) => alone(() => advanceBranch(repo, request)),
    settle: (path) =>
      alone(async () => {
        // Killed in an update, the branch is ahead of what was written down, and by nobody else's doing.
        await finishUpdateOf(repo, treePath(dir, path));
        await settleTree(repo, treePath(dir, path));
      }),
    create: (request) =>
      alone(async () => {
        const made = await createTree(repo, dir, placed(request));
        if (made.isReused) await finishUpdateOf(repo, made.path);
        return made;
      }),
    commit: (request) => alone(() => commitTree(repo, placed(request))),
    takeAway: (request) => takeAwayUnkept(repo, dir, placed(request)),
    putBack: (path) => putBackAway(repo, dir, treePath(dir, path)),
    isCurrent: (request) => isCurrent(repo, placed(request)),
    update: (request) => alone(() => updateTree(repo, placed(request))),
    merge: (request) => alone(() => merge(request)),
    restore: (path, files) => alone(() => restoreFiles(repo, treePath(dir, path), files)),
    shelve: (request) => alone(() => shelveTree(repo, dir, placed(request))),
    commitHere: (files, message) =>
      alone(async () => {
        const made = await commitCheckout(repo, files, message);
        if (!made) return undefined;
        const { into, ...commit } = made;
        tell('done', into, commit);
        return commit;
      }),
    async untracked(files) {
      if (files.length === 0) return new Set();
      const tracked = new Set(fileNames((await (await repo.look()).run(['ls-files', '-z'])).stdout));
      return new Set(files.filter((file) => !tracked.has(file)));
    },
    wrote: (files) => logCheckout(log, { top, what: 'wrote', files }),
    committedSince: (base, branch) => committedSince(repo, base, branch),
    unlikeCommit: (path) => unlikeCommit(repo, treePath(dir, path)),
    changedSince: (base, path) => changedSince(repo, base, treePath(dir, path)),
    remove: (request) => alone(() => removeTree(repo, dir, placed(request))),
    leftovers: (into) => leftoversIn(repo, dir, into),
    clean: (request) => alone(() => cleanLeftovers(repo, dir, request)),
  };
}
