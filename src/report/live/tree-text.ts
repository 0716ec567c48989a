import type { JournalEntry } from '../../model/events/event.js';
import type { Plan } from '../../model/plan.js';
import { listed, plural } from '../words/phrase.js';
import { plainLine } from '../words/plain-line.js';

/** What happened to a worktree and somebody should know; `verbose`: also what went as it should. */
export function treeText(entry: JournalEntry, verbose: boolean): string | undefined {
  switch (entry.type) {
    case 'worktree-updated':
      return `${entry.task}  goes on with what is in ${entry.into} by now (${entry.commit.slice(0, 12)})`;
    case 'worktree-behind':
      return `${entry.task}  goes on without what is in ${entry.into} by now: ${listed(entry.files)} changed there and in its worktree; they are brought together when it is merged, or begin anew with --force ${entry.task.split(':')[0]}`;
    case 'worktree-kept':
      return `${entry.task}  its worktree stays: ${plainLine(entry.why)}`;
    case 'worktree-committed':
      return entry.kept
        ? `${entry.task}  commits that it made itself are not merged; they stay under refs/autoresearch/kept/${entry.branch}`
        : undefined;
    case 'worktree-merged':
      return verbose
        ? `${entry.task}  merged as ${entry.commit.slice(0, 12)}: ${plural(entry.files.length, 'file')}`
        : undefined;
    case 'outputs-committed':
      return verbose
        ? `${entry.task}  committed as ${entry.commit.slice(0, 12)}: ${plural(entry.files.length, 'file')}`
        : undefined;
    default:
      return undefined;
  }
}

/** Which stages work in worktrees; undefined when none does. */
export function treesLine({ tasks }: Plan): string | undefined {
  const stages = [...new Set(tasks.filter(({ isolation }) => isolation).map(({ stage }) => stage))];
  if (stages.length === 0) return undefined;
  return `${listed(stages, 5)}: each task works in one of its own, and is merged into the branch that is checked out.`;
}
