import { downstreamOf, upstreamOf } from '../../graph/reach.js';
import type { RevisionRequested } from '../../model/events/gate-event.js';
import type { GateState } from '../../model/gates/gate.js';
import { reviseStage } from '../../model/gates/gate-words.js';
import type { Plan, Task } from '../../model/plan.js';
import type { Selected } from '../select.js';

/**
 * What a revision means: the tasks of the named stage that the gate depends on run again, and everything that depends on
 * them, the verification in between included. Undefined when the command line has left one of them out.
 */
export function revisionOf(
  task: Task,
  { rounds, decided }: GateState,
  { plan, selected }: { readonly plan: Plan; readonly selected: Selected },
): RevisionRequested | undefined {
  const stage = reviseStage(task.gate) ?? task.stage;
  const before = stage === task.stage ? undefined : upstreamOf(task.id, plan.tasks);
  const to = before ? plan.tasks.filter((one) => one.stage === stage && before.has(one.id)) : [task];
  if (to.some((one) => !selected.isChosen(one))) return undefined;
  const ids = to.map(({ id }) => id);
  return {
    type: 'revision-requested',
    task: task.id,
    stage,
    to: ids,
    downstream: [...downstreamOf(ids, plan.tasks)],
    feedback: decided!.reasons.join('\n'),
    round: rounds + 1,
  };
}
