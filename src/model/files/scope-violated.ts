/** Files were written that the stage may not write. */
export interface ScopeViolated {
  readonly code: 'scope-violated';
  readonly agent: string;
  readonly files: readonly string[];
  /** Those of them that say what the study is, or what it is judged by: no scope covers them. */
  readonly held?: readonly string[];
  /** Those of them that are protected: no scope covers these either. */
  readonly guarded?: readonly string[];
  /** Tasks that ran at the same time in the same tree. */
  readonly beside?: readonly string[];
  /** Found after the runner had been killed: people who were quick cannot be told from the agent. */
  readonly cutShort?: true;
  /** What could not be put back; absent when nothing was put back at all. */
  readonly problems?: readonly string[];
  /** Where the difference and what stood there are kept. */
  readonly evidence?: string;
}
