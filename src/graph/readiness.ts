import { IndexHeap } from './index-heap.js';
import { type GraphTask, type Links, link } from './links.js';

/** Which tasks may start now, as others finish. Knows nothing of why a task finished. */
export class Readiness {
  #tasks: readonly GraphTask[];
  #links: Links;
  #waiting: Int32Array;
  #finished: Uint8Array;
  #taken: Uint8Array;
  #ready = new IndexHeap();
  #pending: number;

  constructor(tasks: readonly GraphTask[]) {
    this.#tasks = tasks;
    this.#links = link(tasks);
    this.#waiting = this.#links.incoming.slice();
    this.#finished = new Uint8Array(tasks.length);
    this.#taken = new Uint8Array(tasks.length);
    this.#pending = tasks.length;
    for (let index = 0; index < tasks.length; index += 1) if (this.#waiting[index] === 0) this.#ready.push(index);
  }

  /** Tasks that have not finished, whether they were taken or not. */
  get pending(): number {
    return this.#pending;
  }

  /** The first task in plan order whose needs have all finished; each task is handed out once. */
  take(): string | undefined {
    for (;;) {
      const index = this.#ready.pop();
      if (index === undefined) return undefined;
      if (this.#finished[index] === 1 || this.#taken[index] === 1) continue;
      this.#taken[index] = 1;
      return this.#tasks[index]!.id;
    }
  }

  /** A good guess at what comes next: the next in line, else one that waits for nothing but this task. */
  upcoming(id: string): string | undefined {
    const index =
      this.#ready.smallest ??
      this.#links.outgoing[this.#indexOf(id)]!.find((node) => node < this.#links.tasks && this.#waiting[node] === 1);
    return index === undefined ? undefined : this.#tasks[index]!.id;
  }

  /** Lets the dependants go on. Also good for a task that was never taken, such as one that finished in an earlier run. */
  finish(id: string): void {
    const index = this.#indexOf(id);
    if (this.#finished[index] === 1) throw new Error(`${id} finished twice`);
    this.#finished[index] = 1;
    this.#pending -= 1;
    this.#release(index);
  }

  /** The same for a graph with more tasks in it: what was handed out or has finished stays so. */
  extended(tasks: readonly GraphTask[]): Readiness {
    const next = new Readiness(tasks);
    this.#tasks.forEach(({ id }, index) => {
      const at = next.#links.indexOf.get(id);
      if (at === undefined) return;
      if (this.#finished[index] === 1) next.finish(id);
      else if (this.#taken[index] === 1) next.#taken[at] = 1;
    });
    return next;
  }

  /** These have to be done again. With each of them goes everything that needs it; nobody may be at work on one. */
  reopen(ids: Iterable<string>): void {
    for (const id of ids) {
      const index = this.#indexOf(id);
      this.#pending += this.#finished[index]!;
      this.#finished[index] = 0;
      this.#taken[index] = 0;
    }
    // Counted afresh: rare, and simpler than undoing what was counted.
    this.#waiting = this.#links.incoming.slice();
    this.#ready = new IndexHeap();
    for (let index = 0; index < this.#tasks.length; index += 1) if (this.#finished[index] === 1) this.#release(index);
    this.#ready = new IndexHeap();
    for (let index = 0; index < this.#tasks.length; index += 1) {
      const isReady = this.#waiting[index] === 0 && this.#finished[index] === 0 && this.#taken[index] === 0;
      if (isReady) this.#ready.push(index);
    }
  }

  /** The tasks that need this one directly, in plan order. */
  dependants(id: string): readonly string[] {
    const found = new Set<number>();
    for (const node of this.#links.outgoing[this.#indexOf(id)]!) {
      if (node < this.#links.tasks) found.add(node);
      else for (const task of this.#links.outgoing[node]!) found.add(task);
    }
    return [...found].sort((a, b) => a - b).map((index) => this.#tasks[index]!.id);
  }

  /** The direct needs that have not finished. */
  waitingFor(id: string): readonly string[] {
    const { needs } = this.#tasks[this.#indexOf(id)]!;
    return needs.filter((need) => this.#finished[this.#indexOf(need)] === 0);
  }

  #release(node: number): void {
    for (const dependant of this.#links.outgoing[node]!) {
      this.#waiting[dependant]! -= 1;
      if (this.#waiting[dependant] !== 0) continue;
      if (dependant < this.#links.tasks) this.#ready.push(dependant);
      else this.#release(dependant);
    }
  }

  #indexOf(id: string): number {
    const index = this.#links.indexOf.get(id);
    if (index === undefined) throw new Error(`${id} is not a task of this graph`);
    return index;
  }
}
