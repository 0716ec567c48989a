import type { RecordedEvent } from '../../model/events/event.js';
import { type Failure, FailureError } from '../../model/failure.js';
import type { Isolation, OwnTree, Place } from '../../model/files/isolation.js';
import type { Task, TaskId } from '../../model/plan.js';
import type { Committed, TreeRecord } from '../../model/state/tree-record.js';

export interface PlacesTools {
  /** Where all tasks work that have no place of their own. */
  readonly project: Place;
  /** Absent in a study without worktrees. */
  readonly isolation?: Isolation;
  /** What the journal of this run says of a task's worktree. */
  recordOf(task: Task): TreeRecord | undefined;
  committedOf(task: Task): Committed | undefined;
  record(events: readonly RecordedEvent[]): void;
}

/** Where each task works. A worktree is opened by whoever needs it first: an attempt, or who goes on mending. */
export class Places {
  readonly #tools: PlacesTools;
  readonly #trees = new Map<TaskId, Promise<OwnTree>>();
  /** Worktrees whose tasks are not at work, and what was found in them. */
  readonly #resting = new Map<TaskId, () => readonly string[]>();
  readonly #stirred = new Map<TaskId, Set<string>>();

  constructor(tools: PlacesTools) {
    this.#tools = tools;
  }

  async of(task: Task): Promise<Place> {
    return task.isolation ? (await this.tree(task)).place : this.#tools.project;
  }

  /** Throws a `FailureError` when there can be none; the next one who asks tries again. */
  async tree(task: Task): Promise<OwnTree> {
    let tree = this.#trees.get(task.id);
    if (!tree) {
      tree = this.#open(task);
      this.#trees.set(task.id, tree);
    }
    try {
      return await tree;
    } catch (error) {
      this.#trees.delete(task.id);
      throw error;
    }
  }

  /** For who only looks: what an earlier attempt had before it may have been made better elsewhere since. */
  async freshTree(task: Task): Promise<OwnTree> {
    if (this.#tools.recordOf(task)) {
      await (await this.tree(task)).restore();
      await this.close(task);
    }
    return this.tree(task);
  }

  /** Before another attempt: what was mended and committed meanwhile has to reach it. */
  async caughtUp(task: Task): Promise<OwnTree> {
    const known = this.#tools.recordOf(task);
    const found = known && (await this.#isolation.catchUp(task, known));
    if (!known || !found) return this.tree(task);
    const about = { task: task.id, branch: known.branch, into: known.into };
    if ('conflicts' in found) {
      this.#tools.record([{ type: 'worktree-behind', ...about, files: found.conflicts }]);
      return this.tree(task);
    }
    const { carried, protection } = found.record;
    const kept = protection === undefined ? {} : { protection };
    this.#tools.record([{ type: 'worktree-updated', ...about, commit: found.commit, carried, ...kept }]);
    this.#trees.delete(task.id);
    return this.tree(task);
  }

  /** Its task is not at work there until it wakes: without a sandbox other agents could write there, and it would pass for its work. */
  rest(task: Task, tree: OwnTree): void {
    if (this.#tools.recordOf(task) && !tree.broken()) this.#resting.set(task.id, tree.atRest());
  }

  /** Looks, and goes on resting. */
  #look({ id }: Task): void {
    const found = this.#resting.get(id)?.() ?? [];
    if (found.length > 0) this.#stirred.set(id, new Set([...(this.#stirred.get(id) ?? []), ...found]));
  }

  /** Whoever mends works there in the place of the task. */
  async mending<Value>(task: Task, mend: (place: Place) => Promise<Value>): Promise<Value> {
    if (!task.isolation) return mend(this.#tools.project);
    const tree = await this.tree(task);
    this.#look(task);
    this.#resting.delete(task.id);
    try {
      return await mend(tree.place);
    } finally {
      this.rest(task, tree);
    }
  }

  /** What somebody else has written there while it rested: then its worktree is not its work any more, and stays. */
  disturbed(task: Task, { wakes, beside }: Waking): Failure | undefined {
    this.#look(task);
    if (wakes) this.#resting.delete(task.id);
    const files = [...(this.#stirred.get(task.id) ?? [])].sort();
    const known = this.#tools.recordOf(task);
    if (files.length === 0 || !known) return undefined;
    this.#forget(task);
    const { branch, path } = known;
    this.#tools.record([
      { type: 'worktree-kept', task: task.id, branch, path, why: `${path} holds what others wrote` },
    ]);
    return { code: 'worktree-written', path, files, ...(beside.length > 0 ? { beside } : {}) };
  }

  #forget({ id }: Task): void {
    this.#trees.delete(id);
    this.#resting.delete(id);
    this.#stirred.delete(id);
  }

  /** The work is merged: the worktree that the journal tells of goes, and who comes next begins anew. */
  async close(task: Task): Promise<void> {
    this.#forget(task);
    const known = this.#tools.recordOf(task);
    if (!known) return;
    const { branch, path } = known;
    const why = await this.#isolation.remove(known);
    this.#tools.record([
      why === undefined
        ? { type: 'worktree-removed', task: task.id, branch }
        : { type: 'worktree-kept', task: task.id, branch, path, why },
    ]);
  }

  async #open(task: Task): Promise<OwnTree> {
    const { recordOf, committedOf, record } = this.#tools;
    const known = recordOf(task);
    if (known) return this.#isolation.goOn(task, known, committedOf(task));
    const tree = await this.#isolation.begin(task);
    record([{ type: 'worktree-created', task: task.id, ...tree.record }]);
    return tree;
  }

  get #isolation(): Isolation {
    const { isolation } = this.#tools;
    if (isolation) return isolation;
    throw new FailureError({ code: 'worktree-failed', detail: 'there is no git here', fix: noGit });
  }
}

interface Waking {
  /** It goes to work again. */
  readonly wakes: boolean;
  /** Who else is at work. */
  readonly beside: readonly TaskId[];
}

const noGit = 'Run the study in a git repository, or take isolation out of the stage';
