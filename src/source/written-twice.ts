import type { Diagnostic } from '../model/diagnostic.js';
import { keyOf } from './literal-finder.js';
import { mayRepeatKey } from './repeated-key-scan.js';
import { type SourceFile, type Sucrase, type Token, tokensOf } from './sucrase.js';

/**
 * The keys that stand twice in one object literal of a module. JavaScript keeps the last and says nothing; TypeScript would
 * object, but nothing here checks types. Reading all tokens takes long, so a file is looked through quickly before.
 */
export function writtenTwice(sucrase: Sucrase, source: SourceFile): Diagnostic[] {
  if (!mayRepeatKey(source.text)) return [];
  const tokens = tokensOf(sucrase, source).filter(({ isType }) => !isType);
  const literals = objectLiterals(tokens);
  const first = new Map<string, Token>();
  const found: Diagnostic[] = [];
  tokens.forEach((token, index) => {
    const name = literals.has(token.contextId) && token.isKey ? keyOf(token).name : undefined;
    if (name === undefined || isAccessor(tokens, index)) return;
    const key = `${token.contextId} ${name}`;
    const before = first.get(key);
    if (before) found.push(twice(source.file, name, [before, token]));
    else first.set(key, token);
  });
  return found;
}

/** By their numbers. A brace bears one in literals and in patterns; a pattern is assigned to. */
function objectLiterals(tokens: readonly Token[]): ReadonlySet<number | undefined> {
  const literals = new Set<number | undefined>();
  tokens.forEach(({ text, contextId }, index) => {
    if (contextId === undefined) return;
    if (text === '{') literals.add(contextId);
    if (text === '}' && tokens[index + 1]?.text === '=') literals.delete(contextId);
  });
  return literals;
}

/** `get x() {…}` and `set x(…) {…}` go together. */
const isAccessor = (tokens: readonly Token[], index: number): boolean => /^[gs]et$/.test(tokens[index - 1]?.text ?? '');

function twice(file: string, name: string, [before, again]: readonly [Token, Token]): Diagnostic {
  const at = ({ start, end }: Token) => ({ kind: 'file', file, range: { start, end } }) as const;
  return {
    code: 'AR108',
    message: `the key "${name}" is written twice`,
    hint: 'Keep one of the two',
    at: at(again),
    related: [{ message: 'first written here', at: at(before) }],
  };
}
