/** The table that a parity check leaves in its log: names above, a mark, a parameter, a value for each arm, a remark. */
export interface ParityTable {
  readonly arms: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/**
 * Taken apart by its columns, which are as wide as their widest cell. Undefined where the text is something else, which is
 * then shown as it is.
 */
export function parityTable(text: string): ParityTable | undefined {
  const [head = '', ...body] = text.trimEnd().split('\n');
  const starts = [...head.matchAll(/\S+(?: \S+)*/g)].map(({ index }) => index);
  if (!/^ {3}parameter {2}/.test(head) || starts.length < 3 || body.length === 0) return undefined;
  const end = remarkStart([head, ...body], starts.at(-1)!);
  if (end === undefined) return undefined;
  const edges = [0, ...starts, end];
  const cells = (line: string): string[] => edges.map((from, at) => line.slice(from, edges[at + 1]).trim());
  const rows = body.map(cells);
  if (!rows.every(([mark = '']) => '=≠~'.includes(mark) && mark !== '')) return undefined;
  return { arms: cells(head).slice(2, -1), rows };
}

/** Where the remarks begin: two spaces behind the widest value of the last arm. */
function remarkStart(lines: readonly string[], last: number): number | undefined {
  const longest = Math.max(...lines.map((line) => line.length));
  for (let at = last + 3; at <= longest + 2; at += 1) {
    const values = lines.map((line) => line.slice(last, at).trimEnd().length);
    const fits = lines.every((line) => line.slice(at - 2, at).trim() === '' && line[at] !== ' ');
    if (fits && Math.max(...values) === at - 2 - last) return at;
  }
  return undefined;
}
