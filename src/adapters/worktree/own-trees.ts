import { join, relative } from 'node:path';
import { FailureError } from '../../model/failure.js';
import type { Guard } from '../../model/files/guard.js';
import type { CaughtUp, Conflict, Isolation, OwnTree, Place } from '../../model/files/isolation.js';
import type { Task } from '../../model/plan.js';
import type { Files } from '../../model/ports.js';
import type { Committed, TreeRecord } from '../../model/state/tree-record.js';
import { contentOf, lendFiles } from '../disk/lent-files.js';
import { type CheckoutTools, checkoutStanding, dirtyProblem, told } from '../git/checkout-problem.js';
import { GitProblem } from '../git/git-problem.js';
import { ownTree } from './own-tree.js';
import { catchUp, type GuardAt } from './own-tree-catch-up.js';
import { unkeptIn } from './own-tree-unkept.js';
import { isCache } from './worktree-away.js';
import { folderOfBranch, worktreeBranch } from './worktree-names.js';

export interface OwnTreesTools extends CheckoutTools {
  readonly agentId: string;
  readonly iteration: number;
  /** Of the project. */
  readonly files: Files;
  /** What the whole study protects. */
  readonly protect: readonly string[];
  /** The place in a worktree. */
  placeAt(root: string, guard: Guard | undefined): Promise<Place>;
  /** `protection`: what was kept of it when it was made. */
  guardAt(root: string, patterns: readonly string[], protection?: string): Promise<GuardAt | undefined>;
  hide(text: string): string;
  /** What was kept outside of the project about a worktree that is gone; asked for while it is there. */
  forgetter(root: string): () => void;
}

/** Worktrees for tasks, with the files that are in no commit and that they need all the same. */
export class OwnTrees implements Isolation {
  readonly #tools: OwnTreesTools;
  /** Where the project is inside of the repository. */
  readonly #inside: string;

  constructor(tools: OwnTreesTools) {
    this.#tools = tools;
    this.#inside = relative(tools.worktrees.top, tools.root);
  }

  begin(task: Task): Promise<OwnTree> {
    const { worktrees, root } = this.#tools;
    return told(async () => {
      const { head, into } = await this.#base();
      const branch = this.#branchOf(task);
      const folder = folderOfBranch(branch);
      await worktrees.shelve({ path: folder, branch, droppable: this.#isKnown });
      const { path, base } = await worktrees.create({ branch, base: head, path: folder });
      const protect = this.#protectedBy(task);
      const at = join(path, this.#inside);
      const carried = lendFiles(root, at, this.#lentTo(task, protect));
      const guarded = await this.#tools.guardAt(at, protect);
      const protection = guarded ? { protection: guarded.digest } : {};
      const record: TreeRecord = { branch, path, base, into, carried, ...protection };
      return this.#tree(task, record, guarded);
    });
  }

  goOn(task: Task, record: TreeRecord, committed: Committed | undefined): Promise<OwnTree> {
    const { branch, base, path } = record;
    const { worktrees, root } = this.#tools;
    return told(async () => {
      if (committed) await worktrees.advance({ branch, tip: committed.tip });
      const made = await worktrees.create({ branch, base, path });
      if (committed && made.isReused) await worktrees.settle(path);
      const at = join(path, this.#inside);
      const protect = this.#protectedBy(task);
      // A folder that was made again holds nothing that anybody lent to it.
      if (!made.isReused) lendFiles(root, at, this.#lentTo(task, protect));
      else lendFiles(root, at, await (committed ? this.#taken(at, record) : missing(at, record)));
      const guarded = await this.#tools.guardAt(at, protect, record.protection);
      return this.#tree(task, record, guarded);
    });
  }

  catchUp(task: Task, record: TreeRecord): Promise<CaughtUp | Conflict | undefined> {
    const { worktrees, root, guardAt } = this.#tools;
    const at = join(record.path, this.#inside);
    const guardNow = (protection?: string) => guardAt(at, this.#protectedBy(task), protection);
    return told(() => catchUp(record, { worktrees, root, at, inTop: this.#inTop, guardNow }));
  }

  async remove({ path, branch, into, carried }: TreeRecord): Promise<string | undefined> {
    const { worktrees, forgetter } = this.#tools;
    const at = join(path, this.#inside);
    try {
      const forget = forgetter(at);
      const lent = Object.keys(carried).filter((file) => contentOf(join(at, file)) === carried[file]);
      if (isThere(() => worktrees.check(path))) await worktrees.restore(path, lent.map(this.#inTop));
      await worktrees.remove({ path, branch, into, droppable: this.#isKnown });
      forget();
      return undefined;
    } catch (error) {
      if (error instanceof GitProblem) return error.what;
      throw error;
    }
  }

  /** What the project has as well, such as ignored outputs that were brought back, is no loss. */
  #isKnown = (file: string, folder: string): boolean =>
    isCache(file) || contentOf(join(folder, file)) === contentOf(join(this.#tools.worktrees.top, file));

  /** Lent files that were taken away for a moment when somebody was killed. What the task made of others is its own. */
  async #taken(at: string, { carried, base, branch }: TreeRecord): Promise<readonly string[]> {
    const differing = Object.keys(carried).filter((file) => contentOf(join(at, file)) !== carried[file]);
    if (differing.length === 0) return [];
    const own = new Set(await this.#tools.worktrees.committedSince(base, branch));
    return differing.filter((file) => !own.has(this.#inTop(file)));
  }

  /** The commit to begin with, and the branch to merge into. What is in no commit and nobody declared is refused. */
  async #base(): Promise<{ readonly head: string; readonly into: string }> {
    const standing = await checkoutStanding(this.#tools);
    if ('failure' in standing) throw new FailureError(standing.failure);
    if (standing.dirty.length > 0) throw new FailureError(dirtyProblem(standing.dirty).failure);
    return standing;
  }

  #branchOf({ id, stage }: Task): string {
    const { agentId, iteration } = this.#tools;
    const task = id === stage ? {} : { task: id.startsWith(`${stage}:`) ? id.slice(stage.length + 1) : id };
    return worktreeBranch({ agent: agentId, iteration, stage, ...task });
  }

  #protectedBy = ({ protect = [] }: Task): readonly string[] => [...new Set([...this.#tools.protect, ...protect])];

  #lentTo({ inputs, description, schema, part, outputs }: Task, protect: readonly string[]): readonly string[] {
    // Who looks at what all tasks have made needs what is in no commit, too.
    const made = part?.kind === 'whole' ? outputs : [];
    const wanted = [...inputs, ...(description.reads ?? []), ...Object.values(schema), ...protect, ...made];
    return this.#tools.files.expand(wanted).filter((file) => !/^(\/|\.\.\/|\.autoresearch\/|\.git\/)/.test(file));
  }

  #inTop = (file: string): string => (this.#inside === '' ? file : `${this.#inside}/${file}`);

  async #tree(task: Task, record: TreeRecord, guarded: GuardAt | undefined): Promise<OwnTree> {
    const at = join(record.path, this.#inside);
    const place = await this.#tools.placeAt(at, guarded && whileWhole(guarded.guard, () => this.#isWhole(record.path)));
    const own = { task, record, inside: this.#inside, protect: this.#protectedBy(task) };
    const tools = { ...this.#tools, inTop: this.#inTop };
    const unkept = unkeptIn({ ...own, place }, tools);
    return ownTree({ ...own, place: { ...place, unkept } }, tools);
  }

  #isWhole = (path: string): boolean => isThere(() => this.#tools.worktrees.check(path));
}

/** Taken away for a moment when somebody was killed. */
const missing = (at: string, { carried }: TreeRecord): readonly string[] =>
  Object.keys(carried).filter((file) => contentOf(join(at, file)) === undefined);

/** What took the place of the worktree is nobody's to put right: it may lead anywhere. */
const whileWhole = (guard: Guard, isWhole: () => boolean): Guard => ({
  check: (options) => (isWhole() ? guard.check(options) : undefined),
  seen: () => guard.seen?.() ?? new Map(),
  during: (patterns) => guard.during(patterns),
});

function isThere(check: () => void): boolean {
  try {
    check();
    return true;
  } catch (error) {
    if (error instanceof GitProblem) return false;
    throw error;
  }
}
