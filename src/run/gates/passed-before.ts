import { type GateDecision, type GateState, isOpen, type Shown } from '../../model/gates/gate.js';
import { gateMap } from '../../model/gates/gate-words.js';
import type { Task } from '../../model/plan.js';
import type { GatePorts } from './gate-ports.js';

/**
 * The pass that somebody gave the very same before, in this run or in another one: the work was only done anew, and a verdict is
 * bound to digests. Undefined where another decision about it came later. Checks are done again all the same: nobody is asked by them.
 */
export function passedBefore(
  task: Task,
  { shown, gate, covers, evidence }: Shown,
  { decidedBefore }: Pick<GatePorts, 'decidedBefore'>,
): Omit<GateDecision, 'attempt' | 'planDigest'> | undefined {
  const { kind } = gateMap(task.gate!);
  const known = kind === 'auto' ? undefined : decidedBefore?.(task.id, shown);
  if (known?.verdict !== 'pass' || known.failed || known.shown !== shown) return undefined;
  const { question, by, reasons, from, rubric, votes } = known;
  const judged = { ...(rubric === undefined ? {} : { rubric }), ...(votes ? { votes } : {}) };
  const about = { task: task.id, question, kind, evidence };
  return { ...about, verdict: 'pass', by, reasons, ...judged, shown, gate, covers, from };
}

/** A question about exactly this waits for its answer. */
export const isAskedAbout = (gate: GateState, { shown }: Pick<Shown, 'shown'>): boolean =>
  isOpen(gate) && gate.opened!.shown === shown;
