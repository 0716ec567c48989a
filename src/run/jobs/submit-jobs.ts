import { hash } from 'node:crypto';
import type { RecordedEvent } from '../../model/events/event.js';
import type { JobFinished, JobSubmitting } from '../../model/events/job-event.js';
import type { Failure } from '../../model/failure.js';
import type { Clock } from '../../model/ports.js';
import type { Found, JobKey, JobOrder, Scheduler, Submitted } from '../../model/scheduler.js';
import type { HeldUpJob, HeldUpNotes } from './held-up-notes.js';
import type { JobPorts } from './job-errand.js';
import { settleTag } from './settle-tag.js';

export interface SubmitTools {
  readonly cluster: string;
  readonly scheduler: Scheduler;
  readonly ports: JobPorts;
  readonly clock: Clock;
  readonly notes: HeldUpNotes;
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
  /** A line for whoever reads the attempt's log. */
  log?(line: string): void;
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
      if (tries > 1) await this.#unsettle(jobs);
      const answer = await scheduler.submit(orders);
      if (answer.kind !== 'unsure') return this.#tell(jobs, answer);
      const settled = await Promise.all(jobs.map((job) => this.#settle(job, answer)));
      // Either all of them are there or none: an array is one submission.
      if (settled.some((each) => each.kind !== 'none')) {
        for (const [index, each] of settled.entries()) this.#tellSettled(jobs[index]!, each);
        return;
      }
      if (tries === mostSubmissions) return this.#tell(jobs, { kind: 'refused', detail: answer.detail });
    }
  }

  #settle(job: Ready, { detail, unsent }: Unsure): ReturnType<typeof settleTag> {
    const { ports, scheduler, clock, cluster } = this.#tools;
    const isUnsent = (found: Found): boolean =>
      unsent !== undefined && (found.kind === 'found' || (found.kind === 'unreachable' && found.unsent === unsent));
    const { signal } = job.waiting;
    const sinceMs = clock.now();
    return settleTag(job.submitting, {
      ...{ ports, scheduler, clock, cluster, sinceMs, detail, signal, isUnsent },
      heldUp: (news) => this.#tools.notes.note(heldUpJob(job), news),
    });
  }

  /** From here on nobody knows again: that has to be on the disk before it is so. */
  async #unsettle(jobs: readonly Ready[]): Promise<void> {
    const { notes, ports } = this.#tools;
    const sure = jobs.filter((job) => notes.unsettle(heldUpJob(job)));
    if (sure.length > 0) await ports.flushed();
  }

  #tell(jobs: readonly Ready[], answer: Exclude<Submitted, { kind: 'unsure' }>): void {
    const { record, cluster } = this.#tools;
    for (const [index, job] of jobs.entries()) {
      if (answer.kind === 'refused') {
        this.#refused(job, answer.detail);
        continue;
      }
      const { waiting, submitting } = job;
      const { task, tag, batch } = submitting;
      const id = answer.ids[index]!;
      record([{ type: 'job-submitted', task, tag, cluster, id }]);
      waiting.done({ ok: true, id, key: { tag, ...(batch ? { batch } : {}) } });
    }
  }

  #refused({ waiting, submitting }: Ready, detail: string): void {
    const { cluster, record } = this.#tools;
    record([neverWas(submitting, detail)]);
    waiting.done({ ok: false, failure: { code: 'job-refused', cluster, detail } });
  }

  #tellSettled(job: Ready, settled: Awaited<ReturnType<typeof settleTag>>): void {
    const { record, cluster } = this.#tools;
    const { waiting, submitting } = job;
    const { task, tag, batch } = submitting;
    if (settled.kind === 'found') {
      record([{ type: 'job-submitted', task, tag, cluster, id: settled.id, found: true }]);
      waiting.done({ ok: true, id: settled.id, key: { tag, ...(batch ? { batch } : {}) } });
    } else if (settled.kind === 'none') {
      waiting.done({
        ok: false,
        failure: { code: 'job-unsure', cluster, tag, detail: 'only a part of its array is there' },
      });
    } else if (settled.kind === 'unsent') this.#refused(job, settled.detail);
    else waiting.done({ ok: false, failure: settled.failure });
  }
}

/** The end of a job that there surely never was. */
export const neverWas = (
  { task, tag, cluster }: Pick<JobSubmitting, 'task' | 'tag' | 'cluster'>,
  detail: string,
): JobFinished => ({
  ...{ type: 'job-finished', task, tag, cluster, how: 'refused', detail, requeues: 0, runMs: 0, gpuHours: 0 },
});

const heldUpJob = ({ submitting, waiting }: Ready): HeldUpJob => ({
  ...submitting,
  ...(waiting.log ? { log: waiting.log } : {}),
});

type Unsure = Extract<Submitted, { kind: 'unsure' }>;

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
