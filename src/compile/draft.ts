import type { Stage } from '../model/generated/config.js';
import type { Task } from '../model/plan.js';

/** A task before it is known what it comes after: `edges.ts` puts that in. */
export interface Draft {
  readonly task: { -readonly [Key in keyof Task]: Task[Key] };
  readonly config: Stage;
  /** `inputs`, and what the behaviour says that it reads. */
  readonly reads: readonly string[];
  /** `outputs`, and what the behaviour says that it writes. */
  readonly writes: readonly string[];
}
