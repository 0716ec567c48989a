import type { Task, TaskId } from '../model/plan.js';

/** Keeps the tasks of a stage from being at work all at once, where the stage says how many may be. */
export class Lanes {
  readonly #busy = new Map<string, number>();
  /** Tasks that could start but for this, in order. */
  #held: Task[] = [];

  /** The next task that may start; `next` gives those whose needs are done. */
  take(next: () => Task | undefined): Task | undefined {
    const freed = this.#held.findIndex((task) => this.#hasRoom(task));
    if (freed >= 0) return this.#held.splice(freed, 1)[0];
    for (;;) {
      const task = next();
      if (!task || this.#hasRoom(task)) return task;
      this.#held.push(task);
    }
  }

  /** These are done again, and come anew. */
  drop(tasks: ReadonlySet<TaskId>): void {
    this.#held = this.#held.filter(({ id }) => !tasks.has(id));
  }

  begin(task: Task): void {
    if (task.parallel !== undefined) this.#busy.set(task.stage, this.#count(task) + 1);
  }

  end(task: Task): void {
    if (task.parallel !== undefined) this.#busy.set(task.stage, this.#count(task) - 1);
  }

  #count({ stage }: Task): number {
    return this.#busy.get(stage) ?? 0;
  }

  #hasRoom(task: Task): boolean {
    return task.parallel === undefined || this.#count(task) < task.parallel;
  }
}
