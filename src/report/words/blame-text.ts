import type { TaskId } from '../../model/plan.js';
import { listed } from './phrase.js';

/** Why others were not tried: `a and b did not pass`, or `a waits at its gate`, which blames nobody. */
export function blameText(because: readonly TaskId[], isWaiting: boolean): string {
  if (!isWaiting) return `${listed(because)} did not pass`;
  return `${listed(because)} ${because.length === 1 ? 'waits at its gate' : 'wait at their gates'}`;
}
