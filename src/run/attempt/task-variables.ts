import type { Task } from '../../model/plan.js';

/** What the commands and jobs of a task find in their environment, besides what the runner's own gives them. */
export const taskVariables = (
  task: Task,
  { run, attempt, root, feedback }: VariableFacts,
): { readonly [name: string]: string } => ({
  ...task.env,
  AUTORESEARCH_RUN: run,
  AUTORESEARCH_TASK: task.id,
  AUTORESEARCH_ATTEMPT: String(attempt),
  AUTORESEARCH_ROOT: root,
  ...(feedback === undefined ? {} : { AUTORESEARCH_FEEDBACK: feedback }),
});

export interface VariableFacts {
  readonly run: string;
  readonly attempt: number;
  readonly root: string;
  readonly feedback?: string | undefined;
}
