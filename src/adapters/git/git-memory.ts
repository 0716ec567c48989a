import { PackedCommits } from './commit-files.js';
import { type ConversionRules, KnownIndexes } from './known-index.js';

/** What is known of a repository for as long as this process lives, and what it is known under. */
export interface GitMemory {
  readonly commits: PackedCommits;
  readonly indexes: KnownIndexes;
  /** Commits whose files worktrees can hold. */
  readonly supported: Set<string>;
  /** Absent where nobody can say what git goes by. */
  readonly rules?: ConversionRules;
}

export const newMemory = (): GitMemory => ({
  commits: new PackedCommits(),
  indexes: new KnownIndexes(),
  supported: new Set(),
});
