import { hash } from 'node:crypto';
import type { RecordedEvent } from '../../model/events/event.js';
import type { JobSubmitting } from '../../model/events/job-event.js';
import type { Failure } from '../../model/failure.js';
import type { Clock } from '../../model/ports.js';
import type { JobKey, JobOrder, Scheduler, Submitted } from '../../model/scheduler.js';
import type { JobPorts } from './job-errand.js';
import { settleTag } from './settle-tag.js';

export interface SubmitTools {
  readonly cluster: string;
  readonly scheduler: Scheduler;
  readonly ports: JobPorts;
  readonly clock: Clock;
  record(events: readonly RecordedEvent[]): void;
  /** What a ceiling says against one more job; undefined when there is room. */
  overBudget(submitting: JobSubmitting): Failure | undefined;
}

export type Handed =
  | { readonly ok: true; readonly id: string; readonly key: JobKey }
  | { readonly ok: false; readonly failure: Failure };

/** A job that waits to be handed over. */
export interface Waiting {
  readonly stage: string;
  readonly order: JobOrder;
  readonly submitting: Omit<JobSubmitting, 'batch'>;
  readonly signal: AbortSignal;
  done(handed: Handed): void;
  broke(error: unknown): void;
}

/** Jobs that are alike and ready together are handed over together: one array instead of five hundred submissions. */
export class SubmitDesk {
  readonly #tools: SubmitTools;
  readonly #waiting = new Map<string, { readonly jobs: Waiting[]; cancel(): void }>();

  constructor(tools: SubmitTools) {
    this.#tools = tools;
  }

  add(job: Waiting): void {
    const { resources, passed, after } = job.order;
    const key = JSON.stringify([job.stage, resources, passed, after]);
    const group = this.#waiting.get(key) ?? { jobs: [], cancel: () => {} };
    group.jobs.push(job);
    group.cancel();
    const isFull = group.jobs.length >= mostTogether || !this.#tools.scheduler.hasArrays;
    group.cancel = this.#tools.clock.after(isFull ? 0 : quietMs, () => {
      this.#waiting.delete(key);
      void this.#hand(group.jobs).catch((error) => {
        for (const { broke } of group.jobs) broke(error);
      });
    });
    this.#waiting.set(key, group);
  }

  async #hand(all: readonly Waiting[]): Promise<void> {
    const { record, ports, overBudget } = this.#tools;
    const jobs: { readonly waiting: Waiting; readonly submitting: JobSubmitting }[] = [];
    const wanted = all.filter(({ signal }) => !signal.aborted);
    for (const waiting of all) if (waiting.signal.aborted) waiting.done(stopped);
    const isArray = wanted.length > 1 && this.#tools.scheduler.hasArrays;
    const name = isArray ? batchTag(wanted.map(({ order }) => order.tag)) : undefined;
    for (const waiting of wanted) {
      const batch = name === undefined ? {} : { batch: { tag: name, index: jobs.length } };
      const submitting = { ...waiting.submitting, ...batch };
      const failure = overBudget(submitting);
      if (failure) {
        waiting.done({ ok: false, failure });
        continue;
      }
      record([submitting]);
      jobs.push({ waiting, submitting });
    }
    if (jobs.length === 0) return;
    // Only what the disk knows for certain may be handed over: it cannot be taken back.
    await ports.flushed();
    if (isArray) await this.#submit(jobs);
    else for (const job of jobs) await this.#submit([job]);
  }

  async #submit(jobs: readonly Ready[]): Promise<void> {
    const { scheduler } = this.#tools;
    const orders = jobs.map(({ waiting, submitting }) => ({
      ...waiting.order,
      ...(submitting.batch ? { batch: submitting.batch } : {}),
    }));
    for (let tries = 1; ; tries += 1) {
      const answer = await scheduler.submit(orders);
      if (answer.kind !== 'unsure') return this.#tell(jobs, answer);
      const settled = await Promise.all(jobs.map((job) => this.#settle(job, answer.detail)));
      // Either all of them are there or none: an array is one submission.
      if (settled.some((each) => each.kind !== 'none')) {
        for (const [index, each] of settled.entries()) this.#tellSettled(jobs[index]!, each);
        return;
      }
      if (tries === mostSubmissions) return this.#tell(jobs, { kind: 'refused', detail: answer.detail });
    }
  }

  #settle({ submitting, waiting }: Ready, detail: string): ReturnType<typeof settleTag> {
    const { ports, scheduler, clock, cluster } = this.#tools;
    const sinceMs = clock.now();
    return settleTag(submitting, { ports, scheduler, clock, cluster, sinceMs, detail, signal: waiting.signal });
  }

  #tell(jobs: readonly Ready[], answer: Exclude<Submitted, { kind: 'unsure' }>): void {
    const { record, cluster } = this.#tools;
    for (const [index, { waiting, submitting }] of jobs.entries()) {
      const { task, tag, batch } = submitting;
      if (answer.kind === 'refused') {
        const { detail } = answer;
        record([
          { type: 'job-finished', task, tag, cluster, how: 'refused', detail, requeues: 0, runMs: 0, gpuHours: 0 },
        ]);
        waiting.done({ ok: false, failure: { code: 'job-refused', cluster, detail } });
        continue;
      }
      const id = answer.ids[index]!;
      record([{ type: 'job-submitted', task, tag, cluster, id }]);
      waiting.done({ ok: true, id, key: { tag, ...(batch ? { batch } : {}) } });
    }
  }

  #tellSettled({ waiting, submitting }: Ready, settled: Awaited<ReturnType<typeof settleTag>>): void {
    const { record, cluster } = this.#tools;
    const { task, tag, batch } = submitting;
    if (settled.kind === 'found') {
      record([{ type: 'job-submitted', task, tag, cluster, id: settled.id, found: true }]);
      waiting.done({ ok: true, id: settled.id, key: { tag, ...(batch ? { batch } : {}) } });
    } else if (settled.kind === 'none') {
      waiting.done({
        ok: false,
        failure: { code: 'job-unsure', cluster, tag, detail: 'only a part of its array is there' },
      });
    } else waiting.done({ ok: false, failure: settled.failure });
  }
}

interface Ready {
  readonly waiting: Waiting;
  readonly submitting: JobSubmitting;
}

const batchTag = (tags: readonly string[]): string =>
  `${tags[0]!.slice(0, 40).replace(/-+$/, '')}-array-${hash('sha256', tags.join(' ')).slice(0, 12)}`;

const stopped: Handed = { ok: false, failure: { code: 'cancelled', signal: 'a stop' } };

/** So long nobody came with another one. */
const quietMs = 30;
const mostTogether = 500;
const mostSubmissions = 3;
