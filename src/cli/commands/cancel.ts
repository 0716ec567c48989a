import type { RunStore } from '../../adapters/journal/run-store.js';
import { askToCancel, withdrawRequest } from '../../adapters/lock/cancel-request.js';
import type { Holder } from '../../adapters/lock/lock-file.js';
import { lockedBy, lookAtLock, takeLock } from '../../adapters/lock/state-lock.js';
import { isAlive, isNear } from '../../adapters/process/known-process.js';
import { backgroundClock, systemClock } from '../../adapters/system-clock.js';
import type { Outcome } from '../../model/events/event.js';
import { exitCode } from '../../model/exit-code.js';
import { FailureError } from '../../model/failure.js';
import type { Clock } from '../../model/ports.js';
import * as words from '../../report/history/lock-text.js';
import type { CliContext } from '../context.js';
import { storeFor } from '../history/open-run.js';

export async function run(context: CliContext): Promise<number> {
  const say = (text: string): void => (context.quiet ? undefined : context.stdout.write(text));
  const store = await storeFor(context);
  const now = context.flag('now');
  const code = await cancel(store, { now, clock: systemClock, say, complain: context.stderr.write });
  if (code !== exitCode.passed || context.flag('keep-jobs')) return code;
  return endJobs(store, context, say);
}

/** What the runner let go of, or left behind, is at work on a cluster. */
async function endJobs(store: RunStore, context: CliContext, say: (text: string) => void): Promise<number> {
  const newest = store.ids().find((id) => hasLiveJobs(store, id));
  if (newest === undefined) return exitCode.passed;
  const lock = takeLock(store.dir, { clock: backgroundClock });
  try {
    const { cancelJobs } = await import('../jobs/cancel-jobs.js');
    const { cancelledJobsText } = await import('../../report/history/job-text.js');
    const { ended, left } = await cancelJobs(store, newest, context);
    say(cancelledJobsText(ended, []));
    if (left.length > 0) context.stderr.write(cancelledJobsText([], left));
    return left.length > 0 ? exitCode.failed : exitCode.passed;
  } finally {
    lock.release();
  }
}

function hasLiveJobs(store: RunStore, run: string): boolean {
  try {
    return [...(store.read(run)?.state?.jobs.values() ?? [])].some(({ end }) => end === undefined);
  } catch {
    // A journal that cannot be trusted names no jobs.
    return false;
  }
}

export interface CancelOptions {
  /** End what runs at once. */
  readonly now: boolean;
  readonly clock: Clock;
  say(text: string): void;
  complain(text: string): void;
}

/** Asks the live run to stop, by a signal where that reaches it, else by a file that it looks for, and waits for it. */
export async function cancel(store: RunStore, { now, clock, say, complain }: CancelOptions): Promise<number> {
  const found = lookAtLock(store.dir);
  if (found === undefined || found.standing === 'dead') {
    say(words.nothingToCancelText(found?.holder));
    return exitCode.passed;
  }
  const { holder } = found;
  if (found.standing === 'unknown' || holder === undefined) throw lockedBy(holder, store.dir);
  const reached = signal(holder);
  if (!reached) askToCancel(store.dir, { token: holder.token, now });
  say(words.cancellingText(holder, now));
  const last = await waitForEnd(store.dir, holder, {
    clock,
    limitMs: reached ? Number.POSITIVE_INFINITY : patienceMs,
    // Two signals at once may arrive as one, so the second comes when the first has been heard.
    ...(reached && now ? { insist: () => signal(holder), end: () => signal(holder, 'SIGKILL') } : {}),
  });
  if (last.gone) {
    say(words.cancelledText(last.holder, outcomeOf(store, last.holder.run)));
    return exitCode.passed;
  }
  withdrawRequest(store.dir);
  complain(words.notCancelledText(last.holder, patienceMs));
  return exitCode.failed;
}

/** How long a holder on another host may take to notice and to obey. */
const patienceMs = 60_000;
const lookEveryMs = 200;
/** Who was told twice to end at once and has not by then is stuck. */
const deafAfterMs = 10_000;

/** False when the process cannot be reached from here. */
function signal(holder: Holder, name: 'SIGTERM' | 'SIGKILL' = 'SIGTERM'): boolean {
  if (!isNear(holder)) return false;
  if (!isAlive(holder)) return true;
  try {
    process.kill(holder.pid, name);
    // A halted process does not notice before it is continued.
    process.kill(holder.pid, 'SIGCONT');
    return true;
  } catch (error) {
    // Gone by now, or somebody else's.
    return (error as NodeJS.ErrnoException).code !== 'EPERM';
  }
}

interface WaitOptions {
  readonly clock: Clock;
  readonly limitMs: number;
  insist?(): void;
  /** For a runner that hears nothing: its helper then ends what it runs. */
  end?(): void;
}

/** The holder as it was seen last: it may have got its name while it was being stopped. */
async function waitForEnd(
  stateDir: string,
  first: Holder,
  { clock, limitMs, insist, end }: WaitOptions,
): Promise<{ readonly gone: boolean; readonly holder: Holder }> {
  let holder = first;
  for (let waitedMs = 0; ; waitedMs += lookEveryMs) {
    const found = lookAtLock(stateDir);
    if (found?.holder?.token !== first.token || found.standing === 'dead') return { gone: true, holder };
    holder = found.holder;
    if (waitedMs >= limitMs) return { gone: false, holder };
    if (waitedMs === lookEveryMs) insist?.();
    if (waitedMs === deafAfterMs) end?.();
    await new Promise<void>((resolve) => clock.after(lookEveryMs, resolve));
  }
}

function outcomeOf(store: RunStore, run: string | undefined): Outcome | undefined {
  try {
    return run === undefined ? undefined : store.read(run)?.state?.outcome;
  } catch (error) {
    if (error instanceof FailureError) return 'violated';
    throw error;
  }
}
