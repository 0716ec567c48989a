import type { TextProblem } from '../../model/text-problem.js';

/** Where the parser stood when it gave up; lines count from 1, columns from 0. */
export interface StoppedAt {
  readonly first_line: number;
  readonly first_column: number;
  readonly last_line: number;
  readonly last_column: number;
}

/** Thrown through the parser, which would otherwise only draw a picture of the place. */
export class SyntaxStop extends Error {
  constructor(
    readonly token: string | null,
    readonly at: StoppedAt,
  ) {
    super('syntax');
  }
}

/** What a failed parse means for whoever wrote the text. Handlebars alone cannot say it in words that help. */
export function syntaxProblem(text: string, error: unknown): TextProblem {
  if (error instanceof SyntaxStop) {
    const start = offsetOf(text, error.at.first_line, error.at.first_column);
    const end = offsetOf(text, error.at.last_line, error.at.last_column);
    return { code: 'AR401', ...wording(error.token, text.slice(start, end)), within: unclosed(text, start, end) };
  }
  // Handlebars' own exceptions: blocks that do not match and paths that make no sense.
  const { message, lineNumber, column } = error as Error & { lineNumber?: number; column?: number };
  if (lineNumber === undefined || column === undefined) throw error;
  const start = offsetOf(text, lineNumber, column);
  const mismatch = /^(\S+) doesn't match (\S+)/.exec(message);
  return {
    code: 'AR401',
    message: mismatch ? `{{#${mismatch[1]}}} is closed by {{/${mismatch[2]}}}` : 'this is not a name',
    ...(mismatch ? { hint: `Close it with {{/${mismatch[1]}}}` } : {}),
    within: [start, Math.max(start + 1, wordEnd(text, start))],
  };
}

function wording(token: string | null, found: string): { message: string; hint?: string } {
  switch (token) {
    case 'EOF':
      return { message: 'the template ends inside a block', hint: 'Close the block, for example with {{/if}}' };
    case 'CLOSE':
      return { message: 'a name is missing before }}' };
    case 'CLOSE_UNESCAPED':
      return { message: 'a value that opens with {{ ends with }}}', hint: 'Put a space between }} and }' };
    case 'INVERSE':
      return { message: `${found} stands outside a block` };
    case null:
    case 'INVALID':
      return { message: 'the template is not closed', hint: 'Close it with }}, or write \\{{ for two plain braces' };
    default:
      return { message: `"${found}" cannot stand here` };
  }
}

/** An unfinished `{{name` is underlined from its braces on, because the parser only notices at the end. */
function unclosed(text: string, start: number, end: number): [number, number] {
  if (end > start && text.indexOf('}}', start) !== -1) return [start, end];
  const open = text.lastIndexOf('{{', start);
  return open === -1 ? [start, Math.max(end, start + 1)] : [open, text.length];
}

const wordEnd = (text: string, start: number): number => start + (/^[^\s}]*/.exec(text.slice(start))?.[0].length ?? 0);

/** Lines count from 1 and columns from 0, as Handlebars has them. */
export function offsetOf(text: string, line: number, column: number): number {
  let start = 0;
  const breaks = /\r\n?|\n/g;
  for (let current = 1; current < line; current += 1) {
    if (!breaks.exec(text)) break;
    start = breaks.lastIndex;
  }
  return Math.min(text.length, start + column);
}
