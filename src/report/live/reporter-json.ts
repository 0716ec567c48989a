import type { JournalEntry } from '../../model/events/event.js';
import type { Reporter } from '../../model/ports.js';
import type { ReportTarget } from './report-target.js';

/** One journal event a line, for programs. Nothing else is ever written. */
export class JsonReporter implements Reporter {
  readonly #target: Pick<ReportTarget, 'write'>;

  constructor(target: Pick<ReportTarget, 'write'>) {
    this.#target = target;
  }

  runStarted(): void {}

  planExtended(): void {}

  recorded(entry: JournalEntry): void {
    this.#target.write(`${JSON.stringify(entry)}\n`);
  }

  ephemeral(): void {}

  async close(): Promise<void> {}
}
