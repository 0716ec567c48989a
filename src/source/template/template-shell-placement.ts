import type { Frame, Tail } from './template-shell-frame.js';

/** How a value may be put into shell text. */
export type Placement =
  /** Outside quotes. `before` is what the word consists of so far. */
  | { readonly kind: 'word'; readonly before: string }
  | { readonly kind: 'single' }
  /** `afterName`: the text so far ends in `$NAME`, which the value would make longer. */
  | { readonly kind: 'double'; readonly afterName: boolean }
  | { readonly kind: 'number' }
  /** Only characters that mean nothing anywhere. */
  | { readonly kind: 'plain'; readonly where: string; readonly afterName: boolean; readonly empty: boolean }
  | { readonly kind: 'never'; readonly where: string };

export interface ShellPoint {
  readonly stack: readonly Frame[];
  readonly tail: Tail;
  /** Why the text can be read in more than one way from here on. */
  readonly lost: string | undefined;
}

export function placementAt({ stack, tail, lost }: ShellPoint): Placement {
  const frame = stack.at(-1)!;
  const readsDollar = !(frame.kind === 'single' || frame.kind === 'comment' || frame.kind === 'ansi');
  if (tail === 'dollar' && readsDollar) return { kind: 'never', where: 'directly after $' };
  const afterName = tail === 'name';
  if (lost !== undefined) return { kind: 'plain', where: lost, afterName, empty: false };
  if (frame.kind === 'arithmetic') return { kind: 'number' };
  const outside = stack.some(({ kind }) => kind === 'brace' || kind === 'arithmetic');
  if (outside) return { kind: 'plain', where: 'inside a parameter expansion or arithmetic', afterName, empty: false };
  const code = stack.find((one) => one.kind === 'plain' && one.code.where !== undefined);
  if (code?.kind === 'plain') return { kind: 'plain', where: code.code.where!, afterName, empty: false };
  switch (frame.kind) {
    case 'plain':
      return { kind: 'word', before: afterName ? '$' : frame.word };
    case 'single':
      return { kind: 'single' };
    case 'double':
      return { kind: 'double', afterName };
    case 'ansi':
      return { kind: 'plain', where: "inside $'…'", afterName: false, empty: true };
    case 'comment':
      return { kind: 'plain', where: 'in a comment', afterName: false, empty: true };
    case 'here':
      return { kind: 'plain', where: 'inside a here-document', afterName, empty: true };
    default:
      return { kind: 'plain', where: 'inside backticks', afterName, empty: false };
  }
}
