import type { Reason } from '../../model/plan.js';
import { reasonHeading, reasonText } from '../words/reason-text.js';
import { type Decisions, decisionOf, type TaskGroup } from './task-group.js';

/**
 * Why the tasks of a group do what they do. One task: its reasons. Many: each reason with how many tasks have it, or only
 * the kinds of reason when every task has another one. Where some run, the reasons are those of the ones that run.
 */
export function groupWhy({ tasks, counts }: TaskGroup, decisions: Decisions, most: number): string {
  const all = tasks.map(({ id }) => decisionOf(decisions, id));
  const wanted = counts.run > 0 ? all.filter(({ action }) => action === 'run') : all;
  const exact = tally(
    wanted.map(({ reasons }) => reasons),
    reasonText,
  );
  if (tasks.length === 1 || exact.length <= most) return spoken(exact, wanted.length, most);
  return spoken(
    tally(
      wanted.map(({ reasons }) => reasons),
      ({ code }) => reasonHeading(code),
    ),
    wanted.length,
    most,
  );
}

type Tally = readonly (readonly [text: string, count: number])[];

function tally(reasonLists: readonly (readonly Reason[])[], words: (reason: Reason) => string): Tally {
  const counts = new Map<string, number>();
  for (const reasons of reasonLists) {
    for (const text of new Set(reasons.map(words))) counts.set(text, (counts.get(text) ?? 0) + 1);
  }
  return [...counts];
}

function spoken(reasons: Tally, tasks: number, most: number): string {
  const texts = reasons
    .slice(0, most)
    .map(([text, count]) => (count === tasks ? text : `${text} (${count} of ${tasks})`));
  if (reasons.length > most) texts.push(`and ${reasons.length - most} more`);
  return texts.join('; ');
}
