import type { DecidedBy } from '../../model/gates/gate.js';
import { type GateMap, gateMap } from '../../model/gates/gate-words.js';
import type { Task } from '../../model/plan.js';

/** Who decides where nobody has to be asked. */
export function whoJudges({ gate, judge }: Task): DecidedBy {
  const { kind, ...words } = gateMap(gate!);
  if (kind !== 'auto-judge' || !('agent' in words)) return { kind: 'checks', name: 'checks' };
  const { model, family } = judge ?? {};
  return {
    kind: 'agent',
    name: words.agent,
    ...(model === undefined ? {} : { model }),
    ...(family === undefined ? {} : { family }),
  };
}

export const byRunner: DecidedBy = { kind: 'runner', name: 'autoresearch' };

/** Why work is not sent back any more. */
export const spentWords = (rounds: number): string =>
  rounds === 0
    ? 'the gate does not send work back'
    : `it was sent back ${rounds === 1 ? 'once' : `${rounds} times`}, which is all that revise.max allows`;

/** A person may send work back as often as they like, unless the gate says how often. */
export const noReviseWords = (
  { revise, exhausted }: Pick<GateMap, 'revise' | 'exhausted'>,
  rounds: number,
): string | undefined => (!revise || rounds < revise.max || exhausted === 'fail' ? undefined : spentWords(rounds));
