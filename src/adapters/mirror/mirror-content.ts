import { closeSync, readSync, writeSync } from 'node:fs';
import type { Pace } from '../pace.js';
import type { OpenFolder } from './mirror-folder.js';

/** One file in an open folder. */
export interface Place {
  readonly folder: OpenFolder;
  readonly name: string;
}

/** Byte by byte, in pieces: neither sizes nor times are believed. Fails when one of them cannot be read. */
export async function isSameContent(a: Place, b: Place, pace: Pace): Promise<boolean> {
  const fdA = a.folder.read(a.name);
  try {
    const fdB = b.folder.read(b.name);
    try {
      return await isSame(fdA, fdB, pace);
    } finally {
      closeSync(fdB);
    }
  } finally {
    closeSync(fdA);
  }
}

async function isSame(fdA: number, fdB: number, pace: Pace): Promise<boolean> {
  for (;;) {
    const [readA, readB] = [fill(fdA, pieceA), fill(fdB, pieceB)];
    if (readA !== readB || pieceA.compare(pieceB, 0, readB, 0, readA) !== 0) return false;
    if (readA < pieceA.length) return true;
    await pace.step();
  }
}

/** Copies what is left of one open file into another. */
export async function copyContent(from: number, to: number, pace: Pace): Promise<void> {
  for (let read = fill(from, pieceA); read > 0; read = fill(from, pieceA)) {
    for (let written = 0; written < read; ) written += writeSync(to, pieceA, written, read - written);
    await pace.step();
  }
}

/** As much as fits, less only at the end. */
function fill(fd: number, piece: Buffer): number {
  let filled = 0;
  while (filled < piece.length) {
    const read = readSync(fd, piece, filled, piece.length - filled, null);
    if (read === 0) break;
    filled += read;
  }
  return filled;
}

/** Shared by all: they are empty again whenever somebody else may come. */
const pieceA = Buffer.allocUnsafeSlow(1 << 18);
const pieceB = Buffer.allocUnsafeSlow(1 << 18);
