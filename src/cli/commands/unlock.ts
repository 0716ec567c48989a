import { lockedBy, lookAtLock, removeLock } from '../../adapters/lock/state-lock.js';
import { backgroundClock } from '../../adapters/system-clock.js';
import { exitCode } from '../../model/exit-code.js';
import type { CliContext } from '../context.js';
import { storeFor } from '../history/open-run.js';

/** Removes a dead lock; a live one, or one that tells nothing, only by force. */
export async function run(context: CliContext): Promise<number> {
  const { dir } = await storeFor(context);
  const { noLockText, unlockedText } = await import('../../report/history/lock-text.js');
  const say = (text: string): void => (context.quiet ? undefined : context.stdout.write(text));
  const found = lookAtLock(dir);
  if (!found) {
    say(noLockText);
    return exitCode.passed;
  }
  if (found.standing !== 'dead' && !context.flag('force')) throw lockedBy(found.holder, dir);
  removeLock(dir, found, backgroundClock);
  say(unlockedText(found.holder, found.standing === 'dead'));
  return exitCode.passed;
}
