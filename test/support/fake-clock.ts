import type { Clock } from '../../src/model/ports.js';

/** Time that moves when the test says so. */
export class FakeClock implements Clock {
  #now: number;
  #timers = new Map<number, { at: number; callback: () => void }>();
  #next = 0;

  constructor(now = Date.UTC(2026, 0, 1)) {
    this.#now = now;
  }

  now(): number {
    return this.#now;
  }

  after(ms: number, callback: () => void): () => void {
    const id = this.#next++;
    this.#timers.set(id, { at: this.#now + ms, callback });
    return () => void this.#timers.delete(id);
  }

  /** Sets the clock without time passing: no timer comes nearer. */
  jump(ms: number): void {
    this.#now += ms;
    for (const timer of this.#timers.values()) timer.at += ms;
  }

  get pending(): number {
    return this.#timers.size;
  }

  /** Moves on, firing what falls due on the way, in order. */
  advance(ms: number): void {
    const until = this.#now + ms;
    for (;;) {
      const due = [...this.#timers]
        .filter(([, timer]) => timer.at <= until)
        .sort((a, b) => a[1].at - b[1].at || a[0] - b[0])[0];
      if (!due) break;
      this.#timers.delete(due[0]);
      this.#now = Math.max(this.#now, due[1].at);
      due[1].callback();
    }
    this.#now = until;
  }
}
