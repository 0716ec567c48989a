import { literally } from '../../model/glob.js';
import type { Task, TaskId } from '../../model/plan.js';

/**
 * Who may have written what while somebody else was at work. Tasks that run side by side share one tree, so a change is
 * put down to the one that declared it.
 */
export class Claims {
  readonly #running = new Map<TaskId, Task>();
  readonly #windows = new Set<Map<TaskId, Task>>();
  /** What was merged into the project, by whom. */
  readonly #merged: (readonly [TaskId, readonly string[]])[] = [];
  /** Turns of planners that are not over, and how many there have been. */
  readonly #planning = new Set<Promise<void>>();
  #planned = 0;

  /** Answers with how to end it. */
  begin(task: Task): () => void {
    this.#running.set(task.id, task);
    for (const window of this.#windows) window.set(task.id, task);
    return () => this.#running.delete(task.id);
  }

  /** The same task for a while as somebody else who writes other files; who watched meanwhile has seen both. */
  during(task: Task): () => void {
    const before = this.#running.get(task.id);
    const end = this.begin(task);
    return () => {
      if (before) this.#running.set(task.id, before);
      else end();
    };
  }

  /** The same for a planner, whose files lie changed in the checkout until they are committed or put back. */
  planning(task: Task): () => void {
    const end = this.during(task);
    let over!: () => void;
    const turn = new Promise<void>((resolve) => {
      over = resolve;
    });
    this.#planning.add(turn);
    this.#planned += 1;
    return () => {
      end();
      this.#planning.delete(turn);
      over();
    };
  }

  /** What a planner has not finished is nobody's change: who is in the way of it tries again when the planner is done. */
  async besidePlanners<Value>(act: () => Promise<Value>, isInTheWay: (error: unknown) => boolean): Promise<Value> {
    for (;;) {
      const [underWay, before] = [this.#planning.size, this.#planned];
      try {
        return await act();
      } catch (error) {
        if (!isInTheWay(error) || (underWay === 0 && this.#planned === before)) throw error;
        await Promise.all(this.#planning);
      }
    }
  }

  /** Who else is at work. */
  atWork(than: TaskId): readonly Task[] {
    return [...this.#running.values()].filter(({ id }) => id !== than);
  }

  /** Files of the project that are a task's work, whether it has declared them or not. */
  merged(task: TaskId, files: readonly string[]): void {
    this.#merged.push([task, files]);
  }

  /** Watches from now on; answers with the patterns of all other tasks that have run since. */
  watch(task: TaskId): ClaimWatch {
    const seen = new Map(this.#running);
    const begun = this.#merged.length;
    this.#windows.add(seen);
    const others = (): Task[] => [...seen.values()].filter(({ id }) => id !== task);
    const merged = (): string[] =>
      this.#merged.slice(begun).flatMap(([id, files]) => (id === task ? [] : files.map(literally)));
    return {
      patterns: () => [...others().flatMap(writtenBy), ...merged()],
      // Who has a worktree is not at work in the project.
      inCheckout: () =>
        others()
          .filter(({ isolation }) => !isolation)
          .flatMap(writtenBy),
      others: () => others().map(({ id }) => id),
      end: () => this.#windows.delete(seen),
    };
  }
}

export interface ClaimWatch {
  patterns(): readonly string[];
  /** Of those that work in the project itself. */
  inCheckout(): readonly string[];
  /** Who ran meanwhile. */
  others(): readonly TaskId[];
  end(): void;
}

export const writtenBy = ({ outputs, description, scope = [] }: Task): readonly string[] => [
  ...outputs,
  ...(description.writes ?? []),
  ...scope,
];
