import type { TextRange } from '../model/diagnostic.js';
import type { Token } from './sucrase.js';

interface Entry {
  /** Undefined for a spread and for a key that is computed. */
  readonly name?: string;
  readonly key?: Token;
  /** Tokens of the value: `[start, end)`. */
  readonly start: number;
  readonly end: number;
  readonly spread: boolean;
}

/**
 * Finds values of the default export in a module's tokens: object and array literals, through `defineConfig(…)`,
 * parentheses, spreads, and constants of the same file. It reads what is written and evaluates nothing, so it answers
 * undefined for everything that is computed.
 */
export class LiteralFinder {
  readonly #tokens: readonly Token[];
  readonly #constants = new Map<string, number>();
  readonly #read = new Map<number, readonly Entry[]>();
  #root: number | undefined;

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens.filter(({ isType, label, text }) => !isType && label !== 'template' && text !== '');
    this.#readTopLevel();
  }

  find(path: readonly string[], what: 'key' | 'value'): TextRange | undefined {
    if (this.#root === undefined) return undefined;
    let entry: Entry = { start: this.#root, end: this.#endOf(this.#root), spread: false };
    for (const part of path) {
      const next = this.#child(entry.start, part, 0);
      if (!next) return undefined;
      entry = next;
    }
    if (what === 'key') return entry.key ? { start: entry.key.start, end: entry.key.end } : undefined;
    const [first, last] = [this.#tokens[entry.start], this.#tokens[entry.end - 1]];
    return first && last ? { start: first.start, end: last.end } : undefined;
  }

  #readTopLevel(): void {
    let depth = 0;
    for (let index = 0; index < this.#tokens.length; index++) {
      const text = this.#text(index);
      if (depth === 0 && text === 'export' && this.#text(index + 1) === 'default') this.#root = index + 2;
      if (depth === 0 && text === 'module' && this.#text(index + 2) === 'exports' && this.#text(index + 3) === '=') {
        this.#root = index + 4;
      }
      if (depth === 0 && /^(?:const|let|var)$/.test(text) && this.#text(index + 2) === '=') {
        this.#constants.set(this.#text(index + 1), index + 3);
      }
      depth += depthChange(text);
    }
  }

  #child(start: number, part: string, hops: number): Entry | undefined {
    const literal = this.#literalAt(start, hops);
    if (literal === undefined) return undefined;
    const entries = this.#entries(literal);
    if (this.#text(literal) === '[') return this.#element(entries, part);
    // The last writer of a key wins, spreads included.
    for (let index = entries.length - 1; index >= 0; index--) {
      const entry = entries[index]!;
      if (entry.name === part) return entry;
      const inner = entry.spread ? this.#child(entry.start, part, hops + 1) : undefined;
      if (inner) return inner;
    }
    return undefined;
  }

  #element(entries: readonly Entry[], part: string): Entry | undefined {
    const index = Number(part);
    const known = entries.slice(0, index + 1).every((entry) => !entry.spread);
    return known ? entries[index] : undefined;
  }

  /** The `{` or `[` that an expression leads to. `hops` ends constants that refer to each other. */
  #literalAt(start: number, hops: number): number | undefined {
    const text = this.#text(start);
    if (text === '{' || text === '[') return start;
    if (hops > 20) return undefined;
    if (text === '(') return this.#literalAt(start + 1, hops + 1);
    if (!/^[A-Za-z_$][\w$]*$/.test(text)) return undefined;
    let next = start + 1;
    while (this.#text(next) === '.') next += 2;
    if (this.#text(next) === '(') {
      return givesBackItsArgument.has(this.#text(next - 1)) ? this.#literalAt(next + 1, hops + 1) : undefined;
    }
    const constant = next === start + 1 ? this.#constants.get(text) : undefined;
    return constant === undefined ? undefined : this.#literalAt(constant, hops + 1);
  }

  #entries(open: number): readonly Entry[] {
    const known = this.#read.get(open);
    if (known) return known;
    const entries: Entry[] = [];
    this.#read.set(open, entries);
    const isList = this.#text(open) === '[';
    let start = open + 1;
    while (start < this.#tokens.length && !/^[}\]]$/.test(this.#text(start))) {
      const end = this.#endOf(start);
      entries.push(isList ? this.#listEntry(start, end) : this.#mapEntry(start, end));
      start = this.#text(end) === ',' ? end + 1 : end;
      if (end >= this.#tokens.length) break;
    }
    return entries;
  }

  #listEntry(start: number, end: number): Entry {
    const spread = this.#text(start) === '...';
    return { start: spread ? start + 1 : start, end, spread };
  }

  #mapEntry(start: number, end: number): Entry {
    if (this.#text(start) === '...') return { start: start + 1, end, spread: true };
    const key = this.#tokens[start]!;
    if (this.#text(start) === '[' && this.#text(start + 2) === ']' && this.#text(start + 3) === ':') {
      const inner = this.#tokens[start + 1]!;
      return { ...named(inner), start: start + 4, end, spread: false };
    }
    if (this.#text(start + 1) === ':') return { ...named(key), start: start + 2, end, spread: false };
    if (end === start + 1) return { ...named(key), start, end, spread: false };
    return { start, end, spread: false };
  }

  /** The index after an expression: a comma or a closing bracket of the same level, or a semicolon. */
  #endOf(start: number): number {
    let depth = 0;
    let index = start;
    for (; index < this.#tokens.length; index++) {
      const text = this.#text(index);
      if (depth === 0 && (text === ',' || text === ';')) return index;
      depth += depthChange(text);
      if (depth < 0) return index;
    }
    return index;
  }

  #text(index: number): string {
    return this.#tokens[index]?.text ?? '';
  }
}

const givesBackItsArgument = new Set(['defineConfig', 'freeze']);

const depthChange = (text: string): number => {
  if (text === '{' || text === '[' || text === '(' || text === '${') return 1;
  return text === '}' || text === ']' || text === ')' ? -1 : 0;
};

/** The key that a token spells: a name, a number, or text in quotes. */
function named(token: Token): { readonly name?: string; readonly key: Token } {
  const { text } = token;
  if (!/^['"]/.test(text)) return { name: /^[0-9]/.test(text) ? String(Number(text)) : text, key: token };
  const inner = text.slice(1, -1);
  if (!inner.includes('\\')) return { name: inner, key: token };
  try {
    return { name: JSON.parse(`"${inner.replaceAll("\\'", "'").replaceAll('"', '\\"')}"`) as string, key: token };
  } catch {
    return { key: token };
  }
}
