import type { Problem, Span } from './task-list.js';

/** Beyond this nobody reads on; a file of garbage could otherwise fill memory with complaints. */
const mostProblems = 1000;

/** What is wrong in one file, and where. Offsets are those of the whole text. */
export class ProblemList {
  readonly #lineStarts: number[] = [0];
  readonly #found: Problem[] = [];
  #dropped = 0;

  constructor(
    readonly file: string,
    readonly text: string,
  ) {
    for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) this.#lineStarts.push(at + 1);
  }

  /** The part of a range that lies in its first line. */
  span(start: number, end: number): Span {
    const from = Math.min(Math.max(start, 0), this.text.length);
    const line = this.#lineOf(from);
    const lineStart = this.#lineStarts[line]!;
    const next = this.#lineStarts[line + 1];
    let lineEnd = next === undefined ? this.text.length : next - 1;
    if (this.text[lineEnd - 1] === '\r' && lineEnd > lineStart) lineEnd -= 1;
    const begin = Math.min(from, lineEnd);
    return { line: line + 1, column: begin - lineStart + 1, length: Math.max(0, Math.min(end, lineEnd) - begin) };
  }

  error(message: string, at: Span, hint?: string): void {
    this.#add('error', message, { at, hint });
  }

  warning(message: string, at: Span, hint?: string): void {
    this.#add('warning', message, { at, hint });
  }

  /** In the order of the text. */
  all(): readonly Problem[] {
    const sorted = [...this.#found].sort((a, b) => a.line - b.line || a.column - b.column);
    if (this.#dropped > 0) {
      const message = `${this.#dropped} more problems are not listed`;
      sorted.push({ severity: 'error', file: this.file, message, ...this.span(this.text.length, this.text.length) });
    }
    return sorted;
  }

  #add(severity: Problem['severity'], message: string, { at, hint }: { at: Span; hint: string | undefined }): void {
    if (this.#found.length >= mostProblems) this.#dropped += 1;
    else {
      const { line, column, length } = at;
      const more = hint === undefined ? {} : { hint };
      this.#found.push({ severity, file: this.file, message, line, column, length, ...more });
    }
  }

  #lineOf(offset: number): number {
    let [low, high] = [0, this.#lineStarts.length - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.#lineStarts[middle]! <= offset) low = middle;
      else high = middle - 1;
    }
    return low;
  }
}
