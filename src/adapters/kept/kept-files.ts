import { createHash } from 'node:crypto';
import { closeSync, fstatSync, readSync } from 'node:fs';
import { join } from 'node:path';
import type { KeptFile, KeptFiles } from '../../model/files/kept-file.js';
import { openPlain } from '../disk/plain-file.js';

/** What a call leaves behind for people: what it was asked, what it answered, and what it printed. */
const names = ['prompt.md', 'reply.json', 'events.jsonl', 'stdout.log', 'stderr.log'];

/** The record of a call as it is now. What is longer than anybody reads is left out, and so is what is no plain file. */
export function keptIn(dir: string): KeptFiles {
  const found: [string, KeptFile][] = [];
  for (const name of names) {
    const kept = keptOf(join(dir, name));
    if (kept && kept.bytes > 0) found.push([name, kept]);
  }
  return Object.fromEntries(found);
}

/** The first so many bytes, or all: who was left behind may go on printing, which changes nothing of what was there. */
export function keptOf(file: string, most?: number): KeptFile | undefined {
  const fd = openPlain(file);
  if (fd === undefined) return undefined;
  try {
    const bytes = most ?? fstatSync(fd).size;
    return bytes > mostBytes ? undefined : digested(fd, bytes);
  } finally {
    closeSync(fd);
  }
}

function digested(fd: number, bytes: number): KeptFile {
  const hash = createHash('sha256');
  const room = Buffer.alloc(Math.min(chunkBytes, Math.max(bytes, 1)));
  let at = 0;
  while (at < bytes) {
    const length = readSync(fd, room, 0, Math.min(room.length, bytes - at), at);
    if (length === 0) break;
    hash.update(room.subarray(0, length));
    at += length;
  }
  return { bytes: at, digest: hash.digest('hex').slice(0, 32) };
}

const mostBytes = 64 << 20;
const chunkBytes = 1 << 20;
