import type { JsonObject, Reading } from 'autoresearch';

/** Comma-separated values with a head (RFC 4180). What is written as a number is one. */
export function readCsv(text: string, file: string): Reading<readonly JsonObject[]> {
  const [head, ...lines] = cellsOf(text);
  if (!head) return { ok: true, value: [] };
  const odd = lines.findIndex((cells) => cells.length !== head.length);
  if (odd !== -1)
    return { ok: false, why: `${file}: row ${odd + 2} has ${lines[odd]!.length} cells, and the head ${head.length}` };
  return {
    ok: true,
    value: lines.map((cells) => Object.fromEntries(head.map((name, at) => [name, cellValue(cells[at]!)]))),
  };
}

const cellValue = (cell: string): string | number | null =>
  cell === '' ? null : /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/.test(cell) ? Number(cell) : cell;

function cellsOf(text: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  const cell = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r?\n|$)/y;
  while (cell.lastIndex < text.length) {
    const found = cell.exec(text);
    if (!found) break;
    row.push(found[1]?.replaceAll('""', '"') ?? found[2]!);
    if (found[3] === ',') continue;
    if (row.length > 1 || row[0] !== '') rows.push(row);
    row = [];
  }
  if (row.length > 0) rows.push([...row, '']);
  return rows;
}
