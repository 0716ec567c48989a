import type { Clock } from '../model/ports.js';

/** How a run is told to stop: once means no new tasks and a polite end for those that run, twice means at once. */
export class StopSwitch {
  #stop = new AbortController();
  #kill = new AbortController();

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

  onStop(callback: (signal: string) => void): void {
    this.#stop.signal.addEventListener('abort', () => callback(String(this.#stop.signal.reason)), { once: true });
  }

  /** True after the time has passed, false as soon as the run is stopped. */
  pause(ms: number, clock: Clock): Promise<boolean> {
    if (this.#stop.signal.aborted) return Promise.resolve(false);
    return new Promise((resolve) => {
      const cancel = clock.after(ms, () => resolve(true));
      this.onStop(() => {
        cancel();
        resolve(false);
      });
    });
  }
}
