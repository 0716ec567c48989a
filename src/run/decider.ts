import type { Fingerprint } from '../model/fingerprint.js';
import type { Decision, Plan, Task, TaskId } from '../model/plan.js';
import type { Files } from '../model/ports.js';
import type { TaskState } from '../model/run-state.js';
import { fingerprintOf } from './fingerprint.js';
import { decide, leftOut, type PastResult, willRun } from './freshness.js';
import type { Selected } from './select.js';

export interface Decided extends Decision {
  /** Worked out when first asked for: reading inputs takes time, and a preview seldom needs to. */
  fingerprint(): Fingerprint;
}

export interface DeciderInput {
  readonly files: Files;
  readonly selected: Selected;
  past(id: TaskId): PastResult | undefined;
}

/** Decides about one task, given what its needs produced. The live run and the preview ask the same question here. */
export function decideTask(task: Task, input: DeciderInput, productOf: (id: TaskId) => string): Decided {
  let known: Fingerprint | undefined;
  const fingerprint = (): Fingerprint => {
    known ??= fingerprintOf(task, input.files, productOf);
    return known;
  };
  if (!input.selected.isChosen(task) && !task.skip) {
    return { fingerprint, action: 'skip', reasons: [{ code: 'not-selected', detail: 'not asked for' }] };
  }
  const decision = decide(task, input.past(task.id), { files: input.files, fingerprint });
  if (decision.action === 'cached' && input.selected.isForced(task)) {
    return { fingerprint, action: 'run', reasons: [{ code: 'forced', detail: 'asked for on the command line' }] };
  }
  return { fingerprint, ...decision };
}

/** What dependants compare with when a task does not run: its past product, or none at all when its stage is off. */
export function standingProduct(decision: Decision, past: TaskState | undefined): string {
  const switchedOff = decision.action === 'skip' && decision.reasons.every(({ code }) => code !== 'not-selected');
  return switchedOff ? leftOut : (past?.product ?? 'none');
}

/** What a run would do now, without doing it: a task that would run makes its dependants stale. */
export function preview(plan: Plan, input: DeciderInput): ReadonlyMap<TaskId, Decision> {
  const byId = new Map(plan.tasks.map((task) => [task.id, task]));
  const products = new Map<TaskId, string>();
  const decisions = new Map<TaskId, Decision>();
  for (const wave of plan.waves) {
    for (const id of wave) {
      const { action, reasons } = decideTask(byId.get(id)!, input, (need) => products.get(need) ?? willRun);
      const decision = { action, reasons };
      if (action !== 'run') products.set(id, standingProduct(decision, input.past(id)?.state));
      decisions.set(id, decision);
    }
  }
  return decisions;
}
