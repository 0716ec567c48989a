import type { Task } from '../../model/plan.js';
import type { DeciderInput } from '../freshness/decider.js';
import { definitionDigests } from '../freshness/fingerprint.js';
import type { AttemptPorts } from './attempt-ports.js';

/** Makes ready ahead what the next attempt of a task needs. One that has a result may turn out to need no attempt. */
export function prepare(
  next: Task,
  { decider, ports }: { readonly decider: DeciderInput; readonly ports: AttemptPorts },
  attempts = 0,
): void {
  if (decider.past(next.id) || next.skip || !decider.selected.isChosen(next)) return;
  definitionDigests(next);
  ports.prepareAttempt(next, attempts + 1);
}
