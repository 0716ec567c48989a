import { apply } from '../journal/apply.js';
import type { JournalEntry, RecordedEvent, TaskSkipped } from '../model/events/event.js';
import type { Task } from '../model/plan.js';
import type { RunState } from '../model/state/run-state.js';
import { isNews } from './freshness/decider.js';
import type { LoopInput } from './loop-input.js';
import { writeDown } from './protect/breach.js';

interface BookInput extends Pick<LoopInput, 'state' | 'journal' | 'reporter'> {
  heard(entries: readonly JournalEntry[]): void;
}

/** What happens is in the journal first; then the state changes, and everyone is told. */
export class RunBook {
  readonly #input: BookInput;
  #state: RunState;
  /** Results that still hold and are not written down yet: there may be thousands, one after another. */
  #spared: TaskSkipped[] = [];

  constructor(input: BookInput) {
    this.#input = input;
    this.#state = input.state;
  }

  get state(): RunState {
    return this.#state;
  }

  /** Throws when the events cannot be written. */
  record(events: readonly RecordedEvent[]): void {
    const spared = this.#spared;
    this.#spared = [];
    const entries = writeDown(spared.length === 0 ? events : [...spared, ...events], this.#input.journal);
    for (const entry of entries) {
      this.#state = apply(this.#state, entry);
      this.#input.reporter.recorded(entry);
    }
    this.#input.heard(entries);
  }

  /** A task that this very run has finished already, before it was interrupted, needs no second record. */
  skip(task: Task, event: TaskSkipped): void {
    if (this.#isNews(task, event)) this.record([event]);
  }

  /** The same for a result that still holds; before anything else is written it is, and no later than `tellSpared`. */
  spare(task: Task, event: TaskSkipped): void {
    if (!this.#isNews(task, event)) return;
    this.#spared.push(event);
    if (this.#spared.length >= mostSpared) this.tellSpared();
  }

  tellSpared(): void {
    if (this.#spared.length > 0) this.record([]);
  }

  #isNews(task: Task, event: TaskSkipped): boolean {
    return isNews(event, task, this.#state.tasks.get(task.id));
  }
}

/** So that what is being done is seen meanwhile, and does not pile up. */
const mostSpared = 200;
