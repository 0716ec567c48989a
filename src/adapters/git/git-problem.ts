/** Why git, or the state of a repository, does not allow what was asked. Nothing has been lost or half done then. */
export type GitReason =
  | 'git-missing'
  | 'git-too-old'
  | 'git-failed'
  | 'timed-out'
  | 'locked'
  | 'not-a-repository'
  | 'bare'
  | 'no-commit'
  | 'unsupported'
  | 'busy'
  | 'bad-name'
  | 'no-such-commit'
  | 'no-such-branch'
  | 'not-ours'
  | 'no-worktree'
  | 'tampered'
  | 'rewritten'
  | 'dirty'
  | 'unmerged'
  | 'checked-out';

export interface GitProblemWords {
  readonly reason: GitReason;
  readonly what: string;
  /** What somebody can do about it. */
  readonly fix: string;
  readonly files?: readonly string[];
}

export class GitProblem extends Error {
  /** The bundle may hold this class more than once, so what it carries counts, not which class made it. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    return value instanceof Error && value.name === 'GitProblem' && 'reason' in value;
  }

  readonly reason: GitReason;
  readonly what: string;
  readonly fix: string;
  readonly files: readonly string[];

  constructor({ reason, what, fix, files = [] }: GitProblemWords) {
    super(`${what}. ${fix}.`);
    this.name = 'GitProblem';
    this.reason = reason;
    this.what = what;
    this.fix = fix;
    this.files = files;
  }
}
