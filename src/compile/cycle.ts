import type { Diagnostic } from '../model/diagnostic.js';
import type { TaskId } from '../model/plan.js';
import { pointerOf } from '../model/pointer.js';
import type { Draft } from './draft.js';
import type { Edges } from './edges.js';

/** A circle printed as a path, with the reason of each step. */
export function cycleProblem(cycle: readonly TaskId[], drafts: ReadonlyMap<TaskId, Draft>, edges: ReadonlyMap<TaskId, Edges>): Diagnostic {
  const steps = cycle.slice(0, -1).map((id, index) => {
    const next = cycle[index + 1]!;
    const via = edges.get(id)!.inferred.find(({ task }) => task === next)?.via;
    return `${id} ${via === undefined ? 'needs' : `reads ${via} of`} `;
  });
  const first = drafts.get(cycle[0]!)!;
  const written = first.config.needs?.length ? 'needs' : 'inputs';
  return {
    code: 'AR501',
    message: `stages need each other in a circle: ${steps.join('')}${cycle.at(-1)}`,
    at: { kind: 'config', pointer: pointerOf('stages', first.stage, written) },
    hint: 'Take out one of these steps',
  };
}
