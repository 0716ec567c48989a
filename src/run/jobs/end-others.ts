import type { RecordedEvent } from '../../model/events/event.js';
import type { Failure } from '../../model/failure.js';
import type { Cancelled, Found, Scheduler } from '../../model/scheduler.js';
import type { JobState } from '../../model/state/job-state.js';
import { usedBy } from './gpu-hours.js';
import type { JobPorts } from './job-errand.js';

interface EndTools {
  readonly ports: JobPorts;
  readonly nowMs: number;
  scheduler(cluster: string): Promise<Scheduler>;
  record(events: readonly RecordedEvent[]): void;
}

/** Whether a job may be at work although nobody waits for it. */
export const mayLive = ({ end }: JobState): boolean => end === undefined || end.how === 'lost';

/** Ends what a look for the job came to. Where nobody answers, one that surely was never submitted needs no ending. */
export async function endFound({ heldUp }: JobState, found: Found, scheduler: Scheduler): Promise<Cancelled> {
  if (found.kind === 'found') return scheduler.cancel(found.ids);
  return heldUp?.submitted === 'no' ? { ok: true } : { ok: false, detail: found.detail };
}

/**
 * Ends jobs of a task for orders that nobody gives any more, before another one is handed over: two of them would write the
 * same files. One that may live and cannot be ended is in the way.
 */
export async function endOthers(jobs: readonly JobState[], tools: EndTools): Promise<Failure | undefined> {
  for (const job of jobs.filter(mayLive)) {
    const { tag, batch, task, cluster, id, end, submittingAt } = job;
    const scheduler = await tools.scheduler(cluster);
    await tools.ports.endSubmitter(batch?.tag ?? tag);
    const key = { tag, ...(batch ? { batch } : {}) };
    const found = id === undefined ? await scheduler.find(key, submittingAt) : ({ kind: 'found', ids: [id] } as const);
    const ended = await endFound(job, found, scheduler);
    if (!ended.ok) {
      const detail = `an earlier job of the task may still be at work, and could not be ended: ${ended.detail}`;
      return { code: 'job-unsure', cluster, tag, detail };
    }
    if (end) continue;
    const known = id === undefined ? {} : { id };
    const used = usedBy(job, tools.ports, tools.nowMs);
    tools.record([{ type: 'job-finished', task, tag, cluster, ...known, how: 'replaced', ...used }]);
  }
  return undefined;
}
