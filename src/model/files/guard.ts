/** Keeps files as they are that nobody may change. What it expects is held where no agent writes. */
export interface Guard {
  /** Looks. What was changed has been put back when it answers; `evidence` says where it is kept. */
  check(options?: { readonly thorough?: boolean }): Breach | undefined;
  /** What the last look saw of each file besides its content: when it was last changed, and which file it is. */
  seen?(): ReadonlyMap<string, string>;
  /** The same for the files of one stage, as they are now. */
  during(patterns: readonly string[]): Pick<Guard, 'check'>;
}

/** What an agent could change in git's own files to trick later steps, and where HEAD, branches and tags lead. */
export interface GitWatch {
  /** Looks, and puts back; commits stay as they are. */
  end(): Promise<Breach | undefined>;
}

export interface Breach {
  /** Relative to the project folder. */
  readonly files: readonly string[];
  /** Absolute: a difference for people, and what stood there. */
  readonly evidence: string;
  /** What could not be put back, in words. */
  readonly problems: readonly string[];
}
