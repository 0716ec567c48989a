import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { openProjectFiles } from '../../adapters/disk/project-files.js';
import type { TaskFiles } from '../../compile/expand/expand-tasks.js';
import type { Diagnostic } from '../../model/diagnostic.js';
import type { TaskSource } from '../../model/stage.js';
import { joinTasks } from '../../tasks/join-tasks.js';
import { readTasks } from '../../tasks/read-tasks.js';
import { itemsOf } from '../../tasks/task-items.js';
import { isError, type Problem, type TaskList } from '../../tasks/task-list.js';

/** Reads the task files of a stage, as they are now. */
export async function readTaskFiles(root: string, { from, done = [] }: TaskSource): Promise<TaskFiles> {
  const files = await openProjectFiles(root, { globs: true });
  // What a task left behind lies beside the plans.
  const found = files.expand(from).filter((file) => !file.endsWith('-SUMMARY.md'));
  if (found.length === 0) return { kind: 'missing' };
  const texts = new Map(found.map((file) => [file, textOf(resolve(root, file))]));
  const lists: TaskList[] = [];
  const wrong: Problem[] = [];
  for (const [file, text] of texts) {
    const read = await readTasks(text, { file });
    if (read.ok) lists.push(read.value);
    else wrong.push(...read.error);
  }
  const joined = wrong.length === 0 ? await joinTasks(lists, { done }) : undefined;
  if (joined && !joined.ok) wrong.push(...joined.error);
  if (!joined?.ok)
    return { kind: 'wrong', problems: wrong.filter(isError).map((problem) => told(problem, { root, texts, from })) };
  return {
    kind: 'read',
    items: itemsOf(joined.value),
    warnings: joined.value.warnings.map(({ file, line, message }) => `${file}:${line}: ${message}`),
  };
}

/** A byte order mark is no part of the text. */
const textOf = (file: string): string => readFileSync(file, 'utf8').replace(/^\uFEFF/, '');

interface Told {
  readonly root: string;
  readonly texts: ReadonlyMap<string, string>;
  readonly from: readonly string[];
}

function told({ file, line, column, length, message, hint }: Problem, { root, texts, from }: Told): Diagnostic {
  const text = texts.get(file);
  const more = hint === undefined ? {} : { hint };
  if (text === undefined) return { code: 'AR511', message: `${from.join(', ')}: ${message}`, ...more };
  let start = 0;
  for (let at = 1; at < line; at += 1) start = text.indexOf('\n', start) + 1;
  const range = { start: start + column - 1, end: start + column - 1 + length };
  return { code: 'AR511', message, at: { kind: 'file', file: resolve(root, file), range }, ...more };
}
