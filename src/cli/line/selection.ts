import type { Diagnostic } from '../../model/diagnostic.js';
import type { Plan } from '../../model/plan.js';
import { err, ok, type Result } from '../../model/result.js';
import { type Selected, select } from '../../run/select.js';
import { didYouMean } from '../../source/did-you-mean.js';
import type { CliContext } from '../context.js';

/** The stages named by --only, --from and --force (and as words after `plan`), all of which must be there. */
export function selectionOf(
  context: CliContext,
  plan: Plan,
  only = context.values('only'),
): Result<Selected, readonly Diagnostic[]> {
  const selection = { only, from: context.values('from'), force: context.values('force') };
  const known = new Set(plan.tasks.map((task) => task.stage));
  const unknown = Object.values(selection)
    .flat()
    .filter((name) => !known.has(name));
  if (unknown.length > 0) return err(unknown.map((name) => unknownStage(name, known)));
  return ok(select(plan, selection));
}

export const unknownStage = (name: string, known: Iterable<string>): Diagnostic => ({
  code: 'AR301',
  message: `there is no stage "${name}"`,
  at: { kind: 'argument', argument: name },
  hint: didYouMean(name, [...known]) ?? `The stages are ${[...known].join(', ')}`,
});
