import { graphemes, graphemeWidth } from '../../src/report/words/text-width.js';

/**
 * As much of a terminal as it takes to see what a person would see: lines that wrap and scroll, cursor movements, erasing.
 * Anything it does not know is an error, so that nothing goes by unseen.
 */
export class Screen {
  readonly #columns: number;
  readonly #rows: number;
  #lines: string[][] = [[]];
  /** Lines that have left at the top; they cannot be drawn over any more. */
  #scrolled = 0;
  #row = 0;
  #column = 0;
  cursorVisible = true;

  constructor(columns: number, rows: number) {
    this.#columns = columns;
    this.#rows = rows;
  }

  /** Everything from the first line on, as one would see it by scrolling back. */
  get text(): string {
    return this.#lines
      .map((cells) => cells.join('').trimEnd())
      .join('\n')
      .trimEnd();
  }

  write(text: string): void {
    let rest = text;
    while (rest !== '') {
      const sequence = /^\u001B\[(\??)([\d;]*)([A-Za-z])/.exec(rest);
      if (sequence) {
        this.#control(`${sequence[1]}${sequence[3]}`, sequence[2]!);
        rest = rest.slice(sequence[0].length);
        continue;
      }
      const plain = /^[^\u001B]+/.exec(rest);
      if (!plain) throw new Error(`unknown escape ${JSON.stringify(rest.slice(0, 20))}`);
      for (const char of graphemes(plain[0])) this.#put(char);
      rest = rest.slice(plain[0].length);
    }
  }

  #put(char: string): void {
    if (char === '\r') this.#column = 0;
    else if (char === '\n' || char === '\r\n') this.#newLine();
    else {
      const width = graphemeWidth(char);
      if (this.#column + width > this.#columns) this.#newLine();
      const line = this.#lines[this.#row]!;
      while (line.length < this.#column) line.push(' ');
      line[this.#column] = char;
      for (let extra = 1; extra < width; extra++) line[this.#column + extra] = '';
      this.#column += width;
    }
  }

  #newLine(): void {
    this.#row += 1;
    this.#column = 0;
    if (this.#row === this.#lines.length) this.#lines.push([]);
    this.#scrolled = Math.max(this.#scrolled, this.#row - this.#rows + 1);
  }

  #control(kind: string, argument: string): void {
    if (kind === 'm') return;
    if (kind === 'A') this.#row = Math.max(this.#scrolled, this.#row - Number(argument || 1));
    else if (kind === 'G') this.#column = Number(argument || 1) - 1;
    else if (kind === 'K' && argument === '2') this.#lines[this.#row] = [];
    else if (kind === '?l' && argument === '25') this.cursorVisible = false;
    else if (kind === '?h' && argument === '25') this.cursorVisible = true;
    else throw new Error(`unknown control ${kind} ${argument}`);
  }
}
