import type { Clock } from '../../model/ports.js';

/** Where a reporter writes: a terminal, a pipe, or a test. Sizes are asked for anew each time, because windows change. */
export interface ReportTarget {
  write(text: string): void;
  columns(): number;
  rows(): number;
  readonly color: boolean;
  readonly unicode: boolean;
}

/** The time for views. Tests bring their own. */
export const viewClock: Clock = {
  now: () => Date.now(),
  after(ms, callback) {
    const timer = setTimeout(callback, ms);
    return () => clearTimeout(timer);
  },
};
