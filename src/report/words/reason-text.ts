import type { Reason, ReasonCode } from '../../model/plan.js';

/** Why a task runs or does not: `input: data.csv changed`. */
export function reasonText({ code, detail }: Reason): string {
  const { alone, label } = reasonWords[code];
  if (detail === '' || label === null) return alone;
  return label === '' ? detail : `${label}: ${detail}`;
}

/** The reason in few words, for counting many: `input changed`. */
export const reasonHeading = (code: ReasonCode): string => reasonWords[code].alone;

interface ReasonWords {
  readonly alone: string;
  /** Stands before the detail. Empty: the detail is a sentence by itself. Null: the detail adds nothing. */
  readonly label: string | null;
}

/** Total on purpose: a reason without words does not compile. */
const reasonWords: Record<ReasonCode, ReasonWords> = {
  'never-ran': { alone: 'never ran', label: null },
  'input-changed': { alone: 'an input changed', label: 'input' },
  'option-changed': { alone: 'an option changed', label: 'option' },
  'behaviour-changed': { alone: 'the behaviour changed', label: 'behaviour' },
  'format-changed': { alone: 'recorded in another format', label: '' },
  'env-changed': { alone: 'the environment changed', label: 'environment' },
  'output-missing': { alone: 'an output is missing', label: 'output' },
  'output-changed': { alone: 'an output was changed', label: 'output' },
  'upstream-stale': { alone: 'what it needs changes', label: 'upstream' },
  forced: { alone: 'forced', label: 'forced' },
  incomplete: { alone: 'did not finish', label: '' },
  'failed-before': { alone: 'failed before', label: '' },
  'not-cached': { alone: 'never cached', label: '' },
  'gate-voided': { alone: 'its gate decision is void', label: 'gate' },
  'gate-open': { alone: 'its gate is not decided', label: 'gate' },
  'gate-rejected': { alone: 'its gate rejected it', label: 'gate' },
  'sent-back': { alone: 'it was sent back', label: '' },
  unchanged: { alone: 'nothing changed', label: null },
  'when-false': { alone: 'its condition is false', label: 'when' },
  'upstream-skipped': { alone: 'what it needs is skipped', label: 'upstream' },
  'agent-unreachable': { alone: 'its agent cannot be reached', label: 'no agent' },
  'not-selected': { alone: 'not selected', label: 'not selected' },
};
