/** A piece of a text, with its offset in the whole. */
export interface Piece {
  readonly text: string;
  readonly start: number;
}

export type Frontmatter =
  | { readonly head: Piece; readonly body: Piece }
  | { readonly missing: 'begin' }
  | { readonly missing: 'end'; readonly start: number };

/** The YAML between two lines `---` at the beginning of a text, and what follows. */
export function frontmatterOf(text: string): Frontmatter {
  const open = /^\uFEFF?(?:[ \t]*\r?\n)*---[ \t]*(?:\r?\n|$)/.exec(text);
  if (!open) return { missing: 'begin' };
  const from = open[0].length;
  const close = /^(?:---|\.\.\.)[ \t]*\r?$/m.exec(text.slice(from));
  if (!close) return { missing: 'end', start: open[0].indexOf('---') };
  const after = from + close.index + close[0].length;
  return {
    head: { text: text.slice(from, from + close.index), start: from },
    body: { text: text.slice(after), start: after },
  };
}
