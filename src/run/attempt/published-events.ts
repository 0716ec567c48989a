import type { Published } from '../../model/agents/published.js';
import type { RecordedEvent, TaskSkipped } from '../../model/events/event.js';
import type { TaskState } from '../../model/state/run-state.js';

/** What an attempt told besides how it ended. */
export const publishedEvents = (task: string, attempt: number, { metrics, tests }: Published): RecordedEvent[] => [
  ...(tests ? [{ type: 'tests-recorded', task, attempt, tests } as const] : []),
  ...(metrics ? [{ type: 'metrics-recorded', task, attempt, metrics } as const] : []),
];

/** What an earlier run found out, for the run in which it still holds. */
export const carriedAlong = ({
  outputs,
  amended,
  product,
  warnings,
  tests,
  metrics,
  set,
}: TaskState): Pick<TaskSkipped, 'outputs' | 'amended' | 'product' | 'warnings' | 'tests' | 'metrics' | 'set'> => ({
  ...(outputs ? { outputs } : {}),
  ...(amended ? { amended } : {}),
  ...(product === undefined ? {} : { product }),
  ...(warnings ? { warnings } : {}),
  ...(tests ? { tests } : {}),
  ...(metrics ? { metrics } : {}),
  ...(set ? { set } : {}),
});
