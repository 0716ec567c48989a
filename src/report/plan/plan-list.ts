import type { Plan } from '../../model/plan.js';
import { type Decisions, decisionOf, tasksInOrder } from './task-group.js';

/**
 * What `exec --dry-run` prints: every task that would run, in order, with what it would do; one line for each command.
 * Lines come one by one, so that a hundred thousand of them need no memory.
 */
export function* planList(plan: Plan, decisions: Decisions): Generator<string> {
  for (const { id, description } of tasksInOrder(plan)) {
    if (decisionOf(decisions, id).action !== 'run') continue;
    const { summary, commands } = description;
    if (commands === undefined || commands.length === 0) yield `${id}  ${oneLine(summary)}`;
    else for (const command of commands) yield `${id}  ${oneLine(command)}`;
  }
}

/** A command of several lines stays one line of the list. */
const oneLine = (text: string): string => (text.includes('\n') ? text.trimEnd().replaceAll('\n', ' \\n ') : text);
