import { statSync } from 'node:fs';
import type { Clock } from '../../model/ports.js';

export interface IdleWatchOptions {
  readonly stdoutFile: string;
  readonly stderrFile: string;
  readonly idleMs: number;
  readonly clock: Clock;
  /** Called once, when neither file changed its size for `idleMs`. */
  onIdle(): void;
}

/** Watches the logs of a command by looking at their sizes; returns how to stop watching. */
export function idleWatch({ stdoutFile, stderrFile, idleMs, clock, onIdle }: IdleWatchOptions): () => void {
  const everyMs = Math.min(idleMs / 4, 1000);
  let sizes = sizesOf(stdoutFile, stderrFile);
  let lookedAt = clock.now();
  let quietMs = 0;
  let cancel = clock.after(everyMs, look);
  return () => cancel();

  function look(): void {
    const now = clock.now();
    const current = sizesOf(stdoutFile, stderrFile);
    // A machine that slept, or a runner that was stopped, did not see the command be quiet in that time.
    quietMs = current === sizes ? quietMs + Math.min(Math.max(now - lookedAt, 0), 2 * everyMs) : 0;
    sizes = current;
    lookedAt = now;
    if (quietMs >= idleMs) onIdle();
    else cancel = clock.after(Math.max(1, Math.min(everyMs, idleMs - quietMs)), look);
  }
}

const sizesOf = (...files: readonly string[]): string => files.map(sizeOf).join(' ');

function sizeOf(file: string): number {
  try {
    return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  } catch {
    return 0;
  }
}
