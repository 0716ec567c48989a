import type { FailureCode } from './failure.js';

export const exitCode = {
  passed: 0,
  failed: 1,
  usage: 2,
  waiting: 3,
  integrity: 4,
  overBudget: 5,
  locked: 6,
  bug: 70,
  interrupted: 130,
  terminated: 143,
} as const;

/** Total on purpose: a failure without a number does not compile. */
export const failureExitCode: Record<FailureCode, number> = {
  'command-failed': exitCode.failed,
  'command-killed': exitCode.failed,
  'command-not-found': exitCode.failed,
  'command-not-started': exitCode.failed,
  'timed-out': exitCode.failed,
  'idle-timed-out': exitCode.failed,
  'output-missing': exitCode.failed,
  'output-empty': exitCode.failed,
  'output-not-written': exitCode.failed,
  'output-invalid': exitCode.failed,
  'input-missing': exitCode.failed,
  'behaviour-failed': exitCode.failed,
  'behaviour-crashed': exitCode.failed,
  cancelled: exitCode.interrupted,
  'disk-full': exitCode.failed,
  'not-writable': exitCode.failed,
  'journal-corrupt': exitCode.integrity,
  'run-not-found': exitCode.usage,
  'plan-mismatch': exitCode.usage,
  locked: exitCode.locked,
};
