import type { Stage } from '../../model/generated/config.js';
import type { Task, TaskId } from '../../model/plan.js';

/** A task before it is known what it comes after: `edges.ts` puts that in. */
export interface Draft {
  readonly task: { -readonly [Key in keyof Task]: Task[Key] };
  readonly config: Stage;
  /** Tasks of its own stage that come before it, instead of what the stage needs. */
  readonly after?: readonly TaskId[];
  /** Only a part of its stage: whoever needs the stage does not need it by itself. */
  readonly isInner?: boolean;
  /** `inputs`, and what the behaviour says that it reads. */
  readonly reads: readonly string[];
  /** `outputs`, and what the behaviour says that it writes. */
  readonly writes: readonly string[];
}
