import type { TextRange } from '../model/diagnostic.js';
import { pointerLabel, pointerOf } from '../model/pointer.js';
import { maxDepth, numberProblem } from './plain-data.js';

export interface JsonMistake {
  readonly code: 'AR103' | 'AR105' | 'AR108';
  readonly message: string;
  readonly hint?: string;
  readonly range: TextRange;
  /** Unless it is the syntax that is wrong. */
  readonly path?: readonly (string | number)[];
  /** Where a key that is written twice was written first. */
  readonly first?: TextRange;
}

/** Told about every key and value. */
export type JsonListener = (kind: 'key' | 'value', path: readonly (string | number)[], range: TextRange) => void;

/**
 * Walks JSON text without building anything. Answers one syntax error, or else everything that `JSON.parse` would take
 * and change: keys that are written twice, and numbers that a computer does not hold as they are written.
 */
export function scanJson(text: string, listener?: JsonListener): JsonMistake[] {
  const scanner = new JsonScanner(text, listener);
  try {
    scanner.document();
  } catch (error) {
    if (error instanceof SyntaxMistake) return [error.mistake];
    throw error;
  }
  return scanner.mistakes;
}

class SyntaxMistake extends Error {
  constructor(readonly mistake: JsonMistake) {
    super(mistake.message);
  }
}

const literal = /true|false|null|-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?(?![0-9.])/y;
const string = /"[^"\\\u0000-\u001f]*(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\\u0000-\u001f]*)*"/y;
const word = /[^\s{}[\],:"]+|./suy;

class JsonScanner {
  readonly mistakes: JsonMistake[] = [];
  readonly #path: (string | number)[] = [];
  #position = 0;

  constructor(
    readonly text: string,
    readonly listener?: JsonListener,
  ) {
    if (text.startsWith('\uFEFF')) this.#position = 1;
  }

  document(): void {
    this.#value();
    this.#space();
    if (this.#position < this.text.length) this.#fail('nothing more after the end of the value');
  }

  #value(): void {
    this.#space();
    const start = this.#position;
    if (this.#path.length > maxDepth) this.#fail(`at most ${maxDepth} levels of nesting`);
    const first = this.text[start];
    if (first === '{') this.#object();
    else if (first === '[') this.#array();
    else if (first === '"') this.#expect(string, 'text that ends with a double quote on the same line');
    else this.#literal(start);
    this.listener?.('value', this.#path, { start, end: this.#position });
  }

  #object(): void {
    const keys = new Map<string, number>();
    this.#position += 1;
    if (this.#closes('}')) return;
    do {
      this.#space();
      this.#key(keys);
      this.#space();
      if (this.text[this.#position] !== ':') this.#fail('":" after the key');
      this.#position += 1;
      this.#value();
      this.#path.pop();
    } while (this.#goesOn('}'));
  }

  #key(keys: Map<string, number>): void {
    const start = this.#position;
    this.#expect(string, 'a key in double quotes');
    const raw = this.text.slice(start + 1, this.#position - 1);
    const key = raw.includes('\\') ? (JSON.parse(`"${raw}"`) as string) : raw;
    const range = { start, end: this.#position };
    this.#path.push(key);
    const before = keys.get(key);
    if (before === undefined) keys.set(key, start);
    else this.#writtenTwice(key, range, before);
    this.listener?.('key', this.#path, range);
  }

  #writtenTwice(key: string, range: TextRange, before: number): void {
    string.lastIndex = before;
    string.test(this.text);
    const first = { start: before, end: string.lastIndex };
    const message = `the key "${key}" is written twice`;
    this.mistakes.push({ code: 'AR108', message, hint: 'Keep one of the two', range, path: [...this.#path], first });
  }

  #literal(start: number): void {
    this.#expect(literal, 'a value');
    const written = this.text.slice(start, this.#position);
    const problem = /[0-9]$/.test(written) ? numberProblem(written) : undefined;
    if (!problem) return;
    const message = `${pointerLabel(pointerOf(...this.#path)) || 'the value'} is ${problem.what}`;
    const range = { start, end: this.#position };
    this.mistakes.push({ code: 'AR105', message, hint: problem.hint, range, path: [...this.#path] });
  }

  #array(): void {
    this.#position += 1;
    if (this.#closes(']')) return;
    let index = 0;
    do {
      this.#path.push(index);
      this.#value();
      this.#path.pop();
      index += 1;
    } while (this.#goesOn(']'));
  }

  #closes(bracket: string): boolean {
    this.#space();
    if (this.text[this.#position] !== bracket) return false;
    this.#position += 1;
    return true;
  }

  #goesOn(bracket: string): boolean {
    if (this.#closes(bracket)) return false;
    if (this.text[this.#position] !== ',') this.#fail(`"," or "${bracket}"`);
    this.#position += 1;
    return true;
  }

  #expect(pattern: RegExp, what: string): void {
    pattern.lastIndex = this.#position;
    if (!pattern.test(this.text)) this.#fail(what);
    this.#position = pattern.lastIndex;
  }

  #space(): void {
    for (;;) {
      const code = this.text.charCodeAt(this.#position);
      if (code !== 32 && code !== 10 && code !== 13 && code !== 9) return;
      this.#position += 1;
    }
  }

  #fail(expected: string): never {
    const start = this.#position;
    word.lastIndex = start;
    const found = word.exec(this.text)?.[0];
    const end = start + (found?.length ?? 0);
    const rest = found === undefined ? 'the file ends' : `found ${JSON.stringify(found)}`;
    throw new SyntaxMistake({ code: 'AR103', message: `expected ${expected}, but ${rest}`, range: { start, end } });
  }
}
