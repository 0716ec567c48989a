import type { CallSignals } from '../../../model/agents/agent.js';
import { formatDuration } from '../../../model/duration.js';
import type { Clock } from '../../../model/ports.js';
import { CallEnd } from './call-end.js';

export interface WatchLimits {
  readonly clock: Clock;
  readonly stepMs: number;
  readonly timeoutMs?: number;
}

/** Time and the run's stop signals, over one call. What ends it first is the reason, whatever comes back afterwards. */
export class CallWatch {
  readonly #limits: WatchLimits;
  readonly #signals: CallSignals;
  readonly #controller = new AbortController();
  readonly #cancelTotal: () => void;
  #cancelStep: () => void = () => {};
  #end: CallEnd | undefined;

  constructor(limits: WatchLimits, signals: CallSignals) {
    this.#limits = limits;
    this.#signals = signals;
    const { clock, timeoutMs } = limits;
    this.#cancelTotal =
      timeoutMs === undefined
        ? () => {}
        : clock.after(timeoutMs, () => this.#stop('timed-out', `it took longer than ${formatDuration(timeoutMs)}`));
    for (const signal of [signals.stop, signals.kill]) {
      signal.addEventListener('abort', this.#cancelled);
      if (signal.aborted) this.#cancelled();
    }
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Fires when there is no time left for a gentle end. */
  get kill(): AbortSignal {
    return this.#signals.kill;
  }

  /** A step of a helper takes the place of the step that asked for it: there is one step at a time. */
  beginStep(): void {
    this.check();
    this.#cancelStep();
    const { clock, stepMs } = this.#limits;
    this.#cancelStep = clock.after(stepMs, () =>
      this.#stop('timed-out', `one step took longer than ${formatDuration(stepMs)}`),
    );
  }

  check(): void {
    if (this.#end) throw this.#end;
  }

  async sleep(ms: number): Promise<void> {
    this.check();
    await new Promise<void>((resolve) => {
      const done = (): void => {
        cancel();
        this.signal.removeEventListener('abort', done);
        resolve();
      };
      const cancel = this.#limits.clock.after(ms, done);
      this.signal.addEventListener('abort', done);
    });
    this.check();
  }

  close(): void {
    this.#cancelStep();
    this.#cancelTotal();
    for (const signal of [this.#signals.stop, this.#signals.kill]) signal.removeEventListener('abort', this.#cancelled);
  }

  readonly #cancelled = (): void => {
    const { stop, kill } = this.#signals;
    this.#stop('cancelled', `stopped by ${String((stop.aborted ? stop : kill).reason)}`);
  };

  #stop(why: 'timed-out' | 'cancelled', detail: string): void {
    if (this.#end) return;
    this.#end = new CallEnd(why, detail);
    this.#controller.abort(this.#end);
  }
}
