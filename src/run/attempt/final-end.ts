import type { RecordedEvent, TaskFailed } from '../../model/events/event.js';
import type { Agent } from '../../model/generated/config.js';
import type { Reason } from '../../model/plan.js';

export type Failed = Pick<TaskFailed, 'type' | 'task' | 'attempt' | 'durationMs' | 'failure'>;

export interface FinalEnd {
  readonly how: 'over-budget' | 'violated' | 'skipped';
  readonly events: readonly RecordedEvent[];
}

/** Ends that another try must not hide, and those that are none: an agent that may be missing is missing. */
export function finalEnd(failed: Failed, { agents, onViolation = 'fail' }: EndRules): FinalEnd | undefined {
  const { failure, task } = failed;
  const recorded = { ...failed, retrying: false, errorClass: failure.code, counted: false } as const;
  switch (failure.code) {
    case 'budget-spent':
      return { how: 'over-budget', events: [{ type: 'budget-spent', task, ...failure.spent }, recorded] };
    case 'journal-corrupt':
    // Nothing was put back, so another try would begin with it.
    case 'checkout-written':
    // Its work is not its own any more.
    case 'worktree-written':
    // Whatever is made from the repository is not to be believed.
    case 'object-forged':
      return { how: 'violated', events: [recorded] };
    // What was changed has been put back, so it can be tried again; but only where somebody has said so.
    case 'scope-violated':
      return onViolation === 'retry' && failure.problems?.length === 0
        ? undefined
        : { how: 'violated', events: [recorded] };
    case 'protect-violated':
      return onViolation === 'retry' && !failure.problems ? undefined : { how: 'violated', events: [recorded] };
    case 'agent-failed': {
      if (!isUnreachable(failure.why) || !agents[failure.agent]?.optional) return undefined;
      const reasons: Reason[] = [{ code: 'agent-unreachable', detail: `${failure.agent}: ${failure.detail}` }];
      return { how: 'skipped', events: [{ type: 'task-skipped', task, cause: 'agent-unreachable', reasons }] };
    }
    default:
      return undefined;
  }
}

interface EndRules {
  readonly agents: { readonly [name: string]: Agent };
  readonly onViolation?: 'fail' | 'retry';
}

/** Nobody is there to be asked. */
const isUnreachable = (why: string): boolean => why === 'not-installed' || why === 'not-logged-in';

/** Also when it was to be tried again and the tries are spent. */
export const isViolation = ({ code }: Failed['failure']): boolean =>
  code === 'scope-violated' ||
  code === 'protect-violated' ||
  code === 'checkout-written' ||
  code === 'worktree-written' ||
  code === 'object-forged';
