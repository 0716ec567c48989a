import type { ClusterSettings } from '../../model/cluster.js';
import type { Clock } from '../../model/ports.js';
import type { JobStanding, Scheduler } from '../../model/scheduler.js';

interface Watched {
  readonly id: string;
  readonly sinceMs: number;
  tell(standing: JobStanding): void;
}

/** Asks one scheduler for all its jobs at once, more and more seldom while it does not answer. */
export class ClusterWatch {
  readonly #scheduler: Scheduler;
  readonly #settings: ClusterSettings;
  readonly #clock: Clock;
  readonly #jobs = new Set<Watched>();
  #cancel: (() => void) | undefined;
  #dueAt = Number.POSITIVE_INFINITY;
  #isAsking = false;
  #silent = 0;

  constructor(scheduler: Scheduler, settings: ClusterSettings, clock: Clock) {
    this.#scheduler = scheduler;
    this.#settings = settings;
    this.#clock = clock;
  }

  /** Returns how to stop watching. */
  watch(job: Watched): () => void {
    this.#jobs.add(job);
    this.askWithin(Math.min(this.#settings.pollMs, firstLookMs));
    return () => {
      this.#jobs.delete(job);
      if (this.#jobs.size === 0) this.#rest();
    };
  }

  /** Something happened that the scheduler surely knows by now. */
  askWithin(ms: number): void {
    if (this.#isAsking || this.#clock.now() + ms >= this.#dueAt) return;
    this.#cancel?.();
    this.#dueAt = this.#clock.now() + ms;
    this.#cancel = this.#clock.after(ms, () => void this.#ask());
  }

  #rest(): void {
    this.#cancel?.();
    this.#cancel = undefined;
    this.#dueAt = Number.POSITIVE_INFINITY;
  }

  async #ask(): Promise<void> {
    this.#rest();
    const jobs = [...this.#jobs];
    if (jobs.length === 0) return;
    this.#isAsking = true;
    const sinceMs = Math.min(...jobs.map((job) => job.sinceMs));
    const ids = jobs.map(({ id }) => id);
    const found = await this.#scheduler.states(ids, sinceMs).catch((error) => silence(ids, error));
    this.#isAsking = false;
    const standings = jobs.map(({ id }) => found.get(id) ?? forgotten);
    this.#silent = standings.every(({ kind }) => kind === 'unreachable') ? this.#silent + 1 : 0;
    for (const [index, job] of jobs.entries()) if (this.#jobs.has(job)) job.tell(standings[index]!);
    if (this.#jobs.size > 0) this.askWithin(this.#settings.pollMs * 2 ** Math.min(this.#silent, mostDoublings));
  }
}

/** A scheduler that broke has said nothing about anybody. */
const silence = (ids: readonly string[], error: unknown): ReadonlyMap<string, JobStanding> =>
  new Map(ids.map((id) => [id, { kind: 'unreachable', detail: String(error) }]));

const firstLookMs = 2000;
const mostDoublings = 3;
const forgotten: JobStanding = { kind: 'no-record', detail: 'the scheduler has no record of the job' };
