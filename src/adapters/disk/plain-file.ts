import { randomBytes } from 'node:crypto';
import {
  closeSync,
  constants,
  fstatSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { dirname, join } from 'node:path';

/**
 * Files in folders where a hostile program may have put something else: a pipe, at which opening would wait for ever, or a
 * link that leads elsewhere.
 */
const { O_RDONLY, O_WRONLY, O_APPEND, O_CREAT, O_NONBLOCK, O_NOFOLLOW } = constants;

/** Takes the place of whatever has that name, and is there whole or not at all. */
export function writePlain(path: string, text: string | Buffer): void {
  const draft = join(dirname(path), `.${randomBytes(6).toString('hex')}`);
  try {
    writeFileSync(draft, text, { flag: 'wx' });
    renameSync(draft, path);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
}

/** Undefined when it is no file, or none that can be read. The caller closes it. */
export function openPlain(path: string): number | undefined {
  return opened(path, O_RDONLY);
}

/** What stands there, where a hostile program may have put a pipe or a link; undefined when it is no plain file. */
export function readPlain(file: string): string | undefined {
  const fd = openPlain(file);
  if (fd === undefined) return undefined;
  try {
    return readFileSync(fd, 'utf8');
  } finally {
    closeSync(fd);
  }
}

/** What stands there or where a link leads to. Throws as reading does, and where it would wait for somebody to write. */
export function readWithoutWaiting(file: string): Buffer {
  const fd = openSync(file, O_RDONLY | O_NONBLOCK);
  try {
    if (!fstatSync(fd).isFile()) throw new Error(`${file} is not a file`);
    return readFileSync(fd);
  } finally {
    closeSync(fd);
  }
}

/** The same as bytes; undefined also when there are more than that. */
export function readPlainBytes(file: string, most = Number.POSITIVE_INFINITY): Buffer | undefined {
  const fd = openPlain(file);
  if (fd === undefined) return undefined;
  try {
    return fstatSync(fd).size > most ? undefined : readFileSync(fd);
  } finally {
    closeSync(fd);
  }
}

/** Does nothing where there is something else than a file. */
export function appendPlain(path: string, text: string | Buffer): void {
  const fd = opened(path, O_WRONLY | O_APPEND | O_CREAT);
  if (fd === undefined) return;
  try {
    // A disk that is nearly full may take a part.
    let left = Buffer.from(text);
    while (left.length > 0) left = left.subarray(writeSync(fd, left));
  } finally {
    closeSync(fd);
  }
}

function opened(path: string, flags: number): number | undefined {
  let fd: number;
  try {
    fd = openSync(path, flags | O_NONBLOCK | O_NOFOLLOW, 0o666);
  } catch {
    return undefined;
  }
  if (fstatSync(fd).isFile()) return fd;
  closeSync(fd);
  return undefined;
}
