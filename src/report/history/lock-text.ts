import type { Outcome } from '../../model/events/event.js';
import { holderWords, type LockHolder } from '../../model/lock-holder.js';

export const noLockText = 'There is no lock to remove.\n';

export function unlockedText(holder: LockHolder | undefined, wasDead: boolean): string {
  const whose = `Removed the lock of ${holderWords(holder)}.`;
  if (wasDead) return `${whose} That process is gone; autoresearch exec goes on from there.\n`;
  return `${whose} If that process still lives, it stops when it notices.\n`;
}

export function nothingToCancelText(dead: LockHolder | undefined): string {
  if (dead === undefined) return 'No run goes on here.\n';
  return `No run goes on here: ${holderWords(dead)} is gone. autoresearch exec goes on from there.\n`;
}

export function cancellingText(holder: LockHolder, now: boolean): string {
  const what = now ? 'to end at once; waiting until it is gone' : 'to stop; waiting for what it runs to end';
  return `Asked ${holderWords(holder)} ${what}.\n`;
}

/** `outcome` is what the journal says now; undefined when it has nothing to say. */
export function cancelledText({ run }: LockHolder, outcome: Outcome | undefined): string {
  if (run === undefined || outcome === undefined) {
    return 'The run was stopped before it had begun; autoresearch exec starts it.\n';
  }
  if (outcome === 'cancelled' || outcome === 'running') {
    return `run ${run} was stopped; autoresearch exec goes on with it\n`;
  }
  return `run ${run} had come to its end by then: ${outcome}\n`;
}

export const notCancelledText = (holder: LockHolder, afterMs: number): string =>
  `${holderWords(holder)} did not stop within ${afterMs / 1000} s.\n` +
  `Look on ${holder.host} whether it still lives; if it is surely gone: autoresearch unlock --force\n`;
