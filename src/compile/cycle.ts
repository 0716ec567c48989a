import type { Diagnostic } from '../model/diagnostic.js';
import type { TaskId } from '../model/plan.js';
import { pointerOf } from '../model/pointer.js';
import type { Draft } from './draft.js';

/** A circle printed as a path, with the reason of each step. */
export function cycleProblem(cycle: readonly TaskId[], drafts: readonly Draft[]): Diagnostic {
  const byId = new Map(drafts.map((draft) => [draft.task.id, draft]));
  const steps = cycle.slice(0, -1).map((id, index) => {
    const via = byId.get(id)!.task.inferred.find(({ task }) => task === cycle[index + 1])?.via;
    return `${id} ${via === undefined ? 'needs' : `reads ${via} of`} `;
  });
  const first = byId.get(cycle[0]!)!;
  const written = first.config.needs?.length ? 'needs' : 'inputs';
  return {
    code: 'AR501',
    message: `stages need each other in a circle: ${steps.join('')}${cycle.at(-1)}`,
    at: { kind: 'config', pointer: pointerOf('stages', first.task.stage, written) },
    hint: 'Take out one of these steps',
  };
}
