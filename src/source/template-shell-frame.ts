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
  /** Here-documents that begin after the next line break. */
  pending: HereDocument[];
}
/** A `<<END` whose body is still to come. */
export interface HereDocument {
  readonly end: string;
  readonly stripTabs: boolean;
}
export interface HereFrame {
  readonly kind: 'here';
  readonly queue: HereDocument[];
  line: string;
  marks: number[];
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
  | HereFrame
  | BraceFrame
  | ArithmeticFrame
  | { readonly kind: 'single' | 'double' | 'ansi' | 'backtick' | 'comment' };

export const plainFrame = (substitution: boolean): PlainFrame => ({
  kind: 'plain',
  substitution,
  parens: 0,
  word: '',
  pending: [],
});

/** Where double quotes hold, so that single quotes mean nothing. */
export const isQuoting = (frame: Frame): boolean =>
  frame.kind === 'double' || frame.kind === 'arithmetic' || (frame.kind === 'brace' && frame.quoted);
