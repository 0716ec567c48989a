import { isAlive, type KnownProcess, knownProcess } from './known-process.js';

/**
 * Processes that were told to end. A kill takes effect when the kernel comes to it, and by then what it was found by (its parent,
 * its environment, its open files) may be gone before the process itself is: who says "gone" asks here first.
 */
export class EndedProcesses {
  readonly #told: KnownProcess[] = [];
  readonly #pids = new Set<number>();

  /** Kills it, and says whether it could be told. */
  end(pid: number): boolean {
    const known = knownProcess(pid);
    this.#pids.add(pid);
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // Gone by itself, or not ours.
      return false;
    }
    // Without a start time it had ended already, or nothing could tell it from its successor (no /proc).
    if (known.started !== '') this.#told.push(known);
    return true;
  }

  /** How many different ones were told. */
  get count(): number {
    return this.#pids.size;
  }

  /** Whether one of them is still there. */
  someLeft(): boolean {
    for (let each = this.#told.at(-1); each !== undefined; each = this.#told.at(-1)) {
      if (isAlive(each)) return true;
      this.#told.pop();
    }
    return false;
  }
}
