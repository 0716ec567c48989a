/** Something of a worktree that is still there when nobody works in it. */
export interface Leftover {
  readonly path?: string;
  readonly branch?: string;
  /** Those that are not in `into`. */
  readonly commits: readonly string[];
  /** Files that are in no commit. */
  readonly dirty: readonly string[];
  readonly reason: 'done' | 'unmerged' | 'dirty' | 'half-made' | 'half-removed' | 'aside' | 'kept' | 'tampered';
}

/** What cleaning did, or would do. */
export interface CleanedTrees {
  readonly removed: readonly Leftover[];
  /** What stays, and why. */
  readonly stays: readonly { readonly leftover: Leftover; readonly why: string }[];
  /** Clean and merged, but the unfinished run goes on in them. */
  readonly inUse?: readonly Leftover[];
  /** A folder of ours that is a link, or no folder. Then nothing was looked at. */
  readonly strange?: string;
  /** Why nothing could be looked at, although there is a folder of worktrees. */
  readonly problem?: { readonly what: string; readonly dir: string };
}
