/** A parsed template. Small on purpose: text, values, and the four blocks that are allowed. */
export type TemplateNode =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'value'; readonly path: NamePath; readonly raw: boolean }
  | TemplateBlock;

export interface TemplateBlock {
  readonly kind: 'block';
  readonly helper: BlockHelper;
  readonly subject: NamePath;
  readonly body: readonly TemplateNode[];
  readonly otherwise: readonly TemplateNode[];
  /** Names given with `as |item index|`. */
  readonly params: readonly string[];
}

export const blockHelpers = ['if', 'unless', 'each', 'with'] as const;
export type BlockHelper = (typeof blockHelpers)[number];

/** A name as written in a template: `vars.steps`, `../name`, `@index`, `this`. */
export interface NamePath {
  readonly parts: readonly string[];
  /** How many `../` it begins with. */
  readonly depth: number;
  /** Begins with `@`. */
  readonly data: boolean;
  /** Begins with `this` or `./`, so that block parameters do not count. */
  readonly scoped: boolean;
  readonly written: string;
  readonly within: readonly [start: number, end: number];
}

/** The only kind of text that is a template at all. */
export const hasTemplate = (text: string): boolean => text.includes('{{');
