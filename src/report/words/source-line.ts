import { displayWidth, graphemes } from './text-width.js';

export interface Marked {
  readonly column: number;
  readonly endColumn?: number;
  /** Cells that text and marks may take. */
  readonly width: number;
}

/**
 * A source line as a terminal can show it, and the marks to stand below it. Columns count UTF-16 units from 1, as
 * editors and parsers do; the marks count cells, because a tab, a Chinese character or an emoji takes more than one.
 */
export function sourceLine(line: string, { column, endColumn, width }: Marked): { text: string; marks: string } {
  const place = Math.min(Math.max(column - 1, 0), line.length);
  const part = neighbourhood(line, place);
  const from = place - part.offset;
  const to = Math.min(Math.max((endColumn ?? 0) - 1 - part.offset, from + 1), Math.max(part.text.length, from + 1));
  const cells = shownCells(part.text);
  const start = startCell(cells, from);
  const end = Math.max(start + 1, endCell(cells, to));
  return cut(cells, {
    start,
    end,
    width,
    cutBefore: part.offset > 0,
    cutAfter: part.offset + part.text.length < line.length,
  });
}

/** Of a line of a million characters (minified JSON) only what could be shown is looked at. */
function neighbourhood(line: string, place: number): { text: string; offset: number } {
  if (line.length <= 4000) return { text: line, offset: 0 };
  const offset = Math.max(0, place - 1000);
  // Not between the two halves of one character.
  const start = isLowSurrogate(line, offset) ? offset - 1 : offset;
  const stop = Math.min(line.length, place + 2000);
  return { text: line.slice(start, isLowSurrogate(line, stop) ? stop - 1 : stop), offset: start };
}

const isLowSurrogate = (line: string, index: number): boolean => (line.charCodeAt(index) & 0xfc00) === 0xdc00;

/** One character of the line: where it stands in the source, what is shown for it, and at which cell. */
interface Cell {
  readonly offset: number;
  readonly length: number;
  readonly shown: string;
  readonly at: number;
  readonly width: number;
}

function shownCells(line: string): Cell[] {
  const cells: Cell[] = [];
  let offset = 0;
  let at = 0;
  for (const grapheme of graphemes(line)) {
    const shown = grapheme === '\t' ? ' '.repeat(tabStop - (at % tabStop)) : visible(grapheme);
    const width = displayWidth(shown);
    cells.push({ offset, length: grapheme.length, shown, at, width });
    offset += grapheme.length;
    at += width;
  }
  return cells;
}

const tabStop = 4;

/** Characters that a terminal would obey or hide, such as the marks that reverse the reading order. */
const visible = (grapheme: string): string =>
  hidden.test(grapheme)
    ? [...grapheme].map((char) => `<U+${char.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}>`).join('')
    : grapheme;

const hidden = /^[\u0000-\u001F\u007F-\u009F\u200B\u200E\u200F\u2028\u2029\u202A-\u202E\u2066-\u2069\uFEFF]/;

/** The cell of the character that an offset lies in; the end of the line for an offset behind it. */
function startCell(cells: readonly Cell[], offset: number): number {
  for (const cell of cells) if (offset < cell.offset + cell.length) return cell.at;
  return endOf(cells);
}

/** The cell behind the last character that ends before an offset, or at it. */
const endCell = (cells: readonly Cell[], offset: number): number =>
  cells.find((cell) => cell.offset >= offset)?.at ?? endOf(cells);

const endOf = (cells: readonly Cell[]): number => {
  const last = cells.at(-1);
  return last ? last.at + last.width : 0;
};

interface Span {
  readonly start: number;
  readonly end: number;
  readonly width: number;
  readonly cutBefore: boolean;
  readonly cutAfter: boolean;
}

function cut(
  cells: readonly Cell[],
  { start, end, width, cutBefore, cutAfter }: Span,
): { text: string; marks: string } {
  const total = endOf(cells);
  const fits = total <= width && !cutBefore && !cutAfter;
  const room = width - 2;
  // A third of the room before the place: what leads there is more telling than what follows.
  const wanted = Math.max(0, Math.min(start - Math.floor(room / 3), total - room));
  const kept = fits ? cells : cells.filter((cell) => cell.at >= wanted && cell.at + cell.width <= wanted + room);
  const first = kept[0]?.at ?? 0;
  const stop = endOf(kept);
  const lead = first > 0 || cutBefore ? '…' : '';
  const text = `${lead}${kept.map(({ shown }) => shown).join('')}${stop < total || cutAfter ? '…' : ''}`;
  const marked = Math.max(1, Math.min(end, Math.max(stop, start + 1)) - start);
  return { text: text.trimEnd(), marks: `${' '.repeat(lead.length + start - first)}^${'~'.repeat(marked - 1)}` };
}
