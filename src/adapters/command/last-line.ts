import { closeSync, fstatSync, readSync, statSync } from 'node:fs';
import { openPlain } from '../disk/plain-file.js';
import { printable } from './printable.js';

/** The last line that a command wrote, on whichever stream it wrote last; undefined when it wrote nothing yet. */
export function lastLine(stdoutFile: string, stderrFile: string): string | undefined {
  const [older, newer] = [stdoutFile, stderrFile].sort((a, b) => writtenAt(a) - writtenAt(b));
  return lastLineOf(newer!) ?? lastLineOf(older!);
}

/** The last lines of a file, for people: without escape sequences, and without empty lines at the end. */
export function tailLines(file: string, count: number): readonly string[] {
  const lines = linesOf(lastBytes(file, longTailBytes));
  while (lines.length > 0 && lines.at(-1) === '') lines.pop();
  return count > 0 ? lines.slice(-count) : [];
}

const shortTailBytes = 4096;
const longTailBytes = 256 * 1024;

const lastLineOf = (file: string): string | undefined =>
  linesOf(lastBytes(file, shortTailBytes)).findLast((line) => line !== '');

/** A carriage return paints over the line, so a progress bar counts by what it shows in the end. */
const linesOf = (text: string): string[] => text.split('\n').map(shown);

function shown(line: string): string {
  const layers = line.split('\r').map((layer) => printable(layer).trimEnd());
  return layers.findLast((layer) => layer !== '') ?? '';
}

function writtenAt(file: string): number {
  const stat = statSync(file, { throwIfNoEntry: false });
  return stat === undefined || stat.size === 0 ? -1 : stat.mtimeMs;
}

/** The end of a file as text; empty when there is none. */
export function lastBytes(file: string, bytes: number): string {
  const fd = openPlain(file);
  if (fd === undefined) return '';
  try {
    const from = Math.max(0, fstatSync(fd).size - bytes);
    const buffer = Buffer.alloc(bytes);
    const read = readSync(fd, buffer, 0, bytes, from);
    return wholeCharacters(buffer.subarray(0, read), from > 0);
  } finally {
    closeSync(fd);
  }
}

/** Drops the halves of a character that the cut at the front and a write in progress at the end leave. */
function wholeCharacters(bytes: Buffer, cutAtFront: boolean): string {
  let start = 0;
  while (cutAtFront && start < 3 && ((bytes[start] ?? 0) & 0xc0) === 0x80) start += 1;
  return bytes.toString('utf8', start).replace(/\ufffd$/, '');
}
