import { createHash, hash } from 'node:crypto';
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import type { Progress } from '../../model/ports.js';
import { Pace } from '../pace.js';
import { letSignalsThrough } from '../process/let-signals-through.js';

/**
 * sha256 of a file, read in pieces, because a checkpoint may be larger than Node reads at once. Throws for anything else
 * than a file, without waiting for it.
 */
export function digestFile(file: string, onRead?: (bytes: number) => void): string {
  const { fd, size } = openFile(file);
  let all = 0;
  let listenAgain = size >= longBytes ? letSignalsThrough() : undefined;
  try {
    const first = firstPiece(fd);
    // Most files are small, and to prepare for more takes longer than to read them.
    if (first < piece.length) return hash('sha256', piece.subarray(0, first));
    const sum = createHash('sha256');
    for (let read = first; read > 0; read = readSync(fd, piece)) {
      sum.update(piece.subarray(0, read));
      all += read;
      onRead?.(all);
      // It grows while it is read.
      if (all >= longBytes) listenAgain ??= letSignalsThrough();
    }
    return sum.digest('hex');
  } finally {
    listenAgain?.();
    closeSync(fd);
  }
}

/** Shorter than a whole one only where the file ends. */
function firstPiece(fd: number): number {
  let all = 0;
  for (let read = -1; read !== 0 && all < piece.length; all += read)
    read = readSync(fd, piece, all, piece.length - all, null);
  return all;
}

/** The same, but others go on meanwhile, and a stop is heard. For where one can wait. */
export async function digestSlowly(
  file: string,
  { stop, onRead }: { readonly stop: AbortSignal; onRead?: ((bytes: number) => void) | undefined },
): Promise<string> {
  const sum = createHash('sha256');
  const { fd } = openFile(file);
  const pace = new Pace(stop);
  let all = 0;
  try {
    for (let read = readSync(fd, piece); read > 0; read = readSync(fd, piece)) {
      sum.update(piece.subarray(0, read));
      all += read;
      onRead?.(all);
      await pace.step();
    }
  } finally {
    closeSync(fd);
  }
  return sum.digest('hex');
}

function openFile(file: string): { readonly fd: number; readonly size: number } {
  const fd = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
  const stats = fstatSync(fd);
  if (stats.isFile()) return { fd, size: stats.size };
  closeSync(fd);
  throw new Error(`${file} is no file`);
}

/** Read in a fraction of a second. What is longer may have been made so, by somebody who wants us to read for ever. */
export const longBytes = 1 << 28;

/** How somebody is told while a large file is read. Of small files there are many, and each is read in a moment. */
export function toldReading(
  path: string,
  total: number,
  progress: Progress | undefined,
): ((bytes: number) => void) | undefined {
  if (!progress || total < slowBytes) return undefined;
  return (done) => progress.at({ what: `reading ${path}`, done, total, unit: 'bytes' });
}

const slowBytes = 1e8;

/** One for all: a new one for each of a thousand small files would cost more than reading them. */
const piece = Buffer.allocUnsafeSlow(1 << 18);
