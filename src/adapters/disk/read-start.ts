import { closeSync, fstatSync, readSync } from 'node:fs';
import { openPlain } from './plain-file.js';

/** The beginning of a file, and how long it is. Never waits for a pipe, never follows a link out of the project. */
export function readStart(
  file: string,
  mostBytes: number,
): { readonly text: string; readonly bytes: number } | 'binary' | 'missing' {
  const fd = openPlain(file);
  if (fd === undefined) return 'missing';
  try {
    const bytes = fstatSync(fd).size;
    const buffer = Buffer.alloc(Math.min(bytes, mostBytes));
    const read = readSync(fd, buffer, 0, buffer.length, 0);
    const start = buffer.subarray(0, read);
    return start.includes(0) ? 'binary' : { text: start.toString('utf8'), bytes };
  } catch {
    return 'missing';
  } finally {
    closeSync(fd);
  }
}
