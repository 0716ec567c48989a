import { hash } from 'node:crypto';
import { canonicalJson } from '../../model/json.js';
import type { JobErrand } from './job-errand.js';

/** Names a job for ever, everywhere: letters, digits and hyphens, at most 63. People can tell from it which one it is. */
export function jobTag(place: {
  readonly root: string;
  readonly run: string;
  readonly task: string;
  readonly attempt: number;
  readonly job: number;
}): string {
  const words = `ar-${place.run}-${place.task}-${place.attempt}`.toLowerCase().replace(/[^a-z0-9]+/g, '-');
  const digest = hash('sha256', JSON.stringify([place.root, place.run, place.task, place.attempt, place.job]));
  return `${words.slice(0, 50).replace(/-+$/, '')}-${digest.slice(0, 12)}`;
}

export const jobLabel = (run: string, { task, attempt }: Pick<JobErrand, 'task' | 'attempt'>): string =>
  `autoresearch run ${run} task ${task.id} attempt ${attempt}`;

/** Different each time, whatever is ordered. */
const ofAttempt: ReadonlySet<string> = new Set(['AUTORESEARCH_RUN', 'AUTORESEARCH_ATTEMPT']);

type Ordered = Pick<JobErrand, 'task' | 'run' | 'cwd' | 'env' | 'cluster' | 'resources' | 'inputs'>;

/** Two orders with the same digest are the same work on the same inputs, whichever attempt they are of. */
export function orderDigest({ task, run, cwd, env, cluster, resources, inputs }: Ordered): string {
  const own = Object.fromEntries(Object.entries(env).filter(([name]) => !ofAttempt.has(name)));
  const { behaviour, options } = task;
  return hash('sha256', canonicalJson({ behaviour, options, run, cwd, env: own, cluster, resources, inputs } as never));
}
