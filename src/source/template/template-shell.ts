import type { Json } from '../../model/json.js';
import { err, ok, type Result } from '../../model/result.js';
import type { TextProblem } from '../../model/text-problem.js';
import { insideDoubleQuotes, insideSingleQuotes, isPlain, isReserved, singleQuoted } from '../shell-quote.js';
import { kindOf, type Piece, type ValuePiece } from './template-render.js';
import type { Placement } from './template-shell-placement.js';
import { ShellScanner } from './template-shell-scan.js';

/** Shell text with each value quoted for the place where it stands; raw values are taken as they are. */
export function shellText(pieces: readonly Piece[]): Result<string, readonly TextProblem[]> {
  const problems: TextProblem[] = [];
  const parts = joined(pieces, problems);
  const scanner = new ShellScanner();
  let text = '';
  let firstQuoted: ValuePiece | undefined;
  parts.forEach((part, index) => {
    if (typeof part === 'string') {
      scanner.feed(part);
      text += part;
      return;
    }
    const placed = place(part, scanner.placement(), parts[index + 1]);
    if ('code' in placed) problems.push(placed);
    else {
      if (!placed.bare) firstQuoted ??= part;
      scanner.inserted(placed.text, { bare: placed.bare, mark: index });
      text += placed.text;
    }
  });
  if (!scanner.isClosed() && firstQuoted) {
    problems.push(cannotQuote(firstQuoted, 'in text whose quotes or brackets do not close'));
  }
  for (const mark of scanner.clashes)
    problems.push(cannotQuote(parts[mark] as ValuePiece, 'where it ends a here-document'));
  return problems.length > 0 ? err(problems) : ok(text);
}

/** Literal text in one stretch between two quoted values, since the shell may read a character with the one before it. */
function joined(pieces: readonly Piece[], problems: TextProblem[]): readonly Piece[] {
  const parts: Piece[] = [];
  for (const piece of pieces) {
    let part = piece;
    if (typeof piece !== 'string' && piece.raw) {
      if (typeof piece.value === 'object') problems.push(wrongKind(piece, 'stand in shell text as it is'));
      part = String(piece.value);
    }
    const last = parts.at(-1);
    if (typeof part === 'string' && typeof last === 'string') parts[parts.length - 1] = last + part;
    else if (part !== '') parts.push(part);
  }
  return parts;
}

interface Placed {
  readonly text: string;
  /** Without any quotes. */
  readonly bare: boolean;
}

function place(piece: ValuePiece, placement: Placement, next: Piece | undefined): Placed | TextProblem {
  const { value } = piece;
  if (Array.isArray(value)) return placeList(piece, value, { placement, next });
  if (typeof value === 'object') return wrongKind(piece, 'stand in shell text');
  const text = String(value);
  if (text.includes('\0'))
    return {
      code: 'AR403',
      message: `${valueNamed(piece)} holds a NUL character, which no shell takes`,
      within: piece.path.within,
    };
  switch (placement.kind) {
    case 'word':
      return mayStandBare(text, placement.before, next)
        ? { text, bare: true }
        : { text: singleQuoted(text), bare: false };
    case 'single':
      return { text: insideSingleQuotes(text), bare: false };
    case 'double':
      // Closing and opening the quotes keeps `$NAME` apart from what follows.
      return { text: (placement.afterName ? '""' : '') + insideDoubleQuotes(text), bare: false };
    case 'number':
      if (!/^-?(?:0|[1-9][0-9]{0,17})$/.test(text))
        return cannotQuote(piece, 'inside $((…)), where only whole numbers can stand');
      return { text: text.startsWith('-') ? `(${text})` : text, bare: true };
    case 'plain':
      return placePlain(piece, text, { placement, next });
    case 'never':
      return placement.where === 'directly after $' ? afterDollar(piece) : cannotQuote(piece, placement.where);
  }
}

interface PlainSpot {
  readonly placement: Placement & { kind: 'plain' };
  readonly next: Piece | undefined;
}

function placePlain(piece: ValuePiece, text: string, { placement, next }: PlainSpot): Placed | TextProblem {
  const fits = text === '' ? placement.empty : isPlain(text);
  // `$NAME` would grow, and a number before `>` would name a file descriptor.
  const joins = placement.afterName || (!placement.empty && typeof next === 'string' && /^[<>]/.test(next));
  return fits && !joins ? { text, bare: true } : cannotQuote(piece, placement.where);
}

interface ListSpot {
  readonly placement: Placement;
  readonly next: Piece | undefined;
}

/** A list becomes several words, so it has to stand where several words can. */
function placeList(piece: ValuePiece, items: readonly Json[], { placement, next }: ListSpot): Placed | TextProblem {
  const endsWord = next === undefined || (typeof next === 'string' && /^[ \t\n;&|)]/.test(next));
  if (placement.kind !== 'word' || placement.before !== '' || !endsWord) {
    return wrongKind(
      piece,
      'be part of a word or stand in quotes',
      'Put spaces around it, so that each item becomes a word',
    );
  }
  if (items.some((item) => typeof item === 'object')) return wrongKind(piece, 'hold other lists or maps in shell text');
  const words = items.map((item) => (mayStandBare(String(item), '', ' ') ? String(item) : singleQuoted(String(item))));
  if (words.some((word) => word.includes('\0'))) return cannotQuote(piece, 'because it holds a NUL character');
  return { text: words.join(' '), bare: false };
}

/**
 * True when the value is the same with and without quotes: nothing in it is special, nothing around it can make it so
 * (a name before `=`, a number before `>`, a letter that completes `if`), and it is no word of the shell's grammar.
 */
function mayStandBare(text: string, before: string, next: Piece | undefined): boolean {
  const followed = next === undefined || (typeof next === 'string' && /^[ \t\n;&|)"'A-Z0-9_./:@%+,-]/.test(next));
  return followed && isPlain(text) && /^[A-Za-z0-9_./:@%+,=-]*$/.test(before) && !isReserved(before + text);
}

const valueNamed = ({ path }: ValuePiece): string => `the value of "${path.written}"`;

const cannotQuote = (piece: ValuePiece, where: string): TextProblem => ({
  code: 'AR403',
  message: `${valueNamed(piece)} cannot be quoted safely ${where}`,
  hint: 'Put it into "env" and write "$NAME" in the shell text',
  within: piece.path.within,
});

const afterDollar = ({ path }: ValuePiece): TextProblem => ({
  code: 'AR403',
  message: `"${path.written}" stands directly after $, so the shell would read it as a name`,
  hint: `Take the $ away: {{${path.written}}} is filled in before the shell runs`,
  within: path.within,
});

const wrongKind = ({ path, value }: ValuePiece, what: string, hint?: string): TextProblem => ({
  code: 'AR408',
  message: `"${path.written}" is ${kindOf(value)}, which cannot ${what}`,
  ...(hint === undefined ? {} : { hint }),
  within: path.within,
});
