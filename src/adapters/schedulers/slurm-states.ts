import type { JobHow, JobStanding } from '../../model/scheduler.js';

/** Every state that Slurm knows, in long form. */
const meaning: Readonly<Record<string, JobStanding['kind'] | 'limbo' | JobHow>> = {
  PENDING: 'waiting',
  CONFIGURING: 'waiting',
  SUSPENDED: 'waiting',
  STOPPED: 'waiting',
  REQUEUED: 'waiting',
  REQUEUE_FED: 'waiting',
  REQUEUE_HOLD: 'waiting',
  RESV_DEL_HOLD: 'waiting',
  SPECIAL_EXIT: 'waiting',
  RUNNING: 'running',
  COMPLETING: 'running',
  RESIZING: 'running',
  SIGNALING: 'running',
  STAGE_OUT: 'running',
  // It usually comes back; one that does not would be waited for without end.
  PREEMPTED: 'limbo',
  COMPLETED: 'completed',
  FAILED: 'failed',
  CANCELLED: 'cancelled',
  REVOKED: 'cancelled',
  TIMEOUT: 'timed-out',
  DEADLINE: 'deadline',
  OUT_OF_MEMORY: 'out-of-memory',
  NODE_FAIL: 'node-failed',
  BOOT_FAIL: 'not-started',
  LAUNCH_FAILED: 'not-started',
  RECONFIG_FAIL: 'not-started',
};

export interface SlurmRow {
  readonly state: string;
  readonly reason?: string;
  /** As Slurm writes it: the exit code and the signal, `3:0`. */
  readonly exit?: string;
}

/** `CANCELLED by 1000` and `CANCELLED+` are CANCELLED. A word that nobody knows is no answer. */
export function slurmStanding({ state, reason, exit }: SlurmRow): JobStanding {
  const word = /^[A-Z_]+/.exec(state)?.[0] ?? '';
  const known = Object.hasOwn(meaning, word) ? meaning[word] : undefined;
  const detail = reason === undefined || reason === 'None' || reason === '' ? {} : { detail: reason };
  switch (known) {
    case undefined:
      return { kind: 'unreachable', detail: `Slurm says ${JSON.stringify(state)}, a state that nobody here knows` };
    case 'limbo':
      return { kind: 'waiting', word, limbo: true, ...detail };
    case 'waiting':
    case 'running':
      return { kind: known, word, ...detail };
    default:
      return { kind: 'ended', how: howOf(known as JobHow, reason), word, ...detail, ...codeOf(exit) };
  }
}

/** A job whose script never began looks like any other that failed. */
const howOf = (how: JobHow, reason: string | undefined): JobHow =>
  how === 'failed' && reason === 'JobLaunchFailure' ? 'not-started' : how;

/** Zero is not told: a job that was ended by a signal has it too. */
function codeOf(exit: string | undefined): { exitCode?: number } {
  const code = Number(/^(\d+):\d+$/.exec(exit ?? '')?.[1]);
  return code > 0 ? { exitCode: code } : {};
}
