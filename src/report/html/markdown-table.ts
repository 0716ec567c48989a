/** A table that stands in a Markdown file. */
export interface MarkdownTable {
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
  /** Of its head, from 1. */
  readonly line: number;
}

/** The tables of a Markdown text. Nothing else of it is read. */
export function markdownTables(text: string): readonly MarkdownTable[] {
  const lines = text.split('\n');
  const found: MarkdownTable[] = [];
  for (let at = 1; at < lines.length; at += 1) {
    if (!/^\|(\s*:?-+:?\s*\|)+\s*$/.test(lines[at]!) || !lines[at - 1]!.startsWith('|')) continue;
    const end = lines.findIndex((line, index) => index > at && !line.startsWith('|'));
    const rows = lines.slice(at + 1, end === -1 ? undefined : end).map(cellsOf);
    found.push({ head: cellsOf(lines[at - 1]!), rows, line: at });
  }
  return found;
}

const cellsOf = (line: string): readonly string[] =>
  line
    .replace(/^\||\|\s*$/g, '')
    .split(/(?<!\\)\|/)
    .map((cell) => cell.replace(/\\([|\\])/g, '$1').trim());
