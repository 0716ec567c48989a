import type { TaskId } from '../model/plan.js';

/** What is done again in the middle of a run, once none of it is under way any more. */
export class Redo {
  readonly #underWay = new Set<TaskId>();
  readonly #wanted: ReadonlySet<TaskId>[] = [];
  readonly #reopen: (tasks: ReadonlySet<TaskId>) => void;

  constructor(reopen: (tasks: ReadonlySet<TaskId>) => void) {
    this.#reopen = reopen;
  }

  begin(task: TaskId): void {
    this.#underWay.add(task);
  }

  /** Lets what is to be done again be so, when this was the last of it. */
  end(task: TaskId): void {
    this.#underWay.delete(task);
    for (const tasks of [...this.#wanted]) {
      if ([...tasks].some((id) => this.#underWay.has(id))) continue;
      this.#wanted.splice(this.#wanted.indexOf(tasks), 1);
      this.#reopen(tasks);
    }
  }

  want(tasks: readonly TaskId[]): void {
    this.#wanted.push(new Set(tasks));
  }

  /** It is done again anyway, so it does not begin now. */
  isHeld(task: TaskId): boolean {
    return this.#wanted.some((tasks) => tasks.has(task));
  }
}
