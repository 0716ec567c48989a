import { stripVTControlCharacters } from 'node:util';

/** The last lines of the two logs of a failed attempt. */
export interface Said {
  readonly stdout: readonly string[];
  readonly stderr: readonly string[];
}

const mostLines = 60;
const mostCharacters = 16_384;
const longestLine = 2000;

/**
 * The end of a log as a person would see it: no colours, only what a progress bar showed last, no empty lines. What comes
 * out is small whatever went in, because expressions are run over it.
 */
export function readable(lines: readonly string[]): readonly string[] {
  const kept: string[] = [];
  let left = mostCharacters;
  const all = lines.slice(-mostLines).flatMap((line) => line.slice(0, 4 * longestLine).split('\n'));
  for (const raw of all.reverse()) {
    const line = plain(raw);
    if (line === '') continue;
    left -= line.length;
    if (left < 0 || kept.length === mostLines) break;
    kept.push(line);
  }
  return kept.reverse();
}

function plain(raw: string): string {
  const shown = stripVTControlCharacters(raw)
    .split('\r')
    .findLast((part) => part.trim() !== '');
  if (shown === undefined) return '';
  return shown
    .slice(0, longestLine)
    .replaceAll('\t', '  ')
    .replace(/\p{Cc}/gu, '')
    .replace(/\p{Cs}/gu, '\uFFFD')
    .trimEnd();
}
