import { closeSync, fstatSync, readSync, statSync } from 'node:fs';
import type { Printed } from '../../model/stage.js';
import { openPlain } from '../disk/plain-file.js';

interface Logs {
  readonly stdoutFile: string;
  readonly stderrFile: string;
}

/** Remembers how long the logs are now; answers later with what has come since. */
export function printedSince({ stdoutFile, stderrFile }: Logs): () => Printed {
  const [out, err] = [sizeOf(stdoutFile), sizeOf(stderrFile)];
  return () => {
    const [stdout, stderr] = [textSince(stdoutFile, out), textSince(stderrFile, err)];
    return { stdout: stdout.text, stderr: stderr.text, isCut: stdout.isCut || stderr.isCut };
  };
}

/** A number in a log is wanted whole; a log that is longer than this is no place to look for one. */
export const mostPrinted = 1 << 20;

const sizeOf = (file: string): number => statSync(file, { throwIfNoEntry: false })?.size ?? 0;

/** The last of it, when there is more: what a program says in the end counts. A log that became shorter was tampered with. */
function textSince(file: string, from: number): { text: string; isCut: boolean } {
  const fd = openPlain(file);
  if (fd === undefined) return { text: '', isCut: from > 0 };
  try {
    const { size } = fstatSync(fd);
    const start = Math.max(from, size - mostPrinted);
    const buffer = Buffer.alloc(Math.max(0, size - start));
    const read = readSync(fd, buffer, 0, buffer.length, start);
    return { text: buffer.toString('utf8', 0, read), isCut: start > from || size < from };
  } finally {
    closeSync(fd);
  }
}
