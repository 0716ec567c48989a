import type { TestResult } from '../agents/published.js';
import type { TaskId } from '../plan.js';

/** The checklist of an attempt. */
export interface TestsRecorded {
  readonly type: 'tests-recorded';
  readonly task: TaskId;
  readonly attempt: number;
  readonly tests: readonly TestResult[];
}

/** The numbers of an attempt. */
export interface MetricsRecorded {
  readonly type: 'metrics-recorded';
  readonly task: TaskId;
  readonly attempt: number;
  readonly metrics: { readonly [name: string]: number };
}
