import type { Failure } from '../../model/failure.js';
import type { HeldUp } from '../../model/held-up.js';
import type { Clock } from '../../model/ports.js';
import type { Found, JobKey, Scheduler } from '../../model/scheduler.js';
import type { JobPorts } from './job-errand.js';

export interface SettleTools {
  readonly ports: JobPorts;
  readonly scheduler: Scheduler;
  readonly clock: Clock;
  readonly cluster: string;
  /** When it may have been submitted. */
  readonly sinceMs: number;
  /** Why nobody knows. */
  readonly detail: string;
  readonly signal: AbortSignal;
  /** Whether what the look came to leaves no doubt that nothing was submitted. */
  isUnsent(found: Found): boolean;
  /** It has to be waited for. */
  heldUp(news: HeldUp): void;
}

export type Settled =
  | { readonly kind: 'found'; readonly id: string }
  | { readonly kind: 'none' }
  /** Nobody can be asked, but nothing was submitted. */
  | { readonly kind: 'unsent'; readonly detail: string }
  | { readonly kind: 'failed'; readonly failure: Failure };

/**
 * Finds out whether a submission of which nobody knows came to a job. Whoever was still submitting is ended first. A scheduler
 * that does not answer is waited for; that there is no job is believed only after several looks.
 */
export async function settleTag(key: JobKey, tools: SettleTools): Promise<Settled> {
  const { ports, scheduler, clock, cluster, signal, sinceMs } = tools;
  const { patienceMs, pollMs } = ports.settings(cluster);
  const startedAt = clock.now();
  await ports.endSubmitter(key.batch?.tag ?? key.tag);
  let looks = 0;
  // Nobody submits meanwhile: what is certain once stays so.
  let isUnsent = false;
  for (let waitMs = Math.min(pollMs, firstWaitMs); ; waitMs = Math.min(waitMs * 2, longestWaitMs)) {
    const found = await scheduler.find(key, sinceMs);
    // A job that has begun has left its name in its folder, also when the scheduler has forgotten it since.
    const owner = scheduler.sharesFiles ? ports.ownerOf(key.tag) : undefined;
    if (found.kind === 'found') {
      const id = found.ids.find((each) => each === owner) ?? found.ids[0] ?? (owner === '' ? undefined : owner);
      if (id !== undefined) {
        const twins = found.ids.filter((each) => each !== id);
        if (twins.length > 0) await scheduler.cancel(twins);
        return { kind: 'found', id };
      }
      looks += 1;
      if (looks >= fewestLooks) return { kind: 'none' };
      isUnsent ||= tools.isUnsent(found);
      tools.heldUp({ detail: tools.detail, submitted: isUnsent ? 'no' : 'unknown' });
    } else if (owner !== undefined && owner !== '') return { kind: 'found', id: owner };
    else {
      isUnsent ||= tools.isUnsent(found);
      const isSaid = isUnsent || tools.detail.includes(found.detail);
      const detail = isSaid ? tools.detail : `${tools.detail}; ${found.detail}`;
      if (found.kind === 'cannot' || clock.now() - startedAt >= patienceMs) {
        if (isUnsent) return { kind: 'unsent', detail };
        return { kind: 'failed', failure: { code: 'job-unsure', cluster, tag: key.tag, detail } };
      }
      const until = new Date(startedAt + patienceMs).toISOString();
      tools.heldUp({ detail, submitted: isUnsent ? 'no' : 'unknown', until });
    }
    if (!(await pause(waitMs, clock, signal)))
      return { kind: 'failed', failure: { code: 'cancelled', signal: 'a stop' } };
  }
}

const fewestLooks = 2;
const firstWaitMs = 2000;
const longestWaitMs = 60_000;

/** True after the time has passed, false as soon as it is over for another reason. */
export function pause(ms: number, clock: Clock, signal: AbortSignal): Promise<boolean> {
  if (signal.aborted) return Promise.resolve(false);
  return new Promise((resolve) => {
    const stop = (): void => {
      cancel();
      resolve(false);
    };
    const cancel = clock.after(ms, () => {
      signal.removeEventListener('abort', stop);
      resolve(true);
    });
    signal.addEventListener('abort', stop, { once: true });
  });
}
