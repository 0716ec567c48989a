import type { Task } from '../../model/plan.js';
import type { Trouble } from '../errors/mend-prompt.js';

export interface ReplanFacts {
  /** The task files, and what may be written of them. */
  readonly files: readonly string[];
  readonly patterns: readonly string[];
  /** Ids in the files of tasks that have to stay as they are. */
  readonly fixed: readonly string[];
}

/** The words for a planner, who may change the task file and nothing else. */
export function replanPrompt(trouble: Trouble, { files, patterns, fixed }: ReplanFacts): string {
  const { task, attempt, what, errorClass, lines, stdoutFile, stderrFile, history } = trouble;
  const failures = Object.entries(history?.failures ?? {}).map(([name, count]) => `${name} ×${count}`);
  return [
    `The task "${task.id}" has used up all its tries. It is a task of ${files.join(', ')}. Find out why it cannot be carried out as it`,
    'is written there, and change the file so that it can be.',
    '',
    `What the task does: ${task.description.summary || task.uses}${idText(task)}`,
    '',
    `Attempt ${attempt}: ${what} (class ${errorClass})`,
    ...(failures.length > 0 ? [`Failures so far: ${failures.join(', ')}`] : []),
    ...(history?.words?.said ?? []).map((text) => `A person says about it: ${text}`),
    `Its whole output: ${stdoutFile} and ${stderrFile}`,
    ...(lines.length > 0 ? ['The last lines of it:', ...lines.map((line) => `  ${line}`)] : []),
    '',
    'Rules:',
    `- You may change only: ${patterns.join(', ')}. Anything else that you change ends the run.`,
    '- You may say otherwise how a task is to be done, which files it may write and what it depends on, and you may add tasks.',
    '- Keep every check, criterion and must-have: one may move to another task that is not done, but only a person may ask less.',
    '- Keep the id of the task that failed.',
    ...(fixed.length > 0 ? [`- These are done or under way; leave them exactly as they are: ${fixed.join(', ')}`] : []),
    '- A change that breaks one of these rules is undone, and somebody else is asked.',
    'If the file is not the cause, change nothing and answer with the outcome "failed", or "escalate" if a person has to decide.',
  ].join('\n');
}

const idText = ({ part }: Task): string => (part?.kind === 'item' ? ` (id ${part.item.id})` : '');
