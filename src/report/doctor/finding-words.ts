/** A finding as it is told. */
export interface FindingWords {
  readonly label: string;
  readonly what: string;
  /** The command that mends it, for when it is not fine. */
  readonly fix?: string;
}

/** What the words depend on besides the finding. */
export interface TellOptions {
  /** Options that a command needs to speak of the same study, with a space before them. */
  readonly again: string;
  /** Paths in here are shown from here. */
  readonly cwd: string;
}
