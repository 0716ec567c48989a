import type { Decision, Plan, ReasonCode, TaskId } from '../../model/plan.js';
import type { RunState } from '../../model/state/run-state.js';
import { preview } from '../../run/freshness/decider.js';
import type { History } from '../history/history.js';

export interface StaleNow {
  /** Tasks that had passed in this run and have to run again. */
  readonly stale: readonly TaskId[];
  /** What differs on the disk and makes them so. */
  readonly changes: readonly string[];
}

/** What a run that goes on will do again, and why. `isEdited`: the plan is another one, which has been told already. */
export function staleNow(
  plan: Plan,
  history: History,
  { tasks, isEdited }: Pick<RunState, 'tasks'> & Edited,
): StaleNow {
  const now = history.still();
  // Also of what is not asked for: it is left alone, and must not pass for what the plan says by now.
  const decisions = preview(plan, { ...now, selected: { ...now.selected, isChosen: () => true } });
  const hadPassed = (id: TaskId): boolean => ['passed', 'cached'].includes(tasks.get(id)?.status ?? '');
  const again = plan.tasks.filter(({ id }) => hadPassed(id) && decisions.get(id)?.action === 'run');
  const changes = new Map<string, Set<string>>();
  for (const { id, stage } of again)
    for (const what of differences(decisions.get(id)!)) changes.set(what, (changes.get(what) ?? new Set()).add(stage));
  // Who looks anew each time is not stale; and what somebody sent back or forced is told by those words.
  if (!isEdited && changes.size === 0) return { stale: [], changes: [] };
  return {
    stale: again.map(({ id }) => id),
    changes: [...changes].slice(0, mostChanges).map(([what, stages]) => `${what} (${[...stages].join(', ')})`),
  };
}

interface Edited {
  readonly isEdited: boolean;
}

/** Only what lies outside of the plan: how that differs has been told. */
const differences = ({ maybe, reasons }: Decision): string[] =>
  maybe ? [] : reasons.filter(({ code }) => onDisk.has(code)).map(({ detail }) => detail.replace(/ changed$/, ''));

const onDisk: ReadonlySet<ReasonCode> = new Set(['input-changed', 'output-missing', 'output-changed']);

/** A journal is no place for ten thousand names. */
const mostChanges = 50;
