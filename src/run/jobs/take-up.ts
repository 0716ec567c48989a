import type { RecordedEvent } from '../../model/events/event.js';
import type { Clock } from '../../model/ports.js';
import type { Scheduler } from '../../model/scheduler.js';
import type { JobState } from '../../model/state/job-state.js';
import type { HeldUpNotes } from './held-up-notes.js';
import type { JobErrand, JobPorts } from './job-errand.js';
import { settleTag } from './settle-tag.js';
import { type Handed, neverWas } from './submit-jobs.js';

interface TakeUpTools {
  readonly ports: JobPorts;
  readonly scheduler: Scheduler;
  readonly notes: HeldUpNotes;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  record(events: readonly RecordedEvent[]): void;
}

/** Submitted, or perhaps submitted, by a runner that is no more. Undefined: there surely is no job. */
export async function takeUp(
  job: JobState,
  { folder }: Pick<JobErrand, 'folder'>,
  { notes, record, ...tools }: TakeUpTools,
): Promise<Handed | undefined> {
  const key = { tag: job.tag, ...(job.batch ? { batch: job.batch } : {}) };
  if (job.id !== undefined) return { ok: true, id: job.id, key };
  const { tag, task, cluster, heldUp, submittingAt: sinceMs } = job;
  const settled = await settleTag(key, {
    ...tools,
    cluster,
    sinceMs,
    detail: heldUp?.detail ?? 'the runner ended while it submitted the job',
    // Nobody has submitted it since that was written.
    isUnsent: () => heldUp?.submitted === 'no',
    heldUp: (news) => notes.note({ task, tag, cluster, log: folder.log }, news),
  });
  switch (settled.kind) {
    case 'found':
      record([{ type: 'job-submitted', task, tag, cluster, id: settled.id, found: true }]);
      return { ok: true, id: settled.id, key };
    case 'none':
      return undefined;
    case 'unsent': {
      const { detail } = settled;
      record([neverWas(job, detail)]);
      return { ok: false, failure: { code: 'job-refused', cluster, detail } };
    }
    case 'failed':
      return { ok: false, failure: settled.failure };
  }
}
