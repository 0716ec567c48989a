import type { Piece } from './frontmatter.js';
import { type Block, fencedTasks, fieldsOf, listedSteps, taskBlocks } from './plan-body.js';
import { checksOf } from './plan-verify.js';
import type { ProblemList } from './problem-list.js';
import { splitPaths } from './task-fields.js';
import type { Step, Worded } from './task-list.js';
import { taskPath } from './task-path.js';

export interface PlanStep extends Step {
  readonly writes: readonly Worded[];
}

/** The steps of a plan: its `<task>` blocks, or `<feature>` where tests come first, else what its headings or numbered items say. */
export function readSteps(problems: ProblemList, body: Piece): readonly PlanStep[] {
  for (const at of fencedTasks(body))
    problems.warning('this <task> stands between ``` lines and is not read', problems.span(at, at + '<task'.length));
  const tasks = taskBlocks(body, 'task');
  const blocks = tasks.length > 0 ? tasks : taskBlocks(body, 'feature');
  if (blocks.length > 0) return blocks.map((block, index) => blockStep(problems, block, index));
  return listedSteps(body).map((piece) => listedStep(problems, piece));
}

function blockStep(problems: ProblemList, block: Block, index: number): PlanStep {
  const at = problems.span(block.tagStart, block.start);
  if (!block.isClosed) problems.warning('this <task> is not closed', at, 'Add </task>');
  const fields = fieldsOf(block);
  const piecesOf = (...tags: readonly string[]) => fields.filter(({ tag }) => tags.includes(tag));
  const name = piecesOf('name', 'title')[0]?.text.trim();
  if (!name) problems.warning('this <task> has no <name>', at);
  const checks = piecesOf('verify', 'verification').map(checksOf);
  const judged = piecesOf('done', 'acceptance_criteria', 'how_to_verify').map(({ text }) => text.trim());
  const writes = piecesOf('files').flatMap((piece) => filesIn(problems, piece));
  const action = piecesOf('action', 'what_built', 'decision', 'behavior', 'implementation').map(({ text }) =>
    text.trim(),
  );
  return {
    name: name || `Task ${index + 1}`,
    type: /\btype\s*=\s*["']?([^"'\s]+)/.exec(block.attributes)?.[1] ?? 'auto',
    action: action.join('\n\n') || block.text.trim(),
    files: writes.map(({ text }) => text),
    verify: checks.flatMap(({ commands }) => commands),
    criteria: [...checks.flatMap(({ prose }) => prose ?? []), ...judged].filter((text) => text !== ''),
    place: { line: at.line, column: at.column },
    writes,
  };
}

/** `**Files:** …` and `**Verify:** …` are as near to fields as headings get. */
function listedStep(problems: ProblemList, piece: Piece & { readonly name: string }): PlanStep {
  const at = problems.span(piece.start, piece.start);
  const files = /^[ \t]*(?:[-*][ \t]+)?\*\*files?:?\*\*:?[ \t]*(.*)$/im.exec(piece.text);
  // The paths of a heading are not looked up in the text; the heading is place enough.
  const writes = files ? filesIn(problems, { text: files[1]!, start: piece.start }, at) : [];
  const verify =
    /^[ \t]*(?:[-*][ \t]+)?\*\*verif(?:y|ication):?\*\*:?[ \t]*([\s\S]*?)(?=^[ \t]*(?:[-*][ \t]+)?\*\*|(?![\s\S]))/im.exec(
      piece.text,
    );
  const { commands, prose } = checksOf({ text: verify?.[1] ?? '', start: piece.start });
  return {
    name: piece.name,
    type: 'auto',
    action: piece.text.trim(),
    files: writes.map(({ text }) => text),
    verify: commands,
    criteria: prose === undefined ? [] : [prose],
    place: { line: at.line, column: at.column },
    writes,
  };
}

/** Paths among remarks such as `(new)` and `none`. */
function filesIn(problems: ProblemList, { text, start }: Piece, place?: Worded['at']): readonly Worded[] {
  const writes: Worded[] = [];
  let from = 0;
  for (const part of splitPaths(text)) {
    const offset = text.indexOf(part, from);
    from = offset + part.length;
    const word = /^(?:(?:[-*]|\d+[.)])\s+)?`?([^\s`]+)/.exec(part)?.[1] ?? '';
    if (!/[./]/.test(word) || /^(n\/a|\(.*|none\.?)$/i.test(word)) continue;
    const begin = start + offset + part.indexOf(word);
    const at = place ?? problems.span(begin, begin + word.length);
    const read = taskPath(word);
    if ('wrong' in read) problems.error(read.wrong, at, 'Name files below the project folder, relative to it');
    else writes.push({ text: read.path, at });
  }
  return writes;
}
