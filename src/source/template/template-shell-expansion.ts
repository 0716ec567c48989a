/** What a `$` begins, and where reading goes on. */
export type Expansion =
  | { readonly kind: 'arithmetic' | 'substitution' | 'brace' | 'ansi' | 'parameter' | 'dollar'; readonly next: number }
  /** Shells do not agree, so what follows cannot be read with certainty. */
  | { readonly kind: 'unsure'; readonly where: string };

/** Reads the `$` at `at`. `quoted`: inside double quotes, where a single quote is a plain character. */
export function readExpansion(text: string, at: number, quoted: boolean): Expansion {
  const next = text[at + 1];
  switch (next) {
    case '(':
      return text[at + 2] === '(' ? { kind: 'arithmetic', next: at + 3 } : { kind: 'substitution', next: at + 2 };
    case '{':
      return readBrace(text, at);
    case '[':
      return { kind: 'unsure', where: 'after $[' };
    case "'":
      return quoted ? { kind: 'dollar', next: at + 1 } : { kind: 'ansi', next: at + 2 };
    case '$':
      // Some shells read `$${` and `$$(` as a dollar and an expansion.
      return /[\s\w./:;,|&)=-]/.test(text[at + 2] ?? '')
        ? { kind: 'parameter', next: at + 2 }
        : { kind: 'unsure', where: 'after $$' };
    default:
      return next !== undefined && /[@*#?!0-9-]/.test(next)
        ? { kind: 'parameter', next: at + 2 }
        : { kind: 'dollar', next: at + 1 };
  }
}

const whole = /\$\{(?:#?(?:[A-Za-z_]\w*|[0-9]+)|[@*#?$!-])\}/y;
const withWord = /\$\{(?:[A-Za-z_]\w*|[0-9]+|[@*])(?::?[-=?+]|##?|%%?)/y;

/** Only what POSIX has: `${NAME}`, `${#NAME}`, and `${NAME` with an operator, whose word is read on its own. */
function readBrace(text: string, at: number): Expansion {
  whole.lastIndex = at;
  if (whole.test(text)) return { kind: 'parameter', next: whole.lastIndex };
  withWord.lastIndex = at;
  if (withWord.test(text)) return { kind: 'brace', next: withWord.lastIndex };
  return { kind: 'unsure', where: 'after an unusual parameter expansion' };
}
