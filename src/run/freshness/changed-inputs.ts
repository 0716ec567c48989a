import { asOfNow } from '../../model/files/as-of-now.js';
import { changedMeanwhile, type Fingerprint } from '../../model/fingerprint.js';
import type { Task, TaskId } from '../../model/plan.js';
import type { Files } from '../../model/ports.js';
import { outputsNow } from '../../model/state/outputs-now.js';
import type { TaskState } from '../../model/state/run-state.js';
import { named } from '../protect/touched.js';
import { digestNow } from './digest-now.js';

interface Tools {
  readonly files: Files;
  stateOf(task: { readonly id: TaskId }): TaskState | undefined;
}

/**
 * Inputs that are not what they were when the task began: nobody knows which of the two it has read. Not what other tasks have made, which is looked at for all of
 * them, and not what an agent may write or has a copy of.
 */
export function changedInputs(task: Task, { inputs }: Fingerprint, { files, stateOf }: Tools): readonly string[] {
  const paths = task.agent || task.isolation ? [] : Object.keys(inputs);
  if (paths.length === 0) return [];
  const made = new Set(task.needs.flatMap((id) => outputsNow(stateOf({ id }) ?? {}).map(({ path }) => path)));
  const now = asOfNow(files);
  return paths.filter((path) => !made.has(path) && digestNow(now, path) !== inputs[path]);
}

/** What was made from that holds for neither. */
export function withoutChanged({ inputs, stamps, ...rest }: Fingerprint, changed: readonly string[]): Fingerprint {
  const unknown = Object.fromEntries(changed.map((path) => [path, changedMeanwhile]));
  const kept = Object.entries(stamps ?? {}).filter(([path]) => !changed.includes(path));
  return {
    ...rest,
    inputs: { ...inputs, ...unknown },
    ...(kept.length > 0 ? { stamps: Object.fromEntries(kept) } : {}),
  };
}

export const changedWords = (changed: readonly string[]): string =>
  `${named(changed)} ${changed.length === 1 ? 'was' : 'were'} changed while it ran: what it has read may be the old or the new one, so the next exec does it again`;
