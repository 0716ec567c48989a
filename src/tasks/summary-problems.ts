import { isGlob } from '../model/glob.js';
import { loadGlobMatch } from '../source/glob.js';
import { frontmatterOf, type Piece } from './frontmatter.js';
import { ProblemList } from './problem-list.js';
import type { Problem, Task } from './task-list.js';
import { longestPath } from './task-path.js';

/** What is missing in the summary of a task that was carried out; `undefined` stands for a file that is not there. */
export async function summaryProblems(
  text: string | undefined,
  task: Pick<Task, 'id' | 'files'>,
  { file = `${task.id}-SUMMARY.md` }: { readonly file?: string } = {},
): Promise<readonly Problem[]> {
  const problems = new ProblemList(file, text ?? '');
  const start = problems.span(0, 0);
  if (text === undefined) {
    problems.error(`there is no ${file}`, start, `Write what was done for "${task.id}" into it`);
    return problems.all();
  }
  const split = frontmatterOf(text);
  const body = 'missing' in split ? text : split.body.text;
  if (body.replace(/^\uFEFF|^#.*$/gm, '').trim() === '') {
    problems.error(`${file} says nothing`, start, 'Say what was done and which files were changed');
    return problems.all();
  }
  if (!('missing' in split)) complainOfStatus(problems, split.head);
  const named = pathsIn(text);
  if (named.size === 0)
    problems.error(`${file} names no file that was changed`, start, 'List the files that were changed');
  else await complainOfFiles(problems, task.files, named);
  return problems.all();
}

function complainOfStatus(problems: ProblemList, head: Piece): void {
  const status = /^status:[ \t]*["']?([\w-]+)/m.exec(head.text);
  if (!status || !/^(fail|failed|failure|partial|blocked|incomplete|error|aborted)$/i.test(status[1]!)) return;
  const at = problems.span(head.start + status.index, head.start + status.index + status[0].length);
  problems.error(`${problems.file} says that the task ended as "${status[1]}"`, at);
}

async function complainOfFiles(
  problems: ProblemList,
  files: readonly string[],
  named: ReadonlySet<string>,
): Promise<void> {
  const match = files.length > 0 ? await loadGlobMatch() : () => false;
  const missing = files.filter((file) => !named.has(file) && ![...named].some((path) => match(file, path)));
  const at = problems.span(0, 0);
  if (files.length > 0 && missing.length === files.length)
    problems.error(`${problems.file} names none of the files of the task`, at, 'List the files that were changed');
  else
    for (const file of missing) {
      const what = isGlob(file) ? `no file of "${file}"` : `"${file}" nowhere`;
      problems.warning(`${problems.file} names ${what}`, at);
    }
}

/** Words that look like paths: with a slash, or a name with an ending. */
function pathsIn(text: string): ReadonlySet<string> {
  const paths = new Set<string>();
  for (const [word] of text.matchAll(/[^\s`"'(),;|<>]+/g)) {
    if (word.length > longestPath) continue;
    const path = word.replace(/^[*[]+|[*.:\]]+$/g, '').replace(/^\.\//, '');
    if (/:\/\//.test(path) || !/^[\w.@$+/~[\]{}-]+$/.test(path)) continue;
    if (/[^/]\/[^/]/.test(path) || /^[\w.-]*[A-Za-z_][\w-]*\.[A-Za-z]\w{0,9}$/.test(path)) paths.add(path);
  }
  return paths;
}
