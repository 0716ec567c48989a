/** What `verify` looked at. The words of the kinds stand in front of the lines that people read. */
export type CheckKind =
  | 'journal'
  | 'end'
  | 'plan'
  | 'task'
  | 'output'
  | 'input'
  | 'source'
  | 'parity'
  | 'assert'
  | 'protected'
  | 'ledger'
  | 'log'
  | 'call'
  | 'gate'
  | 'report'
  | 'loop';

export interface Check {
  /** Unique in one verification: `output:results/a.json`. */
  readonly id: string;
  readonly kind: CheckKind;
  readonly status: 'passed' | 'failed';
  readonly detail: string;
  /** It passed, and has to be told all the same. */
  readonly isNotice?: true;
  /** The record itself, or what nobody may change, is not what it was. */
  readonly isTampered?: true;
}

export interface Verification {
  readonly run: string;
  /** `violated`: something was tampered with. */
  readonly outcome: 'passed' | 'failed' | 'violated';
  /** Never empty. */
  readonly checks: readonly Check[];
}
