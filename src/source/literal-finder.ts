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

/** One object or array literal, kept once read: where one place is asked for there may be thousands. */
interface Literal {
  readonly entries: readonly Entry[];
  readonly isList: boolean;
  /** Indexes of the last entry of each name, and of all spreads. */
  readonly named: ReadonlyMap<string, number>;
  readonly spreads: readonly number[];
}

/**
 * Finds values of the default export in a module's tokens: object and array literals, through `defineConfig(…)`,
 * parentheses, spreads, and constants of the same file. It reads what is written and evaluates nothing, so it answers
 * undefined for everything that is computed.
 */
export class LiteralFinder {
  readonly #tokens: readonly Token[];
  readonly #constants = new Map<string, number>();
  readonly #read = new Map<number, Literal>();
  #root: Entry | undefined;

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens.filter(({ isType, label, text }) => !isType && label !== 'template' && text !== '');
    this.#readTopLevel();
  }

  find(path: readonly string[], what: 'key' | 'value'): TextRange | undefined {
    let entry = this.#root;
    for (const part of path) entry = entry && this.#child(entry.start, part, 0);
    if (!entry) return undefined;
    if (what === 'key') return entry.key ? { start: entry.key.start, end: entry.key.end } : undefined;
    const [first, last] = [this.#tokens[entry.start], this.#tokens[entry.end - 1]];
    return first && last ? { start: first.start, end: last.end } : undefined;
  }

  #readTopLevel(): void {
    let depth = 0;
    for (let index = 0; index < this.#tokens.length; index++) {
      const text = this.#text(index);
      if (depth === 0 && text === 'export' && this.#text(index + 1) === 'default')
        this.#root = this.#listEntry(index + 2);
      if (depth === 0 && text === 'module' && this.#text(index + 2) === 'exports' && this.#text(index + 3) === '=') {
        this.#root = this.#listEntry(index + 4);
      }
      if (depth === 0 && /^(?:const|let|var)$/.test(text) && this.#text(index + 2) === '=') {
        this.#constants.set(this.#text(index + 1), index + 3);
      }
      depth += depthChange(text);
    }
  }

  #child(start: number, part: string, hops: number): Entry | undefined {
    const open = this.#literalAt(start, hops);
    if (open === undefined) return undefined;
    const { entries, isList, named, spreads } = this.#literal(open);
    if (isList) return Number(part) < (spreads[0] ?? entries.length) ? entries[Number(part)] : undefined;
    // The last writer of a key wins, spreads included.
    const own = named.get(part) ?? -1;
    for (const index of spreads.toReversed()) {
      const inner = index > own ? this.#child(entries[index]!.start, part, hops + 1) : undefined;
      if (inner) return inner;
    }
    return entries[own];
  }

  /** The `{` or `[` that an expression leads to. `hops` ends constants that refer to each other. */
  #literalAt(start: number, hops: number): number | undefined {
    const text = this.#text(start);
    if (text === '{' || text === '[') return start;
    if (hops > 10) return undefined;
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

  #literal(open: number): Literal {
    const known = this.#read.get(open);
    if (known) return known;
    const isList = this.#text(open) === '[';
    const entries: Entry[] = [];
    for (let start = open + 1; start < this.#tokens.length && !/^[}\]]$/.test(this.#text(start)); ) {
      const entry = isList ? this.#listEntry(start) : this.#mapEntry(start, this.#endOf(start));
      entries.push(entry);
      start = this.#text(entry.end) === ',' ? entry.end + 1 : Math.max(entry.end, start + 1);
    }
    const named = new Map(entries.flatMap(({ name }, index) => (name === undefined ? [] : [[name, index]])));
    const spreads = entries.flatMap(({ spread }, index) => (spread ? [index] : []));
    const literal = { entries, isList, named, spreads };
    this.#read.set(open, literal);
    return literal;
  }

  #listEntry(start: number): Entry {
    const spread = this.#text(start) === '...';
    return { start: spread ? start + 1 : start, end: this.#endOf(start), spread };
  }

  #mapEntry(start: number, end: number): Entry {
    if (this.#text(start) === '...') return { start: start + 1, end, spread: true };
    const key = this.#tokens[start]!;
    if (this.#text(start) === '[' && this.#text(start + 2) === ']' && this.#text(start + 3) === ':') {
      const inner = this.#tokens[start + 1]!;
      return { ...keyOf(inner), start: start + 4, end, spread: false };
    }
    if (this.#text(start + 1) === ':') return { ...keyOf(key), start: start + 2, end, spread: false };
    if (end === start + 1) return { ...keyOf(key), start, end, spread: false };
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
export function keyOf(token: Token): { readonly name?: string; readonly key: Token } {
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
