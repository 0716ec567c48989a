import type { Diagnostic } from '../../model/diagnostic.js';
import type { TaskId } from '../../model/plan.js';
import { pointerOf } from '../../model/pointer.js';
import type { Draft } from '../task/draft.js';

/** A circle printed as a path, with the reason of each step. */
export function cycleProblem(cycle: readonly TaskId[], drafts: readonly Draft[]): Diagnostic {
  const byId = new Map(drafts.map((draft) => [draft.task.id, draft]));
  const steps = cycle.slice(0, -1).map((id, index) => {
    const via = byId.get(id)!.task.inferred.find(({ task }) => task === cycle[index + 1])?.via;
    return `${id} ${via === undefined ? 'needs' : `reads ${via} of`} `;
  });
  return {
    code: 'AR501',
    message: `stages need each other in a circle: ${steps.join('')}${cycle.at(-1)}`,
    at: { kind: 'config', pointer: pointerOf(...firstStep(byId.get(cycle[0]!)!, byId.get(cycle[1]!)!)) },
    hint: 'Take out one of these steps',
  };
}

/** Where a task says that it comes after another: in its needs, in its inputs, or through its options. */
function firstStep({ task, config }: Draft, next: Draft): readonly (string | number)[] {
  const at = ['stages', task.stage];
  const via = task.inferred.find((edge) => edge.task === next.task.id)?.via;
  if (via === undefined) return [...at, 'needs', (config.needs ?? []).indexOf(next.task.stage)];
  const index = task.inputs.indexOf(via);
  return index < 0 ? [...at, 'with'] : [...at, 'inputs', index];
}
