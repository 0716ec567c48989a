import { relative } from 'node:path';
import type { CheckoutPlace, IterationChanges, IterationVerdict } from '../../model/iteration-event.js';
import type { Clock } from '../../model/ports.js';
import type { GlobMatch } from '../../source/glob.js';
import { inProject } from '../git/checkout-problem.js';
import { GitProblem } from '../git/git-problem.js';
import { commitOf, type Repository, symbolicRef, treeOf } from '../git/git-repository.js';
import type { Git } from '../git/git-run.js';
import { takeFrom } from '../git/index-entries.js';
import { makeCommit, stage } from '../worktree/worktree-commit.js';
import { changesIn, type FreshIndex, withFreshIndex } from '../worktree/worktree-files.js';
import { touchedBetween } from '../worktree/worktree-follow.js';
import { inProgress } from '../worktree/worktree-merge.js';
import { exclusively } from '../worktree/worktree-mutex.js';
import { nameCommit } from './iteration-branch.js';
import { strayLinks } from './iteration-links.js';
import { patchBetween } from './iteration-patch.js';
import { committedSince, moved, refuseMoved, refuseOtherBranch } from './iteration-place.js';
import { settleCheckout } from './iteration-settle.js';

export interface CheckoutOptions {
  readonly repo: Repository;
  /** The project folder, real, without links. */
  readonly root: string;
  /** Globs of the project. */
  readonly files: readonly string[];
  readonly protect: readonly string[];
  readonly match: GlobMatch;
  readonly clock: Clock;
}

/** What an iteration has changed so far. Nothing leads to it yet. */
export interface Changed {
  /** The commit with everything that it changed on top of what is checked out, which is `head`. */
  readonly snapshot: string;
  readonly head: string;
  /** What differs from the base; relative to the top of the repository. */
  readonly files: readonly string[];
  /** As `git apply` takes it. */
  readonly patch: Buffer;
  /** Those that are links to what is not of the loop. */
  readonly links: ReturnType<typeof strayLinks>;
}

interface Naming {
  readonly branch: string;
  readonly message: string;
  /** The same moment gives the same commits again after a crash. */
  readonly at: number;
}

/**
 * The checkout of a loop with `keep: best`. Only the files of the loop are ever looked at, committed or put back. What is
 * discarded has a branch of its own before anything is put back. The person's branch only ever moves forward.
 */
export class IterationCheckout {
  readonly #options: CheckoutOptions;
  readonly #inside: string;

  constructor(options: CheckoutOptions) {
    this.#options = options;
    this.#inside = relative(options.repo.top, options.root);
  }

  /**
   * Where to begin. Throws when the files of the loop differ from what is committed, when anything else does that is not
   * the study's own (`mayDiffer`), and when the checkout is not where the record `left` it.
   */
  async base(mayDiffer: (file: string) => boolean, left?: CheckoutPlace): Promise<CheckoutPlace> {
    const git = await this.#options.repo.look();
    const now = await this.#place(git);
    const isOther = (file: string): boolean => this.#isOurs(file) || !mayDiffer(this.#named(file));
    if (left) await refuseMoved(git, { left, now }, isOther);
    const dirty = (await withFreshIndex(git, now.head, (fresh) => changesIn(fresh))).map(({ path }) => path);
    const own = dirty.filter(this.#isOurs);
    if (own.length > 0) throw unsaved(own);
    const others = dirty.filter((file) => !mayDiffer(this.#named(file)));
    if (others.length > 0) throw notCommitted(others);
    return now;
  }

  /** Where the checkout is. */
  async place(): Promise<CheckoutPlace> {
    return this.#place(await this.#options.repo.look());
  }

  /**
   * Throws when an iteration that has begun is no longer where it began: on its branch, behind its base, and with no
   * commits but of what the loop and its tasks write (`mayDiffer`). `isWhole`: and with nothing else changed.
   */
  async stillAt(
    { base, branch }: { readonly base: string; readonly branch?: string | undefined },
    mayDiffer: (file: string) => boolean,
    isWhole: boolean,
  ): Promise<undefined> {
    const git = await this.#options.repo.look();
    const now = await this.#place(git);
    if (branch !== undefined) refuseOtherBranch({ left: branch, now: now.branch });
    const isOther = (file: string): boolean => !this.#isOurs(file) && !mayDiffer(this.#named(file));
    const committed = (await committedSince(git, base, now)).filter(isOther);
    if (committed.length > 0)
      throw moved(
        `commits since the iteration began changed what is not of the loop: ${someOf(committed)}`,
        `Keep them elsewhere and go back with git branch by-hand-${now.head.slice(0, 12)} && git reset --keep ${base.slice(0, 12)}`,
        committed,
      );
    if (!isWhole) return undefined;
    const dirty = (await withFreshIndex(git, now.head, (fresh) => changesIn(fresh))).map(({ path }) => path);
    const others = dirty.filter(isOther);
    if (others.length > 0) throw notCommitted(others);
    return undefined;
  }

  /** Of the files of the loop, those whose name is no text: no commit of ours can hold them. */
  async oddNames(): Promise<readonly { readonly path: string; readonly file: Buffer }[]> {
    const git = await this.#options.repo.look();
    const changes = await withFreshIndex(git, 'HEAD', changesIn);
    return changes
      .filter(({ how, path }) => how === 'closed' && !path.endsWith('/') && this.#isOurs(path))
      .map(({ path, name }) => ({ path, file: Buffer.concat([Buffer.from(`${this.#options.repo.top}/`), name]) }));
  }

  async changedSince(base: string, naming: Omit<Naming, 'branch'>): Promise<Changed> {
    const git = await this.#options.repo.git();
    const { head } = await this.#place(git);
    const snapshot = await this.#snapshot(git, head, naming);
    const all = base === snapshot ? [] : await touchedBetween(git, base, snapshot);
    const files = all.filter(this.#isOurs).sort();
    const links = strayLinks(this.#options.repo.top, files, this.#isOurs);
    const patch = await patchBetween(git, { base, snapshot, files, isAll: files.length === all.length });
    return { snapshot, head, files, links, patch };
  }

  /** Gives what was changed a branch, and makes the commit that the checkout is to be at. */
  async secure(
    { snapshot, head, files }: Changed,
    base: string,
    { branch, message, at, verdict }: Naming & { readonly verdict: IterationVerdict },
  ): Promise<Omit<IterationChanges, 'patch' | 'patchDigest'>> {
    const git = await this.#options.repo.git();
    await this.#alone(() => nameCommit(git, branch, snapshot));
    const target =
      verdict === 'kept'
        ? snapshot
        : await this.#without(git, { head, base, files, message: `Put back: ${message}`, at });
    return { commit: snapshot, branch, target, head, files };
  }

  /** One that changed nothing has a branch too, which leads to where it was. */
  async name(branch: string, commit: string): Promise<void> {
    const git = await this.#options.repo.git();
    await this.#alone(() => nameCommit(git, branch, commit));
  }

  /** Makes the checkout what was decided. Again after a crash it does what is left to do. */
  settle(changes: IterationChanges, branch?: string): Promise<void> {
    return this.#alone(async () => {
      if (branch !== undefined) refuseOtherBranch({ left: branch, now: (await this.place()).branch });
      await settleCheckout(this.#options.repo, changes);
    });
  }

  #alone = <Value>(act: () => Promise<Value>): Promise<Value> =>
    exclusively(this.#options.repo.tether, this.#options.clock, act);

  /** Of a file that is named relative to the top of the repository. */
  #isOurs = (file: string): boolean => {
    const { files, protect, match } = this.#options;
    const own = inProject(file, this.#inside)?.[0];
    if (own === undefined || /^\.autoresearch\//.test(own)) return false;
    const fits = (pattern: string): boolean => match(pattern, own);
    return files.some(fits) && !protect.some(fits);
  };

  /** Relative to the project; a file that is not in it has no name there. */
  #named = (file: string): string => inProject(file, this.#inside)?.[0] ?? '';

  async #place(git: Git): Promise<CheckoutPlace> {
    const busy = inProgress(this.#options.repo);
    if (busy !== undefined) throw cannot(`your checkout is in the middle of a ${busy}`, 'Finish or abort it first');
    const head = await commitOf(git, 'HEAD');
    if (head === undefined)
      throw cannot('the repository has no commit yet, so there is nothing to go back to', 'Commit your project first');
    const branch = await symbolicRef(git, 'HEAD');
    if (branch === undefined)
      throw cannot('a commit is checked out without a branch, so there is nothing to commit to', 'Check out a branch');
    return { head, branch };
  }

  async #snapshot(git: Git, head: string, { message, at }: Omit<Naming, 'branch'>): Promise<string> {
    return withFreshIndex(git, head, async (fresh) => {
      const own = (await changesIn(fresh)).filter(({ path }) => this.#isOurs(path));
      const closed = own.filter(({ how }) => how === 'closed').map(({ path }) => path);
      const why = 'it is a repository of its own, or its name is no text';
      if (closed.length > 0)
        throw cannot(`${closed.join(', ')} cannot be committed: ${why}`, 'Move it away and go on', closed);
      await stage(fresh, own);
      return this.#commit(git, fresh, { head, message, at });
    });
  }

  /** What is checked out, with these files as they were. */
  async #without(
    git: Git,
    wanted: { head: string; base: string; files: readonly string[]; message: string; at: number },
  ): Promise<string> {
    const { head, base, files } = wanted;
    if (head === base) return head;
    return withFreshIndex(git, head, async (fresh) => {
      await takeFrom(fresh, base, files);
      return this.#commit(git, fresh, wanted);
    });
  }

  async #commit(
    git: Git,
    fresh: FreshIndex,
    { head, message, at }: { head: string; message: string; at: number },
  ): Promise<string> {
    const tree = await fresh.line(['write-tree']);
    if (tree === (await treeOf(git, head))) return head;
    return makeCommit(git, { tree, parents: [head], message, at, committer: this.#options.repo.identity });
  }
}

const cannot = (what: string, fix: string, files: readonly string[] = []): GitProblem =>
  new GitProblem({ reason: 'busy', what, fix, files });

const unsaved = (files: readonly string[]): GitProblem =>
  new GitProblem({
    reason: 'dirty',
    what: `files of the loop have changes that are in no commit, and would be lost when an iteration is put back: ${someOf(files)}`,
    fix: 'Commit them, or put them aside with git stash',
    files,
  });

const notCommitted = (files: readonly string[]): GitProblem =>
  new GitProblem({
    reason: 'dirty',
    what: `your checkout has changes that are in no commit, so what is kept would not be what was measured: ${someOf(files)}`,
    fix: 'Commit them, put them aside with git stash, or let git ignore them',
    files,
  });

const someOf = (files: readonly string[]): string =>
  `${files.slice(0, 5).join(', ')}${files.length > 5 ? ` and ${files.length - 5} more` : ''}`;
