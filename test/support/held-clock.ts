import { systemClock } from '../../src/adapters/system-clock.js';
import type { Clock } from '../../src/model/ports.js';

/** Time that stands still until it is let go: a limit counts from there, however long a program takes until it is at work. */
export class HeldClock implements Clock {
  readonly #since = systemClock.now();
  readonly #waiting = new Set<() => void>();
  #letGoAt: number | undefined;

  now(): number {
    return this.#letGoAt === undefined ? this.#since : this.#since + systemClock.now() - this.#letGoAt;
  }

  after(ms: number, callback: () => void): () => void {
    if (this.#letGoAt !== undefined) return systemClock.after(ms, callback);
    let cancel: () => void;
    const begin = (): void => {
      cancel = systemClock.after(ms, callback);
    };
    cancel = () => void this.#waiting.delete(begin);
    this.#waiting.add(begin);
    return () => cancel();
  }

  letGo(): void {
    this.#letGoAt = systemClock.now();
    for (const begin of this.#waiting) begin();
    this.#waiting.clear();
  }
}
