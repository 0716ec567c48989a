import type { Fingerprint } from '../../model/fingerprint.js';
import type { Task, TaskId } from '../../model/plan.js';
import type { DeciderInput } from '../freshness/decider.js';
import { definitionDigests } from '../freshness/fingerprint.js';
import type { AttemptPorts } from './attempt-ports.js';

export interface PrepareInput {
  readonly decider: DeciderInput;
  readonly ports: AttemptPorts;
  /** What a task has made in this run. */
  productOf(id: TaskId): string | undefined;
}

/** Makes ready ahead what the next attempt of a task needs. */
export function prepare(next: Task, { decider, ports, productOf }: PrepareInput, attempts = 0): void {
  if (next.skip || !decider.selected.isChosen(next)) return;
  // One that has a result may turn out to need no attempt, unless what it was made from is another by now.
  const made = decider.past(next.id)?.state.fingerprint?.upstream;
  if (decider.past(next.id) && !isMadeAnew(made ?? {}, productOf)) return;
  definitionDigests(next);
  ports.prepareAttempt(next, attempts + 1);
}

const isMadeAnew = (upstream: Fingerprint['upstream'], productOf: PrepareInput['productOf']): boolean =>
  Object.entries(upstream).some(([need, then]) => (productOf(need) ?? then) !== then);
