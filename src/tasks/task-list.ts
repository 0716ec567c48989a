import type { ItemStep, TaskItem } from '../model/agents/task-item.js';

/** What a task file says, whichever of the two forms it has: `tasks.yaml`, or `NN-NN-PLAN.md` with frontmatter. */
export interface TaskList {
  readonly form: 'tasks' | 'plan';
  readonly tasks: readonly Task[];
  /** What is odd, but does not change what would be done. */
  readonly warnings: readonly Problem[];
}

/**
 * One task as it is read. What it depends on is as written until `joinTasks` has seen the other plans; a task with a wave and
 * without `depends_on` waits for all tasks of the nearest earlier wave.
 */
export interface Task extends Omit<TaskItem, 'summary' | 'steps'> {
  /** The `<task>` blocks of a plan, in order. */
  readonly steps: readonly Step[];
  readonly wave?: number;
  readonly place: TextPlace;
  readonly written: Written;
}

export interface Step extends ItemStep {
  readonly place: TextPlace;
}

/** Lines and columns count from 1. */
export interface TextPlace {
  readonly line: number;
  readonly column: number;
}

/** A stretch of one line. */
export interface Span extends TextPlace {
  readonly length: number;
}

export interface Problem extends Span {
  readonly severity: 'error' | 'warning';
  readonly file: string;
  readonly message: string;
  readonly hint?: string;
}

/** The words that tasks are compared by, with their places. */
export interface Written {
  readonly id: Span;
  /** Undefined where the task does not say. */
  readonly dependsOn: readonly Worded[] | undefined;
  readonly files: readonly Worded[];
  readonly wave: Span;
  /** Under which other names plans know this one. */
  readonly names: PlanNames | undefined;
}

export interface Worded {
  readonly text: string;
  readonly at: Span;
}

export interface PlanNames {
  readonly phase: string | undefined;
  /** Only good inside the phase. */
  readonly plan: string | undefined;
  /** Good everywhere. */
  readonly full: readonly string[];
}

export const isError = ({ severity }: Problem): boolean => severity === 'error';
