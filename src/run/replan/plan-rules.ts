import type { TaskItem } from '../../model/agents/task-item.js';
import type { TaskFileChanged } from '../../model/events/replan-event.js';
import { canonicalJson, type Json } from '../../model/json.js';
import type { Task, TaskId } from '../../model/plan.js';
import { definitionDigests } from '../freshness/fingerprint.js';

export interface Replan extends Pick<TaskFileChanged, 'changed' | 'added' | 'dropped'> {
  /** Why it cannot be taken; none when it can. */
  readonly problems: readonly string[];
}

export interface ReplanBounds {
  /** Done, under way, or failed for good: it stays what it is. */
  isFixed(id: TaskId): boolean;
  /** The task whose tries are spent. */
  readonly failing: TaskId;
}

/**
 * What another version of a task file makes of the tasks of a stage. Who plans anew may say otherwise how the work is to be done, not
 * that less is asked of it: what is done stays, and so does everything that work is checked by. Pure.
 */
export function compareTasks(then: readonly Task[], now: readonly Task[], { isFixed, failing }: ReplanBounds): Replan {
  const [before, after] = [itemsOf(then), itemsOf(now)];
  const changes = [...before].flatMap(([id, old]) => {
    const task = after.get(id);
    return task && definitionDigests(old.task).options !== definitionDigests(task.task).options ? [id] : [];
  });
  const dropped = [...before.keys()].filter((id) => !after.has(id));
  const added = [...after.keys()].filter((id) => !before.has(id));
  const problems = [
    ...changes.filter(isFixed).map((id) => `${id} is done or under way, and has to stay as it is`),
    ...dropped.filter(isFixed).map((id) => `${id} is done or under way, and is not in it any more`),
    ...(dropped.includes(failing) && !isFixed(failing) ? [`${failing} is what failed, and is not in it any more`] : []),
    ...[...before].flatMap(([id, { item }]) =>
      item.autonomous || after.get(id)?.item.autonomous === false
        ? []
        : [`a person takes part in ${id}; that has to stay`],
    ),
    ...lostChecks(before, after),
  ];
  const what = (id: TaskId): readonly string[] => changedFields(before.get(id)!.item, after.get(id)!.item);
  return { problems, changed: changes.map((id) => ({ task: id, what: what(id) })), added, dropped };
}

interface Item {
  readonly task: Task;
  readonly item: TaskItem;
}

const itemsOf = (tasks: readonly Task[]): ReadonlyMap<TaskId, Item> =>
  new Map(tasks.flatMap((task) => (task.part?.kind === 'item' ? [[task.id, { task, item: task.part.item }]] : [])));

/** A check may move to another task, but not go, and two of them do not become one: what is done is checked by it already. */
function lostChecks(before: ReadonlyMap<TaskId, Item>, after: ReadonlyMap<TaskId, Item>): readonly string[] {
  const left = new Map<string, number>();
  for (const check of [...after.values()].flatMap(({ item }) => checksOf(item)))
    left.set(check, (left.get(check) ?? 0) + 1);
  return [...before].flatMap(([id, { item }]) =>
    checksOf(item).flatMap((check) => {
      const count = left.get(check) ?? 0;
      left.set(check, count - 1);
      return count > 0 ? [] : [`${check} of ${id} is not in it any more: only a person may ask less`];
    }),
  );
}

const checksOf = ({ verify, criteria, steps, mustHaves }: TaskItem): readonly string[] => [
  ...[...verify, ...steps.flatMap((step) => step.verify)].map((command) => `the check "${command}"`),
  ...[...criteria, ...steps.flatMap((step) => step.criteria)].map((text) => `the criterion "${text}"`),
  ...mustHaves.truths.map((truth) => `the truth ${canonicalJson(truth as unknown as Json)}`),
  ...mustHaves.artifacts.map((artifact) => `the artefact ${canonicalJson(artifact as unknown as Json)}`),
  ...mustHaves.keyLinks.map((link) => `the link ${canonicalJson(link as unknown as Json)}`),
];

function changedFields(then: TaskItem, now: TaskItem): readonly string[] {
  const keys = [...new Set([...Object.keys(then), ...Object.keys(now)])] as (keyof TaskItem)[];
  const text = (value: unknown): string => JSON.stringify(value) ?? '';
  return keys.filter((key) => text(then[key]) !== text(now[key]));
}
