import type { Plan } from '../../model/plan.js';
import type { RunState, TaskState, TaskStatus } from '../../model/state/run-state.js';

export type Standing = TaskStatus | 'waiting';

/** How the tasks of a run stand. Tasks that the journal does not name wait; without a plan those are not known. */
export interface RunCounts {
  readonly total: number;
  readonly by: ReadonlyMap<Standing, number>;
  readonly text: string;
}

export function runCounts(state: RunState, plan: Plan | undefined): RunCounts {
  const by = new Map<Standing, number>();
  const standings = standingsOf(state, plan);
  for (const { standing } of standings) by.set(standing, (by.get(standing) ?? 0) + 1);
  const text = standingOrder
    .flatMap((standing) => (by.has(standing) ? [`${by.get(standing)} ${standingWords[standing]}`] : []))
    .join(', ');
  return { total: standings.length, by, text };
}

export interface TaskStanding {
  readonly id: string;
  readonly standing: Standing;
  readonly task: TaskState | undefined;
}

export const standingsOf = (state: RunState, plan: Plan | undefined): readonly TaskStanding[] =>
  plan
    ? plan.tasks.map(({ id }) => {
        const task = state.tasks.get(id);
        return { id, standing: standingOf(task, state), task };
      })
    : [...state.tasks.values()].map((task) => ({ id: task.id, standing: standingOf(task, state), task }));

/** While a run goes on, nobody needs to know of a task how it had failed before: it is going to be tried again. */
export function standingOf(task: TaskState | undefined, { outcome }: RunState): Standing {
  if (!task || task.from === 'stale') return 'waiting';
  return task.from === 'before' && outcome === 'running' && task.status !== 'retrying' ? 'waiting' : task.status;
}

/** Total on purpose: a new status does not compile without words. */
export const standingWords: Record<Standing, string> = {
  passed: 'passed',
  cached: 'cached',
  failed: 'failed',
  skipped: 'skipped',
  running: 'running',
  retrying: 'trying again',
  cancelled: 'stopped',
  // "Waiting" is said of a run that needs a person.
  waiting: 'not started',
};

/** What is done comes first. */
export const standingOrder: readonly Standing[] = [
  'passed',
  'cached',
  'failed',
  'skipped',
  'running',
  'retrying',
  'cancelled',
  'waiting',
];

/** Of several tasks the one that a reader has to see first. */
export const worstStanding = (standings: readonly Standing[]): Standing =>
  worstFirst.find((standing) => standings.includes(standing)) ?? 'waiting';

const worstFirst: readonly Standing[] = [
  'failed',
  'cancelled',
  'retrying',
  'running',
  'waiting',
  'skipped',
  'passed',
  'cached',
];
