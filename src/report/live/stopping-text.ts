import { wholeSeconds } from './progress-text.js';
import type { RunView } from './run-view.js';

/** A run that has been told to stop, and when what still runs then is killed. */
export interface Stopping {
  readonly signal: string;
  /** Milliseconds since 1970; undefined when nobody said how long it takes. */
  readonly killAt?: number;
}

export const stoppingAt = (signal: string, now: number, graceMs: number | undefined): Stopping =>
  graceMs === undefined ? { signal } : { signal, killAt: now + graceMs };

/** The line that counts down. `running` is how many tasks still have to end. */
export function stoppingText({ signal, killAt }: Stopping, running: number, now: number): string {
  const why = `Stopping because of ${signal}`;
  if (running === 0) return `${why}.`;
  if (killAt === undefined) return `${why}; waiting for ${running} running. Once more ends them at once.`;
  if (killAt <= now) return `${why}; ${running} running, being killed.`;
  // Rounded up, so that it never says 0 while there is time left. Short, so that it fits a narrow terminal.
  return `${why}; ${running} running, killed in ${wholeSeconds(killAt - now + 999)}. Once more kills now.`;
}

/** Tasks that wait for their next attempt have nothing to be ended. */
export const stillRunning = (view: RunView): number =>
  [...view.running.values()].filter(({ retry }) => retry === undefined).length;
