import type { TextRange } from '../model/diagnostic.js';

export interface TextPlace {
  readonly line: number;
  readonly column: number;
  readonly text: string;
  readonly endColumn: number;
}

/** From offsets to lines and columns, both counted from 1. */
export class LineIndex {
  readonly #text: string;
  readonly #starts: number[] = [0];

  constructor(text: string) {
    this.#text = text;
    for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) this.#starts.push(at + 1);
  }

  /** A range over several lines is shown up to the end of its first. */
  place({ start, end }: TextRange): TextPlace {
    const line = this.#lineOf(start);
    const first = this.#starts[line]!;
    const text = this.#text.slice(first, (this.#starts[line + 1] ?? this.#text.length + 1) - 1).replace(/\r$/, '');
    const column = Math.min(start - first, text.length);
    const endColumn = Math.max(Math.min(end - first, text.length), column);
    return { line: line + 1, column: column + 1, text, endColumn: endColumn + 1 };
  }

  #lineOf(offset: number): number {
    let low = 0;
    let high = this.#starts.length - 1;
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if (this.#starts[middle]! <= offset) low = middle;
      else high = middle - 1;
    }
    return low;
  }
}
