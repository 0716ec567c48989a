import { CodeWords } from './template-shell-code.js';
import type { Expansion } from './template-shell-expansion.js';
import type { HereBody, HereDocument } from './template-shell-here.js';

/** Stands in a word for parts that are not plain characters. */
export const opaque = '\0';

/** Whether the text so far ends in `$` or `$NAME`, which what follows would continue. */
export type Tail = 'none' | 'dollar' | 'name';

export interface PlainFrame {
  readonly kind: 'plain';
  /** Inside `$(…)`, where a closing bracket ends it. */
  readonly substitution: boolean;
  parens: number;
  word: string;
  readonly code: CodeWords;
  /** Here-documents that begin after the next line break. */
  pending: HereDocument[];
}
export interface BraceFrame {
  readonly kind: 'brace';
  readonly quoted: boolean;
}
export interface ArithmeticFrame {
  readonly kind: 'arithmetic';
  parens: number;
}
/** One level of shell text: each kind reads its characters in its own way. */
export type Frame =
  | PlainFrame
  | HereBody
  | BraceFrame
  | ArithmeticFrame
  | { readonly kind: 'single' | 'double' | 'ansi' | 'backtick' | 'comment' };

export const plainFrame = (substitution: boolean): PlainFrame => ({
  kind: 'plain',
  substitution,
  parens: 0,
  word: '',
  code: new CodeWords(),
  pending: [],
});

export const quoteFrame = (quote: string): Frame => ({ kind: quote === "'" ? 'single' : 'double' });

/** What an expansion opens; undefined for one that is already over, such as `$1`. */
export function openedFrame(kind: Expansion['kind'], quoted: boolean): Frame | undefined {
  switch (kind) {
    case 'arithmetic':
      return { kind, parens: 0 };
    case 'substitution':
      return plainFrame(true);
    case 'brace':
      return { kind, quoted };
    case 'ansi':
      return { kind };
    default:
      return undefined;
  }
}

/** Where double quotes hold, so that single quotes mean nothing. */
export const isQuoting = (frame: Frame): boolean =>
  frame.kind === 'double' || frame.kind === 'arithmetic' || (frame.kind === 'brace' && frame.quoted);

/** A here-document was announced whose body has not begun. */
export const isWaiting = (frame: Frame): boolean => frame.kind === 'plain' && frame.pending.length > 0;

/** Words after which quotes do not protect, or brackets do not come in pairs. */
export function unsureAfter(word: string, stack: readonly Frame[]): string | undefined {
  if (word === 'eval' || word === 'let' || word === '[[') return `after \`${word}\``;
  const inside = word === 'case' && stack.some((frame) => frame.kind === 'plain' && frame.substitution);
  return inside ? 'after `case` inside $(…)' : undefined;
}

export const nextTail = (tail: Tail, char: string): Tail =>
  tail !== 'none' && (tail === 'name' ? /\w/ : /[A-Za-z_]/).test(char) ? 'name' : 'none';

export const tailOf = (text: string): Tail =>
  text.endsWith('$') ? 'dollar' : /\$[A-Za-z_]\w*$/.test(text) ? 'name' : 'none';
