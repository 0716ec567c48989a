import type { TaskSkipped } from '../../model/events/event.js';
import { type Failure, isOfGate } from '../../model/failure.js';
import { asOfNow } from '../../model/files/as-of-now.js';
import type { Fingerprint } from '../../model/fingerprint.js';
import type { GateState } from '../../model/gates/gate.js';
import type { Decision, Plan, Reason, Task, TaskId } from '../../model/plan.js';
import type { Files, Progress } from '../../model/ports.js';
import type { TaskState } from '../../model/state/run-state.js';
import { carriedAlong } from '../attempt/published-events.js';
import type { GateStanding } from '../gates/standing.js';
import type { Selected } from '../select.js';
import { fingerprintOf, withStamps } from './fingerprint.js';
import { decide, leftOut, type PastResult, willBeAsked, willMakeAnew, willRun } from './freshness.js';

export interface Decided extends Decision {
  /** Worked out when first asked for: reading inputs takes time, and a preview seldom needs to. `anew`: as it is by now. */
  fingerprint(anew?: 'anew'): Fingerprint;
  /** As they were looked at for this decision. */
  readonly files: Files;
}

export interface DeciderInput {
  readonly files: Files;
  readonly selected: Selected;
  past(id: TaskId): PastResult | undefined;
  /** Why a task has to be done again, when a gate has sent it back. */
  sentBack?(id: TaskId): string | undefined;
  /** What happened, in one line. */
  failureWords?(failure: Failure): string;
  /** How the gate of a task stands; there in a study with gates. */
  gateOf?(task: Task, state: TaskState, plan: Plan): GateStanding;
}

/** In the middle of a run: what was made in it and has been amended, or has passed a gate, is only looked at again. */
export function liveDecider(
  input: DeciderInput,
  live: { sentBack(id: TaskId): string | undefined; known(id: TaskId): TaskState | undefined },
): DeciderInput {
  const past = (id: TaskId): PastResult | undefined => {
    const state = live.known(id);
    const isMade = state && (state.amended !== undefined || (state.gate?.decided && state.status === 'passed'));
    return isMade ? { state } : input.past(id);
  };
  return { ...input, sentBack: live.sentBack, past };
}

/** Decides about one task, given what its needs produced. The live run and the preview ask the same question here. */
export function decideTask(task: Task, input: DeciderInput, productOf: (id: TaskId) => string): Decided {
  let known: Fingerprint | undefined;
  // An input is asked for three times, and the system takes longer to answer than all the rest of a decision.
  const files = asOfNow(input.files);
  const fingerprint = (anew?: 'anew'): Fingerprint => {
    if (anew || !known) known = fingerprintOf(task, anew ? input.files : files, productOf);
    return known;
  };
  // Written out, because a study may have a hundred thousand tasks.
  const decided = ({ action, reasons, maybe }: Decision): Decided =>
    maybe ? { files, fingerprint, action, reasons, maybe } : { files, fingerprint, action, reasons };
  if (!input.selected.isChosen(task) && !task.skip) return decided(notSelected);
  const back = task.skip ? undefined : input.sentBack?.(task.id);
  if (back !== undefined) return decided({ action: 'run', reasons: [{ code: 'sent-back', detail: back }] });
  const past = input.past(task.id);
  const decision = decide(task, past, { files, fingerprint, failureWords: input.failureWords });
  if (decision.action !== 'cached') return decided(decision);
  if (input.selected.isForced(task)) {
    const detail = input.selected.why ?? 'asked for on the command line';
    return decided({ action: 'run', reasons: [{ code: 'forced', detail }] });
  }
  const outputs = past?.state.outputs?.map(({ path }) => path) ?? [];
  return { ...decided(decision), fingerprint: (anew) => withStamps(fingerprint(anew), outputs, input.files) };
}

const notSelected: Decision = { action: 'skip', reasons: [{ code: 'not-selected', detail: 'not asked for' }] };

/** What dependants compare with when a task behind a gate does not run: what was approved, if anything was. */
export function gatedProduct(
  task: Task,
  decided: Decision,
  { plan, input }: { readonly plan: Plan; readonly input: DeciderInput },
): Gated {
  const state = input.past(task.id)?.state;
  const { reasons } = decided;
  const product = standingProduct(decided, state);
  if (!state?.product || product === leftOut) return { product, reasons };
  const standing = input.gateOf?.(task, state, plan);
  if (standing?.kind === 'passed') return { product: standing.handedOn, reasons };
  const reason: Reason = standing?.reason ?? { code: 'gate-open', detail: '' };
  return { product: willBeAsked, reasons: decided.action === 'skip' ? [...reasons, reason] : [reason] };
}

interface Gated {
  readonly product: string;
  readonly reasons: readonly Reason[];
}

/** What dependants compare with when a task does not run: its past product, or none at all when its stage is off. */
export function standingProduct(decision: Decision, past: TaskState | undefined): string {
  const switchedOff = decision.action === 'skip' && decision.reasons.every(({ code }) => code !== 'not-selected');
  return switchedOff ? leftOut : (past?.product ?? 'none');
}

/** What a run would do now, without doing it: a task that would run makes its dependants stale. */
export function preview(plan: Plan, input: DeciderInput, progress?: Progress): ReadonlyMap<TaskId, Decision> {
  const decisions = new Map<TaskId, Decision>();
  const total = plan.tasks.length;
  for (const { task, decision } of decideInOrder(plan, input)) {
    decisions.set(task.id, decision);
    progress?.at({ what: 'looking at tasks', done: decisions.size, total });
  }
  return decisions;
}

const isComparable = ({ outputs, description }: Task): boolean => outputs.length > 0 || description.repeats === true;

const isRedefined = ({ reasons }: Decision): boolean =>
  reasons.some(({ code }) => code === 'option-changed' || code === 'behaviour-changed' || code === 'env-changed');

interface DecidedTask {
  readonly task: Task;
  readonly decision: Decision;
}

/** One task after another, needs first, so that who has seen enough can stop looking. */
export function* decideInOrder(plan: Plan, input: DeciderInput): Generator<DecidedTask> {
  const byId = new Map(plan.tasks.map((task) => [task.id, task]));
  const products = new Map<TaskId, string>();
  const redefined = new Set<TaskId>();
  const productOf = (need: TaskId): string => {
    const task = byId.get(need)!;
    // A gate hands on what it approved and the definitions that it is bound to.
    const isSame = isComparable(task) && !(task.gate && redefined.has(need));
    return products.get(need) ?? (isSame ? willRun : willMakeAnew);
  };
  for (const wave of plan.waves) {
    for (const id of wave) {
      const task = byId.get(id)!;
      const { action, reasons, maybe } = decideTask(task, input, productOf);
      const decision: Decision = maybe ? { action, reasons, maybe } : { action, reasons };
      if (isRedefined(decision) || task.needs.some((need) => redefined.has(need))) redefined.add(id);
      if (action === 'run') yield { task, decision };
      else if (task.gate) {
        const stands = gatedProduct(task, decision, { plan, input });
        products.set(id, stands.product);
        yield { task, decision: { ...decision, reasons: stands.reasons } };
      } else {
        products.set(id, standingProduct(decision, input.past(id)?.state));
        yield { task, decision };
      }
    }
  }
}

/** A result that still holds, as the run that takes it over writes it down. */
export function cachedEvent(task: Task, decided: Decided, { state: past, run }: PastResult): TaskSkipped {
  const carried = past.gate && carriedGate(past.gate, run);
  return {
    type: 'task-skipped',
    task: task.id,
    cause: 'cached',
    reasons: decided.reasons,
    fingerprint: decided.fingerprint(),
    ...carriedAlong(past),
    ...(carried && task.gate ? { gate: carried } : {}),
  };
}

/** What a run may take over of an earlier one: what was decided, not what was asked and not answered. */
function carriedGate({ opened, decided, redone }: GateState, run: string | undefined): GateState | undefined {
  if (!decided) return undefined;
  const from = decided.from ?? (run === undefined ? undefined : { run, at: new Date(decided.at).toISOString() });
  const asked = opened?.question === decided.question ? { opened } : {};
  return { ...asked, decided: { ...decided, ...(from ? { from } : {}) }, rounds: 0, ...(redone ? { redone } : {}) };
}

/** What this very run has finished already, and who is not asked for this time, keep what the run knows of them. */
export function isNews({ cause }: TaskSkipped, task: Task, known: TaskState | undefined): boolean {
  const isStanding = known?.status === 'passed' || known?.status === 'cached' || isOfGate(known?.failure);
  // It was thought to be stale, until what it is made from turned out to be the same.
  if (cause === 'cached') return !isStanding || known?.from === 'stale';
  return !(cause === 'excluded' && known && !task.skip);
}
