import { foldersOf, globsMayMeet, isGlob } from '../model/glob.js';
import { type GlobMatch, loadGlobMatch } from '../source/glob.js';
import type { Problem, Task, Worded } from './task-list.js';
import { orderOf } from './task-order.js';

interface Writer extends Worded {
  readonly task: Task;
  readonly index: number;
}

/** Comparing takes time with the square of this, and shared YAML lists can stand for a lot. */
const mostWriters = 20_000;

/** Tasks that may run at the same time and write the same file. */
export async function fileConflicts(tasks: readonly Task[], leftOut: ReadonlySet<string>): Promise<readonly Problem[]> {
  const writers = tasks.flatMap((task, index) =>
    leftOut.has(task.id) ? [] : task.written.files.map((file): Writer => ({ ...file, task, index })),
  );
  const last = writers[mostWriters];
  if (last)
    return [{ ...problemAt(last), severity: 'error', message: `there are more than ${mostWriters} files to compare` }];
  const byText = new Map<string, Writer[]>();
  for (const writer of writers) {
    const same = byText.get(writer.text);
    if (same) same.push(writer);
    else byText.set(writer.text, [writer]);
  }
  const areOrdered = orderOf(tasks);
  const problems: Problem[] = [];
  for (const { a, b, isCertain } of await meetings([...byText.keys()])) {
    // Each writer is told about the first other one: of a hundred writers of one file, a hundred problems are enough.
    for (const second of byText.get(b)!) {
      const first = byText
        .get(a)!
        .find((other) => isRival(other, second, a === b) && !areOrdered(other.index, second.index));
      if (first) problems.push(conflict(first, second, isCertain));
    }
  }
  return problems;
}

const isRival = (one: Writer, other: Writer, isSameText: boolean): boolean =>
  isSameText ? one.index < other.index : one.index !== other.index;

interface Meeting {
  readonly a: string;
  readonly b: string;
  readonly isCertain: boolean;
}

/** The pairs of texts that stand for a common file, each with itself among them. */
async function meetings(texts: readonly string[]): Promise<readonly Meeting[]> {
  const known = new Set(texts);
  const globs = texts.filter(isGlob);
  const found: Meeting[] = texts.map((text) => ({ a: text, b: text, isCertain: true }));
  for (const b of texts) {
    if (!isGlob(b)) for (const a of foldersOf(b)) if (known.has(a)) found.push({ a, b, isCertain: true });
  }
  if (globs.length === 0) return found;
  const match = await loadGlobMatch();
  globs.forEach((a, which) => {
    for (const b of [...texts.filter((text) => !isGlob(text)), ...globs.slice(which + 1)]) {
      if (!globsMayMeet(a, b)) continue;
      const isCertain = surelyMeet(match, a, b);
      if (isCertain || isGlob(b)) found.push({ a, b, isCertain });
    }
  });
  return found;
}

/** Some path can be named that both match. */
const surelyMeet = (match: GlobMatch, a: string, b: string): boolean =>
  [sample(a), sample(b)].some((path) => match(a, path) && match(b, path));

const sample = (pattern: string): string => (isGlob(pattern) ? pattern.replace(/\*+|\?/g, 'x') : pattern);

function conflict(one: Writer, other: Writer, isCertain: boolean): Problem {
  const [first, second] = one.index < other.index ? [one, other] : [other, one];
  const [a, b] = [first.task.id, second.task.id];
  const what = first.text === second.text ? `"${first.text}"` : `"${first.text}" and "${second.text}"`;
  const message = isCertain
    ? `"${a}" and "${b}" may run at the same time, and both write ${what}`
    : `"${a}" and "${b}" may run at the same time, and what they write may overlap: ${what}`;
  const severity = isCertain ? 'error' : 'warning';
  return { ...problemAt(second), severity, message, hint: `Let "${b}" depend on "${a}"` };
}

const problemAt = ({ task, at: { line, column, length } }: Writer) => ({ file: task.file, line, column, length });
