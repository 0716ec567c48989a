import { downstreamOf } from '../../graph/reach.js';
import { mostReopens } from '../../model/errors/retry-limits.js';
import type { OutputsAmended } from '../../model/events/amend-event.js';
import type { OutputRecord } from '../../model/fingerprint.js';
import type { Task, TaskId } from '../../model/plan.js';
import { loadGlobMatch } from '../../source/glob.js';
import { changedOutputs, type ResultTools, stands } from '../freshness/standing-results.js';
import { writtenBy } from '../protect/claims.js';

export interface AmendedBy {
  readonly by: string;
  readonly attempt: number;
  /** Something was mended: what that takes the ground from is done again. Who does its own work has to leave gates alone. */
  readonly isMend: boolean;
  /** Nothing holds it to a scope. */
  readonly isFree?: boolean;
}

/**
 * What somebody whom the run knows has changed of what others made, to be written down as theirs. Undefined when they left
 * all of it alone. Asked right after they have ended; whoever was at work beside them in the same files is not told apart.
 */
export async function amendedBy(
  task: Task,
  who: AmendedBy,
  tools: Omit<ResultTools, 'clock' | 'claims'>,
): Promise<OutputsAmended | undefined> {
  const amended = await changedByRight(task, who, tools);
  const again = who.isMend ? doneAgain(task, amended, tools) : [];
  if (amended.length === 0 && again.length === 0) return undefined;
  const { by, attempt } = who;
  const more = again.length > 0 ? { again } : {};
  return { type: 'outputs-amended', task: task.id, attempt, by, amended, ...more };
}

type Amended = OutputsAmended['amended'];

async function changedByRight(
  task: Task,
  { isFree }: AmendedBy,
  { plan, state, files }: Pick<ResultTools, 'plan' | 'state' | 'files'>,
): Promise<Amended> {
  const matches = task.scope && !isFree ? await loadGlobMatch() : undefined;
  const lists = plan().tasks.filter(({ part }) => part?.kind === 'list');
  // What work is planned by is for a planner alone, whose changes are looked at: nobody else may ask less of anybody.
  const plans = new Set(files.expand(lists.flatMap(({ inputs }) => inputs)));
  const mayWrite = (path: string): boolean =>
    !plans.has(path) && (matches === undefined || writtenBy(task).some((pattern) => matches(pattern, path)));
  return [...state().tasks.values()].flatMap((made) => {
    if (made.id === task.id || !stands(made)) return [];
    const outputs = changedOutputs(made, files).flatMap(({ path, is }): OutputRecord[] => {
      const stamp = files.stamp(path);
      return stamp && is !== undefined && mayWrite(path) ? [{ path, digest: is, ...stamp }] : [];
    });
    return outputs.length > 0 ? [{ task: made.id, outputs }] : [];
  });
}

/** Gates that were passed with something else, who has read what was there before, and all that needs one of them. */
function doneAgain(
  task: Task,
  amended: Amended,
  { plan, state, gateOf }: Pick<ResultTools, 'plan' | 'state' | 'gateOf'>,
): readonly TaskId[] {
  const { tasks, reopened } = state();
  if ((reopened?.[task.id] ?? 0) >= mostReopens) return [];
  const earlier = [...tasks.values()].flatMap((made) => made.amended ?? []);
  const now = new Map([...earlier, ...amended.flatMap(({ outputs }) => outputs)].map((one) => [one.path, one.digest]));
  const seeds = plan().tasks.filter((one) => {
    const made = tasks.get(one.id);
    if (one.id === task.id || !stands(made)) return false;
    if (one.gate && made.gate?.decided && gateOf?.(one, made, plan()).kind !== 'passed') return true;
    return Object.entries(made.fingerprint?.inputs ?? {}).some(
      ([path, digest]) => now.has(path) && now.get(path) !== digest,
    );
  });
  if (seeds.length === 0) return [];
  const ids = [task, ...seeds].map(({ id }) => id);
  return [...new Set([...ids, ...downstreamOf(ids, plan().tasks)])];
}
