import { relative } from 'node:path';
import type { CheckoutPlace, IterationChanges, IterationVerdict } from '../../model/events/iteration-event.js';
import type { Clock } from '../../model/ports.js';
import type { GlobMatch } from '../../source/glob.js';
import { inProject } from '../git/checkout-problem.js';
import { commitOf, type Repository, symbolicRef, treeOf } from '../git/git-repository.js';
import type { Git } from '../git/git-run.js';
import { takeFrom } from '../git/index-entries.js';
import { refuseForgedHead, soundEntries, soundTree } from '../git/sound-commit.js';
import { ownLogs } from '../kept/own-logs.js';
import { makeCommit, stage } from '../worktree/worktree-commit.js';
import { changesIn, type FreshIndex, withFreshIndex } from '../worktree/worktree-files.js';
import { touchedBetween } from '../worktree/worktree-follow.js';
import { inProgress } from '../worktree/worktree-merge.js';
import { exclusively } from '../worktree/worktree-mutex.js';
import { filesAsKept, type KeptPlaces, type Unkeepable, unkeepableIn } from './iteration-as-kept.js';
import { nameCommit } from './iteration-branch.js';
import type { Changed } from './iteration-changed.js';
import { refuseFiltered } from './iteration-filters.js';
import { strayLinks } from './iteration-links.js';
import { patchOf } from './iteration-patch.js';
import { committedSince, moved, namesBetween, refuseMoved, refuseOtherBranch } from './iteration-place.js';
import { cannot, notCommitted, someOf, unsaved } from './iteration-problems.js';
import { settleCheckout } from './iteration-settle.js';
import { type Reach, reachOf, refuseSubmodules } from './iteration-submodules.js';

export type { Changed } from './iteration-changed.js';

export interface CheckoutOptions {
  readonly repo: Repository;
  /** The project folder, real, without links. */
  readonly root: string;
  /** Globs of the project. */
  readonly files: readonly string[];
  readonly protect: readonly string[];
  /** Globs of what else its tasks may write. */
  readonly written: readonly string[];
  readonly match: GlobMatch;
  readonly clock: Clock;
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
  /** What we print into ourselves; in the project. */
  readonly #logs: ReadonlySet<string>;

  constructor(options: CheckoutOptions) {
    this.#options = options;
    this.#logs = new Set(ownLogs(options.root));
    this.#inside = relative(options.repo.top, options.root);
  }

  /**
   * Where to begin. Throws when the files of the loop differ from what is committed, when anything else does that is not
   * the study's own (`mayDiffer`), when they are in a submodule, and when the checkout is not where the record `left` it.
   */
  async base(mayDiffer: (file: string) => boolean, left?: CheckoutPlace): Promise<CheckoutPlace> {
    const git = await this.#options.repo.look();
    const now = await this.#place(git);
    const isOther = (file: string): boolean => this.#isOurs(file) || !mayDiffer(this.#named(file));
    if (left) await refuseMoved(git, { left, now }, isOther);
    const names = refuseSubmodules(await soundTree(git, now.head), this.#reach());
    await refuseFiltered(this.#options.repo, now.head, names.filter(this.#isOurs));
    const dirty = await this.#dirty(git, now.head);
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
   * commits but of what the loop and its tasks write (`mayDiffer`). `clean`: and with nothing else changed, or nothing at all.
   */
  async stillAt(
    { base, branch }: { readonly base: string; readonly branch?: string | undefined },
    mayDiffer: (file: string) => boolean,
    clean: 'others' | 'all' | 'none',
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
    if (clean === 'none') return undefined;
    const dirty = await this.#dirty(git, now.head);
    const own = dirty.filter(this.#isOurs);
    if (clean === 'all' && own.length > 0) throw unsaved(own);
    const others = dirty.filter(isOther);
    if (others.length > 0) throw notCommitted(others);
    return undefined;
  }

  /** Files of the loop that are not as a commit has them; relative to the project. */
  async unlike(commit: string): Promise<readonly string[]> {
    const changes = await withFreshIndex(await this.#options.repo.look(), commit, changesIn);
    return changes
      .map(({ path }) => path)
      .filter(this.#isOurs)
      .map(this.#named);
  }

  /** Of the files of the loop, those that no commit of ours can hold. */
  unkeepable = (): Promise<readonly Unkeepable[]> => unkeepableIn(this.#options.repo, this.#isOurs, this.#reach());

  /** Makes the files of the loop what a checkout of their commit would give, before they are measured. */
  asKept = (places: KeptPlaces): Promise<readonly string[]> =>
    filesAsKept({ ...places, repo: this.#options.repo, isOurs: this.#isOurs });

  async changedSince(base: string, naming: Omit<Naming, 'branch'>): Promise<Changed> {
    const git = await this.#options.repo.git();
    const { head } = await this.#place(git);
    // What counts as changed, and what is put back, follows from what git says was there.
    await soundTree(git, base);
    const snapshot = await this.#snapshot(git, head, naming);
    const all = base === snapshot ? [] : await touchedBetween(git, base, snapshot);
    const changed = all.filter(this.#isOurs).sort();
    const committed = head === snapshot ? [] : (await namesBetween(git, base, head)).filter(this.#isOurs);
    const files = [...new Set([...changed, ...committed])].sort();
    const links = strayLinks(this.#options.repo.top, changed, this.#isOurs);
    const patch = await patchOf(git, { base, snapshot, files: changed, isAll: changed.length === all.length });
    return { snapshot, head, files, changed, links, patch };
  }

  /** Gives what was changed a branch, and makes the commit that the checkout is to be at. */
  async secure(
    { snapshot, head, files }: Changed,
    base: string,
    { branch, message, at, verdict }: Naming & { readonly verdict: IterationVerdict },
  ): Promise<Omit<IterationChanges, 'patch' | 'patchDigest'>> {
    const git = await this.#options.repo.git();
    // Git keeps no second copy of what it has: an object that was put there ahead would be in the commit instead of the file.
    await soundEntries(git, [snapshot, base, head], files);
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

  /** What we print ourselves is nobody's change. */
  async #dirty(git: Git, commit: string): Promise<readonly string[]> {
    const own = new Set(ownLogs(this.#options.repo.top));
    const changes = await withFreshIndex(git, commit, changesIn);
    return changes.map(({ path }) => path).filter((path) => !own.has(path));
  }

  /** Of a file that is named relative to the top of the repository. */
  #isOurs = (file: string): boolean => {
    const { files, protect, match } = this.#options;
    const own = inProject(file, this.#inside)?.[0];
    if (own === undefined || /^\.autoresearch\//.test(own) || this.#logs.has(own)) return false;
    const fits = (pattern: string): boolean => match(pattern, own);
    return files.some(fits) && !protect.some(fits);
  };

  #reach = (): Reach => reachOf(this.#inside, this.#options);

  /** Relative to the project; a file that is not in it has no name there. */
  #named = (file: string): string => inProject(file, this.#inside)?.[0] ?? '';

  async #place(git: Git): Promise<CheckoutPlace> {
    const busy = inProgress(this.#options.repo);
    if (busy !== undefined) throw cannot(`your checkout is in the middle of a ${busy}`, 'Finish or abort it first');
    const head = await commitOf(git, 'HEAD');
    if (head === undefined) await refuseForgedHead(git);
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
