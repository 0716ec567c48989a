const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Whoever reads without letting go hears no signal: its listeners are called when it is over, and that may be tomorrow. Until
 * they are put back a signal does what it does to any program and ends this one; the journal is written, commands end with
 * their helper, and `exec` goes on from there. Answers with how to put them back.
 */
export function letSignalsThrough(): () => void {
  const heard = signals.map((signal) => [signal, process.rawListeners(signal)] as const);
  for (const signal of signals) process.removeAllListeners(signal);
  return () => {
    for (const [signal, listeners] of heard)
      for (const listener of listeners) process.on(signal, listener as NodeJS.SignalsListener);
  };
}
