/** Keeps files as they are that nobody may change. What it expects is held where no agent writes. */
export interface Guard {
  /** Looks. What was changed has been put back when it answers; `evidence` says where it is kept. */
  check(options?: GuardLook): Breach | undefined;
  /** What the last look saw of each file besides its content: when it was last changed, and which file it is. */
  seen?(): ReadonlyMap<string, string>;
  /** The same for the files of one stage, as they are now. */
  during(patterns: readonly string[]): Pick<Guard, 'check'>;
}

/** What an agent could change in git's own files to trick later steps, and where HEAD, branches and tags lead. */
export interface GitWatch {
  /** Looks, and puts back; commits stay as they are. */
  end(found?: TellFound): Promise<Breach | undefined>;
}

/** Told before anything is put back, and again when there turns out to be more: whoever is killed in between must not have hidden it. */
export type TellFound = (found: Omit<Breach, 'problems'>) => void;

export interface GuardLook {
  readonly thorough?: boolean;
  readonly found?: TellFound;
}

export interface Breach {
  /** Relative to the project folder. */
  readonly files: readonly string[];
  /** Absolute: a difference for people, and what stood there. */
  readonly evidence: string;
  /** What could not be put back, in words. */
  readonly problems: readonly string[];
  /** By which the next process could put it back: the digest of what was kept, and the folder that it was kept of. */
  readonly kept?: string;
  readonly place?: string;
}
