import type { Reporter } from '../../model/ports.js';

/** Shows nothing. The journal and the exit code tell all. */
export class SilentReporter implements Reporter {
  runStarted(): void {}

  planExtended(): void {}

  recorded(): void {}

  ephemeral(): void {}

  async close(): Promise<void> {}
}
