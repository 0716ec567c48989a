/** Whether a project's folder is there; `unsure` where its disk may only not be mounted. */
export type RootStanding = 'there' | 'gone' | 'unsure';

/** A folder of ours outside of any project: copies of what is protected, or what was found of a violation. */
export interface KeptPlace {
  readonly kind: 'vault' | 'evidence';
  readonly path: string;
  /** Of a vault its own name, of evidence that of its run. */
  readonly name: string;
  /** The project's folder, where the place says whose it is. */
  readonly root?: string;
  readonly standing?: RootStanding;
  /** Milliseconds since 1970. */
  readonly lastAt: number;
  /** On disk. */
  readonly bytes: number;
}

/** Why a place may go. */
export type GoReason = 'project-gone' | 'run-gone' | 'cut-short';

/** Why a place stays that nobody seems to need. */
export type StayReason = 'younger' | 'no-runs' | 'not-mounted' | 'unmarked';
