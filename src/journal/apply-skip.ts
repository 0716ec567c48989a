import type { TaskSkipped } from '../model/events/event.js';
import type { TaskState } from '../model/state/run-state.js';
import { gateAfterSkip } from './apply-gate.js';
import { triesSoFar } from './tries.js';

/**
 * A task that was not tried, with what is carried along of an earlier run where that still holds. Tries that this run has made of it
 * before stay: their folders are evidence that the next try must not write over, and a budget of tries does not begin anew.
 */
export function afterSkip(entry: TaskSkipped, known: TaskState | undefined): TaskState {
  const { task, cause, reasons, because, fingerprint, outputs, amended, product, warnings, tests, metrics, set, gate } =
    entry;
  // Made in this run, and found to hold after all.
  if (cause === 'cached' && known?.from === 'stale') {
    const { from: _from, ...holds } = known;
    return { ...holds, ...(fingerprint ? { fingerprint } : {}) };
  }
  return {
    id: task,
    status: cause === 'cached' ? 'cached' : cause === 'cancelled' ? 'cancelled' : 'skipped',
    attempts: known?.attempts ?? 0,
    ...(cause === 'cached' ? {} : triesSoFar(known)),
    reasons,
    ...(because ? { because } : {}),
    ...(fingerprint ? { fingerprint } : {}),
    ...(outputs ? { outputs } : {}),
    ...(amended ? { amended } : {}),
    ...(product ? { product } : {}),
    ...(warnings ? { warnings } : {}),
    ...(tests ? { tests } : {}),
    ...(metrics ? { metrics } : {}),
    ...(set ? { set } : {}),
    ...gateAfterSkip(known, gate),
  };
}
