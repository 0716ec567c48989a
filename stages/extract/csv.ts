/** Comma- or tab-separated values with a line of names above them. Text says what is wrong. */
export function readCsv(text: string, separator: ',' | '\t'): readonly CsvRow[] | string {
  const rows = split(text.replace(/^\uFEFF/, ''), separator);
  if (typeof rows === 'string') return rows;
  const [header, ...below] = rows.slice(rows.findIndex((row) => !isBlank(row)));
  if (!header || isBlank(header)) return 'it is empty';
  // In a single column an empty line is a cell in which a NaN may have stood, but for those at the end.
  const last = below.findLastIndex((row) => !isBlank(row));
  const body = header.cells.length === 1 ? below.slice(0, last + 1) : below.filter((row) => !isBlank(row));
  const names = header.cells.map((name) => name.trim());
  const doubled = names.find((name, at) => names.indexOf(name) !== at);
  if (doubled !== undefined) return `two columns are called "${doubled}"`;
  const found: CsvRow[] = [];
  for (const { line, cells } of body) {
    if (cells.length !== names.length)
      return `line ${line} has ${cells.length} cells, and there are ${names.length} columns`;
    found.push({ line, fields: Object.fromEntries(names.map((name, at) => [name, cells[at]!.trim()])) });
  }
  return found;
}

export interface CsvRow {
  readonly line: number;
  readonly fields: { readonly [name: string]: string };
}

interface Cells {
  readonly line: number;
  readonly cells: string[];
  /** Something in it stood in quotes, if only nothing. */
  readonly isQuoted: boolean;
}

/** A line without anything in it is no row. */
const isBlank = ({ cells, isQuoted }: Cells): boolean => cells.length === 1 && cells[0] === '' && !isQuoted;

function split(text: string, separator: string): Cells[] | string {
  const rows: Cells[] = [];
  let [row, cell, line, startedAt] = [[] as string[], '', 1, 1];
  let quoted: 'no' | 'open' | 'closed' = 'no';
  let isQuoted = false;
  const endCell = (): void => {
    row.push(cell);
    [cell, quoted] = ['', 'no'];
  };
  const endRow = (): void => {
    endCell();
    rows.push({ line: startedAt, cells: row, isQuoted });
    [row, startedAt, isQuoted] = [[], line + 1, false];
  };
  for (let at = 0; at < text.length; at += 1) {
    const sign = text[at]!;
    if (quoted === 'open') {
      if (sign === '"' && text[at + 1] === '"') {
        cell += '"';
        at += 1;
      } else if (sign === '"') quoted = 'closed';
      else cell += sign;
      if (sign === '\n') line += 1;
    } else if (sign === separator) endCell();
    else if (sign === '\n') {
      endRow();
      line += 1;
    } else if (sign === '"' && cell === '' && quoted === 'no') [quoted, isQuoted] = ['open', true];
    else if (sign !== '\r') cell += sign;
  }
  if (quoted === 'open') return `a quote that begins in line ${startedAt} is never closed`;
  if (cell !== '' || row.length > 0) endRow();
  return rows;
}
