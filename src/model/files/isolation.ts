import type { Failure } from '../failure.js';
import type { Task } from '../plan.js';
import type { Files, Workspace } from '../ports.js';
import type { Committed, TreeCommit, TreeMerged, TreeRecord } from '../state/tree-record.js';
import type { Guard } from './guard.js';

/** Where a task works: in the project, or in a worktree of its own. */
export interface Place {
  readonly files: Files;
  /** Its root is the project folder there. */
  readonly workspace: Workspace;
  readonly guard?: Guard;
  readonly unkept?: Unkept;
  /** Undefined: the file satisfies the schema. Otherwise the words that say how it does not. */
  checkSchema(file: string, schema: string): Promise<string | undefined>;
}

/** What is in a worktree and would be in no commit of it. */
export interface Unkept {
  /**
   * Takes it away, so that what is run there then sees what its branch will have; tells what that was. Where a checkout would give something else
   * than what was written, it is there instead, and what was written goes into the folder `keep`. Throws a `FailureError` for what no commit can hold.
   */
  takeAway(keep: string): Promise<TakenAway>;
  putBack(): Promise<void>;
}

export interface TakenAway {
  /** What is in no commit. */
  readonly without: readonly string[];
  /** What git keeps otherwise than it was written: line ends, `$Id$`, encodings, modes. */
  readonly otherwise: readonly string[];
}

/** Gives tasks worktrees. What git or the state of the repository does not allow is thrown as a `FailureError`. */
export interface Isolation {
  /** A new one. What an earlier run left under its name is put away, and nothing of it is lost. */
  begin(task: Task): Promise<OwnTree>;
  /** The one that the journal tells of. `committed`: its work is done. */
  goOn(task: Task, known: TreeRecord, committed: Committed | undefined): Promise<OwnTree>;
  /** Takes what was committed since to where the work is to be merged into the worktree, and leaves the work as it is. Undefined: there is nothing. */
  catchUp(task: Task, known: TreeRecord): Promise<CaughtUp | Conflict | undefined>;
  /** Takes away one whose work is merged; the words for why it has to stay, if it has to. */
  remove(known: TreeRecord): Promise<string | undefined>;
}

/** The worktree of one task, from its first attempt until its work is merged. */
export interface OwnTree {
  readonly record: TreeRecord;
  readonly place: Place;
  /** Begins to watch the checkout that people work in. */
  watchMain(): Promise<MainWatch>;
  /** Why nobody can work in it any more: it is gone, or something else was put in its place. */
  broken(): Failure | undefined;
  /** From now on nobody is to write in it; asked later, tells what was written all the same. */
  atRest(): () => readonly string[];
  commit(words: CommitWords, before: (made: TreeCommit) => void): Promise<TreeCommit>;
  /** Takes in what others have merged since. */
  update(): Promise<'current' | 'updated' | Conflict>;
  /** Files that a check has written are what was committed again. */
  restore(): Promise<void>;
  /** `writing` is called before the first file of the project is written. */
  merge(words: CommitWords, writing: (files: readonly string[]) => void): Promise<TreeMerged | Conflict | 'moved'>;
  /** Copies files that are in no commit, such as ignored outputs, to the project; tells which. */
  bringBack(files: readonly string[]): Promise<readonly string[]>;
}

export interface CommitWords {
  readonly message: string;
  /** Since 1970: the same moment gives the same commit again. */
  readonly atMs: number;
}

export interface MainWatch {
  /** Everything written in the checkout since, our own merges apart; the branch or commit that was checked out instead. */
  changes(): Promise<{
    readonly files: readonly string[];
    readonly head?: { readonly from: string; readonly to: string };
  }>;
}

export interface CaughtUp {
  readonly commit: string;
  /** The worktree from here on. */
  readonly record: TreeRecord;
}

export interface Conflict {
  readonly conflicts: readonly string[];
}
