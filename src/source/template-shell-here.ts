import type { HereDocument, HereFrame } from './template-shell-frame.js';

/** Reads `<<END` or `<<-'END'`. Undefined when the end word is anything but plain, or is not all there. */
export function readHereOperator(text: string, at: number): { document: HereDocument; next: number } | undefined {
  const operator = /<<(-?)[ \t]*(?:'([\w.+-]+)'|"([\w.+-]+)"|([\w.+-]+))(?=[\s;&|<>)])/y;
  operator.lastIndex = at;
  const match = operator.exec(text);
  if (!match) return undefined;
  const [, dash, single, double, bare] = match;
  return { document: { end: (single ?? double ?? bare)!, stripTabs: dash === '-' }, next: operator.lastIndex };
}

/** Whether the line read so far ends the here-document that is being read. */
export function isHereEnd({ queue, line }: HereFrame): boolean {
  const [document] = queue;
  return document !== undefined && (document.stripTabs ? line.replace(/^\t+/, '') : line) === document.end;
}

/** A backslash that is not itself escaped: it takes away the meaning of whatever follows. */
export const endsInBackslash = (text: string): boolean => /(?:^|[^\\])(?:\\\\)*\\$/.test(text);
