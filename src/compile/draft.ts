import type { Stage } from '../model/generated/config.js';
import type { Description, Reason, Task } from '../model/plan.js';

/** A task before it is known what it comes after. */
export type Draft = Omit<Task, 'needs' | 'inferred'> & {
  readonly config: Stage;
  /** `inputs`, and what the behaviour says that it reads. */
  readonly reads: readonly string[];
  /** `outputs`, and what the behaviour says that it writes. */
  readonly writes: readonly string[];
  readonly description: Description;
  readonly skip?: Reason;
};
