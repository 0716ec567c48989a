import type { GateState, Shown } from '../../model/gates/gate.js';
import { isOpen } from '../../model/gates/gate.js';
import type { Reason, Task } from '../../model/plan.js';
import type { TaskState } from '../../model/state/run-state.js';
import { type ShownTools, shownNow } from './shown.js';

/** How the gate of a task stands, given what is there now. */
export type GateStanding =
  /** `handedOn` is what dependants compare with: a task behind a gate hands on what was approved. */
  | { readonly kind: 'passed'; readonly handedOn: string }
  | { readonly kind: 'rejected'; readonly reason: Reason }
  /** Somebody wants it revised, and that has not been seen to. */
  | { readonly kind: 'owed'; readonly reason: Reason }
  | { readonly kind: 'open'; readonly shown: Shown; readonly reason: Reason };

/** A pass holds while everything that was shown is the same. A rejection also ends when the work was done anew. */
export function gateStanding(task: Task, { gate, product }: TaskState, tools: ShownTools): GateStanding {
  const shown = shownNow(task, product ?? 'none', tools);
  const decided = gate?.decided;
  if (!decided) return { kind: 'open', shown, reason: notDecided(gate, shown) };
  if (decided.shown !== shown.shown) {
    const detail = `${changesSince(gate, shown)} since ${decided.by.name} decided`;
    return { kind: 'open', shown, reason: { code: 'gate-voided', detail } };
  }
  if (decided.verdict === 'pass') return { kind: 'passed', handedOn: shown.shown };
  if (gate.owed) return { kind: 'owed', reason: { code: 'sent-back', detail: `${decided.by.name} wants it revised` } };
  const holds = decided.verdict === 'reject' && !decided.failed && !gate.redone && !isOpen(gate);
  if (!holds) return { kind: 'open', shown, reason: notDecided(gate, shown) };
  return { kind: 'rejected', reason: { code: 'gate-rejected', detail: decided.reasons.join('; ') } };
}

const notDecided = (gate: GateState | undefined, shown: Shown): Reason => ({
  code: 'gate-open',
  detail:
    gate && isOpen(gate) && gate.opened!.shown !== shown.shown
      ? `${changesSince(gate, shown)} since it was asked`
      : 'nobody has decided yet',
});

/** What is not as it was shown, in a few words. */
export function changesSince(gate: GateState, now: Shown): string {
  const { opened, decided } = gate;
  const then = opened ?? decided;
  const parts = [
    ...(then && then.gate !== now.gate ? ['the gate changed'] : []),
    ...(then && then.covers !== now.covers ? ['the plan that led to it changed'] : []),
    ...(opened ? changedFiles(opened.evidence, now.evidence) : []),
  ];
  return parts.length === 0 ? 'the result changed' : parts.slice(0, mostNamed).join(', ');
}

const mostNamed = 4;

function changedFiles(then: Shown['evidence'], now: Shown['evidence']): string[] {
  const before = new Map(then.map(({ path, digest }) => [path, digest]));
  const after = new Set(now.map(({ path }) => path));
  return [
    ...now
      .filter(({ path, digest }) => before.get(path) !== digest)
      .map(({ path }) => `${path} ${before.has(path) ? 'changed' : 'is new'}`),
    ...then.filter(({ path }) => !after.has(path)).map(({ path }) => `${path} is gone`),
  ];
}
