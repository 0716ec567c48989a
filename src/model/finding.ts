import type { Outcome } from './events/event.js';
import type { LockHolder } from './lock-holder.js';

/** `odd`: it works, and somebody should know. `wrong`: something does not work. */
export type FindingStanding = 'fine' | 'odd' | 'wrong';

/** One thing that `doctor` looked at, without words. */
export type Finding = FindingFacts & { readonly standing: FindingStanding };

export type FindingFacts =
  | { readonly check: 'node'; readonly version: string; readonly wanted: string }
  | { readonly check: 'git'; readonly version?: string; readonly wanted: string }
  | { readonly check: 'sandbox'; readonly level: 'bwrap' | 'none'; readonly wanted?: string; readonly why?: string }
  | ProgramFinding
  | RepositoryFinding
  | { readonly check: 'identity'; readonly missing: readonly string[] }
  | { readonly check: 'ignored'; readonly isIgnored: boolean }
  | ConfigFinding
  | AgentFinding
  | ClisFinding
  /** Those whose programs are here, where no study says which it needs. */
  | { readonly check: 'schedulers'; readonly found: readonly string[] }
  | { readonly check: 'variables'; readonly names: readonly string[]; readonly missing: readonly string[] }
  | { readonly check: 'prices'; readonly unpriced: readonly string[] }
  /** Agents whose cap does not end a call, and why. */
  | { readonly check: 'caps'; readonly loose: readonly { readonly agent: string; readonly why: string }[] }
  | {
      readonly check: 'cluster';
      readonly name: string;
      readonly type: string;
      /** Programs that are not there. */
      readonly missing: readonly string[];
      /** What the scheduler said instead of an answer. */
      readonly problem?: string;
    }
  | StateFinding
  | { readonly check: 'disk'; readonly freeBytes: number; readonly freeFiles?: number }
  | {
      readonly check: 'lock';
      readonly kind: 'free' | 'alive' | 'dead' | 'unknown';
      readonly holder?: LockHolder;
    }
  | RunsFinding
  | { readonly check: 'processes'; readonly pids: readonly number[] }
  | { readonly check: 'sessions'; readonly names: readonly string[]; readonly attach?: string }
  | WorktreesFinding
  | { readonly check: 'stashes'; readonly count: number }
  | PlacesFinding
  /** No process, session, worktree or stash was found. */
  | { readonly check: 'leftovers' }
  | { readonly check: 'failed'; readonly what: string; readonly detail: string };

export interface ProgramFinding {
  readonly check: 'program';
  readonly name: 'tmux' | 'python3';
  /** Absent when it is not there. */
  readonly version?: string;
  readonly neededBy: readonly string[];
}

export interface RepositoryFinding {
  readonly check: 'repository';
  readonly kind: 'none' | 'bare' | 'broken' | 'fine';
  readonly root: string;
  /** Stages that work in worktrees. */
  readonly neededBy: readonly string[];
  readonly branch?: string;
  readonly hasCommit?: boolean;
  readonly isShallow?: boolean;
  /** What git said. */
  readonly detail?: string;
}

export interface ConfigFinding {
  readonly check: 'config';
  /** `refused`: `plan` works, `exec` would not run it. */
  readonly kind: 'none' | 'invalid' | 'refused' | 'fine';
  readonly file?: string;
  readonly problems: number;
  readonly stages?: number;
  readonly tasks?: number;
}

export interface AgentFinding {
  readonly check: 'agent';
  readonly names: readonly string[];
  readonly backend: string;
  readonly isThere: boolean;
  readonly program?: string;
  readonly version?: string;
  /** Whether something says that somebody is logged in; only a call would tell for sure. */
  readonly login: 'seen' | 'not-seen' | 'unknown' | 'not-needed';
  /** The npm package that brings it. */
  readonly from?: string;
}

/** Coding CLIs, where no study says which it needs. */
export interface ClisFinding {
  readonly check: 'clis';
  readonly found: readonly (Pick<AgentFinding, 'version' | 'login'> & { readonly name: string })[];
}

export interface StateFinding {
  readonly check: 'state';
  readonly dir: string;
  readonly isThere: boolean;
  readonly isWritable: boolean;
  readonly filesystem: string;
}

export interface RunsFinding {
  readonly check: 'runs';
  readonly count: number;
  /** `isLoopOver`: its own tasks passed, and the loop that it is the last of did not. */
  readonly newest?: {
    readonly run: string;
    readonly outcome: Outcome;
    readonly isLoopOver?: boolean;
    /** What `--set` said. */
    readonly set?: readonly string[];
  };
  /** Why the newest cannot be trusted. */
  readonly problem?: string;
}

export interface WorktreesFinding {
  readonly check: 'worktrees';
  /** A run goes on: these are no leftovers. */
  readonly isAtWork: boolean;
  readonly removable: number;
  readonly kept: number;
  /** A link or a file where a folder of ours should be, or why nothing could be looked at. */
  readonly problem?: string;
}

export interface PlacesFinding {
  readonly check: 'places';
  readonly folder: string;
  readonly vaults: number;
  readonly evidence: number;
  readonly bytes: number;
  readonly removable: number;
  /** That nobody seems to need, or nobody knows. */
  readonly kept: number;
}
