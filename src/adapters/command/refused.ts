import type { Failure } from '../../model/failure.js';
import type { RunningCommand } from '../../model/ports.js';

/** A command that never came to be. */
export const refused = (failure: Failure): RunningCommand => ({
  exit: Promise.resolve({ kind: 'not-started', failure }),
  stop() {},
  kill() {},
});
