import type { Task } from '../../model/plan.js';
import type { TaskState } from '../../model/state/run-state.js';

/** What went wrong, for whoever is to mend it. */
export interface Trouble {
  readonly task: Task;
  readonly attempt: number;
  /** One line: what happened. */
  readonly what: string;
  readonly errorClass: string;
  /** The last lines that the attempt wrote. */
  readonly lines: readonly string[];
  /** Absolute. */
  readonly stdoutFile: string;
  readonly stderrFile: string;
  /** Everything the run knows of the task so far. */
  readonly history: TaskState | undefined;
}

/** The words for an agent. It fixes, it does not redesign. */
export function mendPrompt(trouble: Trouble, escalated: boolean): string {
  const { task, attempt, what, errorClass, lines, stdoutFile, stderrFile } = trouble;
  const opening = escalated
    ? `The task "${task.id}" has used up all its tries. Find the cause and mend it.`
    : `An attempt of the task "${task.id}" failed. Mend the cause so that the next attempt passes.`;
  return [
    opening,
    '',
    `What the task does: ${task.description.summary || task.uses}`,
    ...(task.inputs.length > 0 ? [`It reads: ${task.inputs.join(', ')}`] : []),
    ...(task.outputs.length > 0 ? [`It has to write: ${task.outputs.join(', ')}`] : []),
    '',
    `Attempt ${attempt}: ${what} (class ${errorClass})`,
    ...historyLines(trouble.history),
    ...(trouble.history?.words?.said ?? []).map((text) => `A person says about it: ${text}`),
    `Its whole output: ${stdoutFile} and ${stderrFile}`,
    ...(lines.length > 0 ? ['The last lines of it:', ...lines.map((line) => `  ${line}`)] : []),
    '',
    'Change as little as you can, and only what the error calls for. Do not change what the task is meant to find out, its',
    'seeds, its data, its metrics or its tests. If the cause is a mistake of design, change nothing and answer with the',
    'outcome "escalate" and the reason "design".',
    ...scopeLines(task),
  ].join('\n');
}

const scopeLines = ({ scope, outputs }: Task): string[] =>
  scope === undefined ? [] : [`You may change only: ${[...scope, ...outputs].join(', ')}`];

function historyLines(history: TaskState | undefined): string[] {
  const classes = Object.entries(history?.failures ?? {});
  if (classes.length === 0) return [];
  return [`Failures so far: ${classes.map(([name, count]) => `${name} ×${count}`).join(', ')}`];
}
