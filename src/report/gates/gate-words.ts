import type { DecidedBy, GateKind } from '../../model/gates/gate.js';

/** Who decided, in a few words: `ada`, `judge reviewer (gpt-5)`, `its checks`. */
export function decidedByText({ kind, name, model }: DecidedBy): string {
  switch (kind) {
    case 'person':
      return name;
    case 'agent':
      return `judge ${name}${model === undefined ? '' : ` (${model})`}`;
    case 'checks':
      return 'its checks';
    case 'time':
      return 'time that ran out';
    case 'runner':
      return 'the runner';
  }
}

/** Of a gate whose question is not told any more. */
export const gateKindOf = ({ kind }: DecidedBy): GateKind =>
  kind === 'agent' ? 'auto-judge' : kind === 'checks' ? 'auto' : 'human';
