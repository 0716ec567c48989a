import { openRunStore } from '../../adapters/journal/run-store.js';
import { type OwedViolation, owedViolations } from '../../journal/owed-violations.js';
import { FailureError } from '../../model/failure.js';
import type { CliContext } from '../context.js';
import type { NewestRun } from '../history/history.js';

/** The newest run as it is now. A journal that cannot be trusted is told of by whoever goes on from it. */
export function newestNow(root: string, context: CliContext, seen?: NewestRun): NewestRun | undefined {
  // Nobody adds to a run that has ended but under the lock, and then it is another text.
  if (seen && seen.reading.state?.outcome !== 'running') return seen;
  const store = openRunStore(root, context.agentId);
  const id = store.ids()[0];
  try {
    const reading = id === undefined ? undefined : store.read(id);
    return id !== undefined && reading?.state ? { id, reading } : undefined;
  } catch (error) {
    if (error instanceof FailureError) return undefined;
    throw error;
  }
}

export interface Owed {
  readonly run: string;
  readonly violations: readonly OwedViolation[];
}

/** What a run was violated by, when it was killed before it could end with it; undefined: nothing. */
export function owedBy(newest: NewestRun | undefined): Owed | undefined {
  if (newest?.reading.state?.outcome !== 'running') return undefined;
  const violations = owedViolations(newest.reading.entries);
  return violations.length === 0 ? undefined : { run: newest.id, violations };
}
