import type { Progress, ProgressStep } from '../model/ports.js';
import { waitingText } from '../report/live/waiting-text.js';

/**
 * One line at the bottom of a terminal for whoever has waited two seconds without a word. It is drawn from inside of what
 * takes so long, because most of that never lets a timer in, and taken away before anything else is written.
 */
export class WaitingLine implements Progress {
  readonly #draw: (text: string) => void;
  readonly #columns: () => number;
  readonly #now: () => number;
  #step: ProgressStep | undefined;
  #phaseAt = 0;
  #quietSince: number;
  #drawnAt = 0;
  #isUp = false;
  #isHeld = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: { write(text: string): void; columns(): number; now?(): number }) {
    this.#draw = options.write;
    this.#columns = options.columns;
    this.#now = options.now ?? (() => performance.now());
    this.#quietSince = this.#now();
  }

  at(step: ProgressStep): void {
    if (this.#isHeld) return;
    const now = this.#now();
    if (step.what !== this.#step?.what) this.#phaseAt = now;
    this.#step = step;
    this.#look(now);
    // What waits for others does let a timer in.
    this.#timer ??= setInterval(() => this.#look(this.#now()), everyMs).unref();
  }

  /** Something else is written now, and the waiting begins anew. */
  clear(): void {
    if (this.#isUp) this.#draw('\r\u001b[K');
    this.#isUp = false;
    this.#quietSince = this.#now();
  }

  /** Somebody else shows what goes on. */
  hold(): void {
    this.clear();
    this.#isHeld = true;
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#step = undefined;
  }

  goOn(): void {
    this.#isHeld = false;
    this.#quietSince = this.#now();
  }

  #look(now: number): void {
    if (!this.#step || now - this.#quietSince < patienceMs || now - this.#drawnAt < everyMs) return;
    this.#drawnAt = now;
    const text = waitingText(this.#step, { ms: now - this.#quietSince, phaseMs: now - this.#phaseAt });
    this.#draw(`\r\u001b[K${text.slice(0, Math.max(1, this.#columns() - 1))}`);
    this.#isUp = true;
  }
}

const patienceMs = 2000;
const everyMs = 200;

/** Where nobody looks. */
export const noWaitingLine = { at: () => {}, clear: () => {}, hold: () => {}, goOn: () => {} } as const;
