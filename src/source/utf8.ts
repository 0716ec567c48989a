import { isUtf8 } from 'node:buffer';
import { readFileSync } from 'node:fs';
import type { Diagnostic } from '../model/diagnostic.js';

/**
 * Complains of a file whose bytes are no UTF-8: read all the same, each wrong byte would silently become another letter.
 * `text` is what was read; it tells for nearly all files that nobody has to look again.
 */
export function utf8Problem(file: string, text: string): Diagnostic | undefined {
  if (!text.includes('\ufffd')) return undefined;
  const bytes = readFileSync(file);
  if (isUtf8(bytes)) return undefined;
  const read = Buffer.from(text);
  let same = 0;
  while (bytes[same] === read[same]) same += 1;
  // The first letter that came out differently may share its first bytes with what was read.
  while (same > 0 && !isUtf8(bytes.subarray(0, same))) same -= 1;
  const start = bytes.subarray(0, same).toString().length;
  return {
    code: 'AR103',
    message: `the file is not UTF-8: here stands the byte 0x${bytes[same]!.toString(16)}`,
    hint: 'Save it as UTF-8 in your editor, or with: iconv -f latin1 -t utf8',
    at: { kind: 'file', file, range: { start, end: start + 1 } },
  };
}
