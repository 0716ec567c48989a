import type { StopSwitch } from '../run/stop-switch.js';

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** The first signal asks the run to stop, the second ends it. Returns how to stop listening. */
export function listenForSignals(stop: StopSwitch): () => void {
  const listeners = signals.map((signal) => [signal, () => stop.stop(signal)] as const);
  for (const [signal, listener] of listeners) process.on(signal, listener);
  return () => {
    for (const [signal, listener] of listeners) process.off(signal, listener);
  };
}
