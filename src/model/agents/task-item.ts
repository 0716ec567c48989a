import type { MustHaves } from './must-haves.js';

/** One task of a task file, as far as its work depends on it. */
export interface TaskItem {
  readonly id: string;
  readonly title: string;
  readonly description: string;
  /** Ids of other tasks of the same stage. */
  readonly dependsOn: readonly string[];
  /** Paths and globs that it may write; none: what the stage's scope says. */
  readonly files: readonly string[];
  /** Commands that must pass afterwards. */
  readonly verify: readonly string[];
  /** What a reader has to judge. */
  readonly criteria: readonly string[];
  readonly steps: readonly ItemStep[];
  readonly mustHaves: MustHaves;
  /** False when a person has to take part. */
  readonly autonomous: boolean;
  /** The file that it stands in, and the one that tells what was done. */
  readonly file: string;
  readonly summary: string;
}

export interface ItemStep {
  readonly name: string;
  /** `auto` where nothing is said; `checkpoint:…` waits for a human. */
  readonly type: string;
  readonly action: string;
  readonly files: readonly string[];
  readonly verify: readonly string[];
  readonly criteria: readonly string[];
}

/** What a task is in a stage that a task file makes many tasks of: the file is read, each is done, all are looked at. */
export type TaskPart =
  | {
      readonly kind: 'list';
      /** Absent while there is no such file: it is made by a stage that comes before. */
      readonly tasks?: number;
      /** What is odd in the files, and harmless. */
      readonly warnings?: readonly string[];
    }
  | {
      readonly kind: 'item';
      readonly item: TaskItem;
      /** It is done in a worktree, and only what is committed there reaches the project. */
      readonly isolated: boolean;
    }
  | {
      readonly kind: 'whole';
      readonly items: readonly Pick<TaskItem, 'id' | 'files' | 'summary'>[];
      /** Each was done in a worktree of its own, so there are commits. */
      readonly isolated: boolean;
    };

/** That a task file was read again says nothing of its tasks: what it says of one is part of that one. */
export const isOwnList = (
  { part, stage }: { readonly part?: TaskPart; readonly stage: string },
  need: string,
): boolean => part !== undefined && need === `${stage}:tasks`;
