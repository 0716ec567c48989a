import { createHash } from 'node:crypto';
import { type BigIntStats, closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { stampsOf } from './vault-kept.js';

/** A file's digest, and its bytes where they are few. */
export interface ReadFile {
  readonly digest: string;
  readonly bytes?: Buffer;
  readonly stats: BigIntStats;
}

export const fewBytes = 1 << 20;

/**
 * Reads a plain file and nothing else: no link is followed, no pipe is waited for, and what changes while it is read is
 * read again. `onPiece` gets all bytes, in order, once for every try; `onTry` is told when one begins.
 */
export function readPlainFile(file: string | Buffer, onPiece?: (piece: Buffer) => void, onTry?: () => void): ReadFile {
  let read: ReadFile | 'gone' | 'changed' = 'changed';
  for (let turn = 0; turn < 3; turn += 1) {
    onTry?.();
    read = readOnce(file, onPiece);
    if (typeof read !== 'string') return read;
  }
  // Another one may stand in the place of one that was removed, and go away in its turn: that is not changing for ever.
  if (read === 'gone') throw Object.assign(new Error(`${file} has gone away`), { code: 'ENOENT' });
  throw new Error(`${file} changes while it is read`);
}

export function openPlainFile(file: string | Buffer): number {
  const fd = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  if (fstatSync(fd).isFile()) return fd;
  closeSync(fd);
  throw new Error(`${file} is no plain file`);
}

function readOnce(file: string | Buffer, onPiece?: (piece: Buffer) => void): ReadFile | 'gone' | 'changed' {
  const fd = openPlainFile(file);
  try {
    const stats = fstatSync(fd, { bigint: true });
    const sum = createHash('sha256');
    const few: Buffer[] = [];
    let size = 0;
    for (let read = readSync(fd, piece); read > 0; read = readSync(fd, piece)) {
      const part = piece.subarray(0, read);
      size += read;
      sum.update(part);
      onPiece?.(part);
      if (size <= fewBytes) few.push(Buffer.from(part));
    }
    const after = fstatSync(fd, { bigint: true });
    if (after.nlink === 0n) return 'gone';
    if (stampsOf(after) !== stampsOf(stats)) return 'changed';
    return { digest: sum.digest('hex'), stats, ...(size <= fewBytes ? { bytes: Buffer.concat(few) } : {}) };
  } finally {
    closeSync(fd);
  }
}

/** One for all: a new one for each of a thousand small files would cost more than reading them. */
const piece = Buffer.allocUnsafeSlow(1 << 18);
