/** One line of a checklist. */
export interface TestResult {
  readonly name: string;
  readonly status: 'passed' | 'failed' | 'skipped';
  /** What was found; not empty when it failed. */
  readonly detail?: string;
}
