import type { HeldLock } from '../../adapters/lock/held-lock.js';
import type { StopSwitch } from '../../run/stop-switch.js';
import type { CliContext } from '../context.js';
import type { Project } from '../project/open-project.js';

/** What a loop needs to run its iterations. */
export interface LoopInput {
  readonly context: CliContext;
  readonly project: Project;
  readonly jobs: number;
  readonly stop: StopSwitch;
  readonly lock: HeldLock;
}
