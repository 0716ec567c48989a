import { closeSync, openSync } from 'node:fs';
import { isatty } from 'node:tty';
import type { StopSwitch } from '../run/stop-switch.js';

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * The first signal asks the run to stop, the second ends it. That the terminal was closed is nothing to a run that was left behind: Node
 * forgets what `nohup` told it, so it is known by its having turned away from the terminal. `outlived` is told then. Returns how to stop listening.
 */
export function listenForSignals(stop: StopSwitch, outlived: () => void): () => void {
  const isLeftBehind = hasTurnedAway();
  const listeners = signals.map((signal) => {
    const listener = signal === 'SIGHUP' && isLeftBehind ? outlived : () => stop.stop(signal);
    return [signal, listener] as const;
  });
  for (const [signal, listener] of listeners) process.on(signal, listener);
  return () => {
    for (const [signal, listener] of listeners) process.off(signal, listener);
  };
}

/** Belongs to a terminal, and neither reads from it nor writes to it. Whoever has no terminal at all means SIGHUP when they send it. */
function hasTurnedAway(): boolean {
  if ([0, 1, 2].some((fd) => isatty(fd))) return false;
  try {
    closeSync(openSync('/dev/tty', 'r'));
    return true;
  } catch {
    return false;
  }
}
