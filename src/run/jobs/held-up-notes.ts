import type { RecordedEvent } from '../../model/events/event.js';
import { type HeldUp, heldUpWords } from '../../model/held-up.js';
import type { TaskId } from '../../model/plan.js';

export interface HeldUpJob {
  readonly task: TaskId;
  readonly tag: string;
  readonly cluster: string;
  /** A line for whoever reads the attempt's log. */
  log?(line: string): void;
}

/** Tells the journal, and the log of the attempt, what keeps a job from its scheduler: again only when something is new. */
export class HeldUpNotes {
  readonly #record: (events: readonly RecordedEvent[]) => void;
  readonly #last = new Map<string, HeldUp>();

  constructor(record: (events: readonly RecordedEvent[]) => void) {
    this.#record = record;
  }

  note({ task, tag, cluster, log }: HeldUpJob, news: HeldUp): void {
    const last = this.#last.get(tag);
    if (last?.detail === news.detail && last.submitted === news.submitted && last.until === news.until) return;
    this.#record([{ type: 'job-held-up', task, tag, cluster, ...news }]);
    this.#last.set(tag, news);
    if (last?.detail !== news.detail) log?.(heldUpWords(news));
  }

  /** It is about to be submitted once more. True when it was certain until now that there is no job. */
  unsettle(job: HeldUpJob): boolean {
    const last = this.#last.get(job.tag);
    if (last?.submitted !== 'no') return false;
    this.note(job, { detail: last.detail, submitted: 'unknown' });
    return true;
  }
}
