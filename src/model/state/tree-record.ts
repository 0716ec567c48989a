/** What has to be remembered of a worktree. */
export interface TreeRecord {
  readonly branch: string;
  /** Absolute. */
  readonly path: string;
  /** The commit that it began with. */
  readonly base: string;
  /** The branch that it is to be merged into. */
  readonly into: string;
  /** Files that are in no commit and were copied into it, with their digests: inputs, and what is protected. */
  readonly carried: { readonly [file: string]: string };
  /** The digest of what is protected in it; the vault holds the rest. */
  readonly protection?: string;
}

export interface TreeCommit {
  /** Where the branch stands now. */
  readonly tip: string;
  /** Absent when there was nothing to commit. */
  readonly commit?: string;
  readonly files: readonly string[];
  /** Changed, and not committed: what may not be, and what cannot be, such as a repository inside. */
  readonly refused: readonly string[];
  /** Those of them that nobody had to write: outside of the scope. What is protected has a guard of its own. */
  readonly outside: readonly string[];
  /** Commits that somebody else made on the branch; they have names of their own now. */
  readonly kept: readonly string[];
}

export interface TreeMerged {
  readonly commit: string;
  readonly files: readonly string[];
}

/** What an attempt has done in its worktree, and how it is to be merged. */
export interface Committed {
  readonly attempt: number;
  /** The commit of the branch that holds it. */
  readonly tip: string;
  readonly message: string;
  /** The moment that its commits bear, in milliseconds since 1970. */
  readonly atMs: number;
  /** What it was made from, as one digest: for another plan or other inputs it does not count. */
  readonly fingerprint?: string;
  readonly summary?: string;
  /** It is in the project already. */
  readonly merged?: true;
}
