import type { FixCommand } from '../../model/generated/config.js';
import type { Task, TaskId } from '../../model/plan.js';
import type { Trouble } from '../errors/mend-prompt.js';
import { fixName } from '../errors/next-words.js';
import type { TaskTools } from './task-tools.js';

type Again = Promise<readonly TaskId[] | undefined>;

/** What an agent has changed in its scope is its work, also where somebody else had made the file. */
export function attemptAmends(task: Task, attempt: number, { amend }: Pick<TaskTools, 'amend'>): Again | undefined {
  const { agent, retry, description } = task;
  const isMend = (description.fixes ?? 0) > 0;
  const by = isMend && typeof retry.fix === 'string' ? retry.fix : agent?.name;
  return by === undefined ? undefined : amend(task, { by, attempt, isMend });
}

/** No scope holds a command. */
export const fixAmends = (
  { task, attempt }: Trouble,
  fix: string | FixCommand,
  tools: Pick<TaskTools, 'amend'>,
): Again => tools.amend(task, { by: fixName(fix), attempt, isMend: true, isFree: typeof fix !== 'string' });
