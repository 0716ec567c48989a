import { FailureError } from '../model/failure.js';

/**
 * Lets others go on. Files are read synchronously because that is faster, but a tree of gigabytes must not keep the timers
 * of a whole run from firing.
 */
export class Pace {
  readonly #signal: AbortSignal | undefined;
  #since = performance.now();

  constructor(signal?: AbortSignal) {
    this.#signal = signal;
  }

  async step(): Promise<void> {
    if (performance.now() - this.#since < longestMs) return;
    await new Promise((done) => setImmediate(done));
    this.#since = performance.now();
    if (this.#signal?.aborted) throw new FailureError({ code: 'cancelled', signal: String(this.#signal.reason) });
  }
}

const longestMs = 20;
