import { waves } from '../graph/waves.js';
import { err, ok, type Result } from '../model/result.js';
import { didYouMean } from '../source/did-you-mean.js';
import { wordList } from '../source/quoted-list.js';
import { fileConflicts } from './file-conflicts.js';
import { loose, TaskNames } from './plan-names.js';
import { isError, type Problem, type Span, type Task, type TaskList } from './task-list.js';
import { waveProblems } from './wave-problems.js';

/**
 * Puts the plans of a folder together. `done` are ids from elsewhere that may be depended on, such as the plans of an
 * earlier phase; nothing waits for them.
 */
export async function joinTasks(
  lists: readonly TaskList[],
  { done = [] }: { readonly done?: readonly string[] } = {},
): Promise<Result<TaskList, readonly Problem[]>> {
  const tasks = lists.flatMap((list) => list.tasks);
  if (tasks.length === 0) return err([{ ...nowhere, severity: 'error', message: 'there are no tasks' }]);
  const settled = await settleTasks(tasks, new Set(done.map(loose)));
  const files = new Map(tasks.map(({ file }, index) => [file, index]));
  const all = [...lists.flatMap((list) => list.warnings), ...settled.problems].sort(
    (a, b) => files.get(a.file)! - files.get(b.file)! || a.line - b.line || a.column - b.column,
  );
  if (all.some(isError)) return err(all);
  const form = lists.every((list) => list.form === 'plan') ? 'plan' : 'tasks';
  return ok({ form, tasks: settled.tasks, warnings: all });
}

const nowhere = { file: '', line: 1, column: 1, length: 0 };

/** Groups ids so that each stands in the first wave after all that it depends on. */
export function wavesOf(tasks: readonly Task[]): readonly (readonly string[])[] {
  const sorted = waves(tasks.map(({ id, dependsOn }) => ({ id, needs: dependsOn })));
  if ('cycle' in sorted) throw new Error(`tasks in a circle: ${sorted.cycle.join(', ')}`);
  return sorted.waves;
}

/** More than anyone plans; the checks below take time with the square of it. */
const mostTasks = 2000;

/** Ids, dependencies, waves and files of all tasks together. */
export async function settleTasks(
  read: readonly Task[],
  done: ReadonlySet<string>,
): Promise<{ readonly tasks: readonly Task[]; readonly problems: readonly Problem[] }> {
  const problems: Problem[] = [];
  const tooMany = read[mostTasks];
  if (tooMany) {
    problems.push(error(tooMany, tooMany.written.id, { message: `there are more than ${mostTasks} tasks` }));
    return { tasks: [], problems };
  }
  const unique = uniqueTasks(read, problems);
  const unsure = new Set<string>();
  const resolved = resolve(unique, { done, problems, unsure });
  const circles = circleProblems(resolved);
  problems.push(...circles);
  const tasks = withEarlierWaves(resolved);
  if (circles.length === 0) problems.push(...waveProblems(tasks));
  // In a circle everything waits for everything, so that nothing can be said about what runs side by side.
  if (circleProblems(tasks).length === 0) problems.push(...(await fileConflicts(tasks, withDependants(tasks, unsure))));
  return { tasks, problems };
}

function uniqueTasks(read: readonly Task[], problems: Problem[]): readonly Task[] {
  const first = new Map<string, Task>();
  for (const task of read) {
    const before = first.get(task.id);
    if (!before) {
      first.set(task.id, task);
      continue;
    }
    const where = before.file === task.file ? `line ${before.written.id.line}` : before.file;
    problems.push(error(task, task.written.id, { message: `the id "${task.id}" is also that of a task in ${where}` }));
  }
  return [...first.values()];
}

interface Resolving {
  readonly done: ReadonlySet<string>;
  readonly problems: Problem[];
  /** Tasks that wait for something unknown: whom they run beside cannot be told. */
  readonly unsure: Set<string>;
}

function resolve(tasks: readonly Task[], { done, problems, unsure }: Resolving): readonly Task[] {
  const names = new TaskNames(tasks);
  return tasks.map((task) => {
    const found = new Set<string>();
    for (const { text, at } of task.written.dependsOn ?? []) {
      const id = names.find(text, task);
      if (id !== undefined) found.add(id);
      else if (!done.has(loose(text))) {
        unsure.add(task.id);
        const message = `"${task.id}" depends on "${text}", which is not a task`;
        problems.push(error(task, at, { message, hint: didYouMean(text, names.ids) }));
      }
    }
    return { ...task, dependsOn: [...found] };
  });
}

/** A task that says its wave but not what it depends on waits for the nearest earlier wave. */
function withEarlierWaves(tasks: readonly Task[]): readonly Task[] {
  const ofWave = new Map<number, string[]>();
  for (const { id, wave } of tasks) if (wave !== undefined) ofWave.set(wave, [...(ofWave.get(wave) ?? []), id]);
  const sorted = [...ofWave.keys()].sort((a, b) => a - b);
  const before = new Map(sorted.map((wave, index) => [wave, ofWave.get(sorted[index - 1]!) ?? []]));
  return tasks.map((task) =>
    task.written.dependsOn || task.wave === undefined ? task : { ...task, dependsOn: before.get(task.wave)! },
  );
}

/** What waits for an unsure task is as unsure. */
function withDependants(tasks: readonly Task[], unsure: ReadonlySet<string>): ReadonlySet<string> {
  const all = new Set(unsure);
  for (let before = -1; unsure.size > 0 && before !== all.size; ) {
    before = all.size;
    for (const { id, dependsOn } of tasks) if (dependsOn.some((need) => all.has(need))) all.add(id);
  }
  return all;
}

const mostCircles = 20;

/** Each circle that is found once one link of those before it is cut. */
function circleProblems(tasks: readonly Task[]): Problem[] {
  const needs = new Map(tasks.map(({ id, dependsOn }) => [id, dependsOn]));
  const byId = new Map(tasks.map((task) => [task.id, task]));
  const problems: Problem[] = [];
  while (problems.length < mostCircles) {
    const sorted = waves([...needs].map(([id, list]) => ({ id, needs: list })));
    if (!('cycle' in sorted)) break;
    const [from, to] = sorted.cycle as [string, string];
    needs.set(
      from,
      needs.get(from)!.filter((id) => id !== to),
    );
    const quoted = sorted.cycle.map((id) => `"${id}"`);
    const message =
      from === to
        ? `"${from}" depends on itself`
        : `${wordList(quoted.slice(0, -1), 'and')} wait for each other: ${quoted.join(' → ')}`;
    const task = byId.get(from)!;
    problems.push(
      error(task, task.written.dependsOn?.[0]?.at ?? task.written.id, { message, hint: 'Take one link out' }),
    );
  }
  return problems;
}

const error = (
  { file }: Task,
  { line, column, length }: Span,
  { message, hint }: { readonly message: string; readonly hint?: string | undefined },
): Problem => ({ severity: 'error', file, message, line, column, length, ...(hint === undefined ? {} : { hint }) });
