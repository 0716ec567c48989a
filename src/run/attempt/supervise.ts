import type { Failure } from '../../model/failure.js';
import type { Clock, RunningCommand } from '../../model/ports.js';
import type { StageResult } from '../../model/stage.js';

export interface SupervisionLimits {
  readonly timeoutMs?: number;
  readonly idleMs?: number;
  readonly clock: Clock;
  readonly stop: AbortSignal;
  readonly kill: AbortSignal;
  watchIdle(idleMs: number, onIdle: () => void): () => void;
}

/** How a behaviour is told to end, and how its commands are ended with it. */
export interface Supervisor {
  readonly signal: AbortSignal;
  /** Why the attempt is being ended, once it is. */
  ending(): Failure | undefined;
  adopt(command: RunningCommand): void;
}

/** How long a behaviour may take to notice that its attempt is over before it is given up. */
const patienceMs = 15_000;
/** The same when no command of its runs that would first have to be ended. */
const shortPatienceMs = 1000;

/**
 * Runs work under a time limit, an idle limit and the run's stop signal. Whatever ends it early is the failure, whatever
 * the work itself answers afterwards: a timed-out attempt that says "true" is still timed out.
 */
export async function supervise(
  limits: SupervisionLimits,
  work: (supervisor: Supervisor) => Promise<StageResult>,
): Promise<StageResult> {
  // Most behaviours never ask for it, and it costs more than all else here.
  let controller: AbortController | undefined;
  const commands = new Set<RunningCommand>();
  let failure: Failure | undefined;
  let giveUp: (result: StageResult) => void = () => {};
  const givenUp = new Promise<StageResult>((resolve) => {
    giveUp = resolve;
  });
  const cancels: (() => void)[] = [];

  const end = (why: Failure): void => {
    if (failure) return;
    failure = why;
    for (const command of commands) command.stop();
    controller?.abort(why);
    cancels.push(
      limits.clock.after(commands.size > 0 ? patienceMs : shortPatienceMs, () => giveUp({ ok: false, failure: why })),
    );
  };
  const onStop = (): void => end({ code: 'cancelled', signal: String(limits.stop.reason) });
  const onKill = (): void => {
    failure ??= { code: 'cancelled', signal: String(limits.kill.reason) };
    controller?.abort(failure);
    for (const command of commands) command.kill();
    giveUp({ ok: false, failure });
  };

  const { timeoutMs, idleMs } = limits;
  if (timeoutMs !== undefined)
    cancels.push(limits.clock.after(timeoutMs, () => end({ code: 'timed-out', afterMs: timeoutMs })));
  if (idleMs !== undefined)
    cancels.push(limits.watchIdle(idleMs, () => end({ code: 'idle-timed-out', afterMs: idleMs })));
  limits.stop.addEventListener('abort', onStop);
  limits.kill.addEventListener('abort', onKill);
  try {
    if (limits.stop.aborted) onStop();
    if (limits.kill.aborted) onKill();
    const supervisor: Supervisor = {
      get signal() {
        if (!controller) {
          controller = new AbortController();
          if (failure) controller.abort(failure);
        }
        return controller.signal;
      },
      ending: () => failure,
      adopt(command) {
        commands.add(command);
        void command.exit.finally(() => commands.delete(command));
        if (failure) command.stop();
      },
    };
    const result = await Promise.race([work(supervisor), givenUp]);
    return failure ? { ok: false, failure } : result;
  } finally {
    for (const cancel of cancels) cancel();
    limits.stop.removeEventListener('abort', onStop);
    limits.kill.removeEventListener('abort', onKill);
    // A behaviour that answered while a command of its own still runs does not leave it behind.
    for (const command of commands) command.kill();
  }
}
