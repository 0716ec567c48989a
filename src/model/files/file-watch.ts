/** What has changed in the project since it was begun. */
export interface FileWatch {
  /** Relative to the project folder. Caches that were written are gone when it answers: they are made again. */
  changed(): readonly string[];
  /** Puts these files back as they were, and keeps what stood there. Undefined when there are no copies. */
  putBack(files: readonly string[]): PutBackFiles | undefined;
  /** Puts back what was written where it may be, if that was asked for; `own` says which of it is theirs. */
  undo?(own: (files: readonly string[]) => readonly string[]): void;
  /** The name of the note from which the next process could put back what this one cannot any more. */
  readonly note?: string;
  /** Everything has been looked at and put back: the note is not needed any more. */
  end?(): void;
}

export interface PutBackFiles {
  /** What could not be put back, in words. */
  readonly problems: readonly string[];
  /** Absolute: the difference, and what stood there. */
  readonly evidence: string;
}

/** Who is watched. */
export interface Watched {
  readonly task: string;
  readonly agent: string;
  /** What it may write is to be put back, too, when it broke the rules. */
  readonly undoes?: boolean;
}
