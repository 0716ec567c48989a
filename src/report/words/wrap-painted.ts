import { displayWidth } from './text-width.js';

export interface Painted {
  readonly text: string;
  paint(text: string): string;
}

interface Indents {
  /** Cells before the first line, and before each that follows. */
  readonly first: number;
  readonly rest: number;
}

/** As `wrapText`, with colours and indents. */
export function wrapPainted(pieces: readonly Painted[], width: number, { first, rest }: Indents): string[] {
  const lines: Painted[][] = [[]];
  let used = first;
  for (const { text, paint } of pieces)
    for (const word of text.split(' ')) {
      const line = lines.at(-1)!;
      const cells = displayWidth(word) + (line.length === 0 ? 0 : 1);
      if (line.length > 0 && used + cells > width) {
        lines.push([{ text: word, paint }]);
        used = rest + cells - 1;
      } else {
        line.push({ text: word, paint });
        used += cells;
      }
    }
  return lines.map((line, index) => `${' '.repeat(index === 0 ? first : rest)}${painted(line)}`);
}

/** Words of one colour are painted together. */
function painted(words: readonly Painted[]): string {
  const runs: { text: string; paint: Painted['paint'] }[] = [];
  for (const { text, paint } of words) {
    const last = runs.at(-1);
    if (last?.paint === paint) last.text += ` ${text}`;
    else runs.push({ text, paint });
  }
  return runs.map(({ text, paint }) => paint(text)).join(' ');
}
