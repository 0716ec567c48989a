import type { strayLinks } from './iteration-links.js';

/** What an iteration has changed so far. Nothing leads to it yet. */
export interface Changed {
  /** The commit with everything that it changed on top of what is checked out, which is `head`. */
  readonly snapshot: string;
  readonly head: string;
  /** What differs from the base, there or in a commit since, and has to be put right; relative to the top of the repository. */
  readonly files: readonly string[];
  /** Those that differ from the base now. */
  readonly changed: readonly string[];
  /** As `git apply` takes it. */
  readonly patch: Buffer;
  /** Those that are links to what is not of the loop. */
  readonly links: ReturnType<typeof strayLinks>;
}
