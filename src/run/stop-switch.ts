import { setMaxListeners } from 'node:events';
import type { Clock } from '../model/ports.js';

/** How a run is told to stop: once means no new tasks and a polite end for those that run, twice means at once. */
export class StopSwitch {
  #stop = new AbortController();
  #kill = new AbortController();

  constructor() {
    // Every running task listens, and there may be thousands.
    setMaxListeners(0, this.#stop.signal, this.#kill.signal);
  }

  /** The signal that stopped the run, once one has. */
  get signal(): string | undefined {
    return this.#stop.signal.aborted ? String(this.#stop.signal.reason) : undefined;
  }

  get stopping(): AbortSignal {
    return this.#stop.signal;
  }

  get killing(): AbortSignal {
    return this.#kill.signal;
  }

  stop(signal: string): void {
    if (this.#stop.signal.aborted) this.kill(signal);
    else this.#stop.abort(signal);
  }

  kill(signal: string): void {
    if (!this.#stop.signal.aborted) this.#stop.abort(signal);
    this.#kill.abort(signal);
  }

  /** Answers with how to be told no more: in a loop one switch outlives many runs. */
  onStop(callback: (signal: string) => void): () => void {
    const listener = (): void => callback(String(this.#stop.signal.reason));
    this.#stop.signal.addEventListener('abort', listener, { once: true });
    return () => this.#stop.signal.removeEventListener('abort', listener);
  }

  /**
   * True after the time has passed, false as soon as the run is stopped. It has passed when the clock says so, too: what is
   * waited for comes also while the machine sleeps.
   */
  pause(ms: number, clock: Clock): Promise<boolean> {
    if (this.#stop.signal.aborted) return Promise.resolve(false);
    if (ms <= 0) return Promise.resolve(true);
    return new Promise((resolve) => {
      const { signal } = this.#stop;
      const dueAt = clock.now() + ms;
      const stopped = (): void => {
        cancel();
        resolve(false);
      };
      const wait = (leftMs: number): (() => void) => {
        const stepMs = Math.min(leftMs, lookEveryMs);
        return clock.after(stepMs, () => {
          const stillMs = Math.min(leftMs - stepMs, dueAt - clock.now());
          if (stillMs > 0) cancel = wait(stillMs);
          else {
            signal.removeEventListener('abort', stopped);
            resolve(true);
          }
        });
      };
      let cancel = wait(ms);
      signal.addEventListener('abort', stopped, { once: true });
    });
  }
}

/** How often a long pause looks at the clock. */
const lookEveryMs = 30_000;
