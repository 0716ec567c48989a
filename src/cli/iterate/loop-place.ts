import type { CliContext } from '../context.js';

/** Where a loop is at home. */
export interface LoopPlace {
  readonly root: string;
  /** The state folder. */
  readonly dir: string;
  readonly context: CliContext;
}
