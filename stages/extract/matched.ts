import type { StageContext, TextMatch } from 'autoresearch';

export interface Matched {
  readonly line: number;
  readonly fields: { readonly [group: string]: string };
  /** Groups that hold only a part of the number that stands there → all of it. */
  readonly torn: { readonly [group: string]: string };
  /** The pattern itself does not fit there, but would if there were other numbers. */
  readonly passedOver?: true;
}

/**
 * Each place that a pattern fits, as a record. `loss (?<loss>[\d.]+)` does not fit `loss nan`, fits a part of `loss 3.2e-05`,
 * and knows no minus: none of that may end in another number than the one that was written. Text says what is wrong.
 */
export function matchedRecords(
  pattern: string,
  text: string,
  context: Pick<StageContext, 'matches'>,
): readonly Matched[] | string {
  const found = context.matches(pattern, text);
  if (!found.ok) return found.why;
  const wider = context.matches(widened(pattern), text);
  if (!wider.ok) return wider.why;
  const known = new Set(found.value.map(({ index }) => index));
  const isKnown = ({ index, text: { length } }: TextMatch): boolean => {
    for (let at = index; at < index + length; at += 1) if (known.has(at)) return true;
    return false;
  };
  const passedOver = wider.value.filter((match) => Object.values(match.groups).some(isUnforeseen) && !isKnown(match));
  return [
    ...found.value.map((match) => ({ index: match.index, record: recordOf(match) })),
    ...passedOver.map((match) => ({ index: match.index, record: { ...recordOf(match), passedOver: true as const } })),
  ]
    .sort((a, b) => a.index - b.index)
    .map(({ record }) => record);
}

/** What programs print where there is no number, and what expressions made of digits do not fit. */
const words = '[+-]?(?:[Nn][Aa][Nn]|[Ii][Nn][Ff](?:[Ii][Nn][Ii][Tt][Yy])?|[Nn]one|[Nn]ull|[Nn]/[Aa])(?![\\w/])';
const negative = '(?<![\\w)\\]])-(?:\\d[\\d.]*|\\.\\d+)(?:[eE][+-]?\\d+)?';
const unforeseen = new RegExp(`^(?:${words}|${negative})$`);

export const isUnforeseen = (text: unknown): boolean => typeof text === 'string' && unforeseen.test(text);

/** The same pattern, whose named groups take that too. */
function widened(pattern: string): string {
  let wider = '';
  const open: boolean[] = [];
  let inClass = false;
  for (let at = 0; at < pattern.length; at += 1) {
    const sign = pattern[at]!;
    if (sign === '\\') {
      wider += sign + (pattern[at + 1] ?? '');
      at += 1;
    } else if (inClass || sign === '[') {
      inClass = sign !== ']';
      wider += sign;
    } else if (sign === '(') {
      const name = /^\(\?<[A-Za-z_$][\w$]*>/.exec(pattern.slice(at))?.[0];
      open.push(name !== undefined);
      wider += name === undefined ? sign : `${name}(?:`;
      at += (name ?? sign).length - 1;
    } else if (sign === ')') wider += open.pop() ? `)|${words}|${negative})` : sign;
    else wider += sign;
  }
  return wider;
}

const recordOf = (match: TextMatch): Matched => ({ line: match.line, fields: match.groups, torn: tornIn(match) });

/** Groups that begin or end in the middle of a number: behind a minus, before an exponent, between two digits. */
function tornIn({ groups, around }: TextMatch): { [group: string]: string } {
  const torn: { [group: string]: string } = {};
  for (const [name, value] of Object.entries(groups)) {
    const [before, after] = around[name] ?? ['', ''];
    const head = /^[\d.]/.test(value) ? (heads.exec(before)?.[0] ?? '') : '';
    const tail = /[\d.]$/.test(value) ? (tails.exec(after)?.[0] ?? '') : '';
    if (head + tail !== '') torn[name] = `${head}${value}${tail}`;
  }
  return torn;
}

/** A minus is no hyphen where no word stands before it; three dots are no decimal point. */
const heads = /(?<![\w.)\]])-?\.$|(?<![\w.)\]])-$|(?:(?<!\w)-)?[\d.]*\d(?:\.|[eE][+-]?)?$/;
const tails = /^(?:\d+|\.\d+)?(?:[eE][+-]?\d+)?/;
