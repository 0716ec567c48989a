import type { Check } from '../model/gates/check.js';
import { failed, passed, some, tampered } from './check.js';
import type { RunEvidence } from './evidence.js';

/** The record of the loop that the run belongs to, what it kept of each iteration, and whether the best is what is there. */
export async function iterationChecks({ loop }: RunEvidence): Promise<readonly Check[]> {
  const found = await loop();
  if (!found) return [];
  if (found.problem !== undefined) return [tampered('loop', '', found.problem)];
  const { lines, changes, kept, runs, told, goal } = found;
  const gone = changes.filter(({ problem }) => problem !== undefined);
  return [
    passed('loop', '', `${lines} lines, each bears the hash of the one before`),
    ...(changes.length === 0
      ? []
      : gone.length > 0
        ? [tampered('loop', 'changes', some(gone.map(({ number, problem }) => `iteration ${number}: ${problem}`)))]
        : [passed('loop', 'changes', `what ${changes.length} iterations changed is there, branch and difference`)]),
    ...(runs === undefined
      ? []
      : runs.problems.length > 0
        ? [tampered('loop', 'runs', some(runs.problems))]
        : [passed('loop', 'runs', runs.words)]),
    ...(told === undefined
      ? []
      : told.problems.length > 0
        ? [failed('loop', 'told', some(told.problems))]
        : [passed('loop', 'told', told.words)]),
    ...(goal === undefined ? [] : [(goal.isReached ? passed : failed)('loop', 'end', goal.words)]),
    ...(kept === undefined
      ? []
      : kept.problems.length > 0
        ? [failed('loop', 'kept', some(kept.problems))]
        : [passed('loop', 'kept', kept.words)]),
  ];
}
