import { createHash } from 'node:crypto';
import type { JournalEntry, RecordedEvent } from '../model/event.js';

/**
 * One event is one line of JSON. Each line carries the hash of the one before and its own, so a line that was changed,
 * added or taken out later is found. This module knows text only; `adapters/file-journal` knows the disk.
 */
export const firstPrev = '0'.repeat(64);

export interface SealedEvent {
  readonly entry: JournalEntry;
  /** The line as it goes to disk, with its newline. */
  readonly line: string;
}

export function seal(event: RecordedEvent, link: { seq: number; at: string; prev: string }): SealedEvent {
  const body = JSON.stringify({ seq: link.seq, at: link.at, ...event, prev: link.prev });
  const hash = sha256(body);
  return { entry: { ...event, ...link, hash }, line: `${body.slice(0, -1)},"hash":"${hash}"}\n` };
}

export type ChainReading =
  | {
      readonly ok: true;
      readonly entries: readonly JournalEntry[];
      /** Bytes that hold whole lines; what follows was being written when the machine stopped. */
      readonly goodBytes: number;
      readonly torn: boolean;
    }
  | { readonly ok: false; readonly line: number; readonly detail: string };

/** Reads a journal's bytes. Only an unfinished last line is forgiven: everything else that does not fit is corruption. */
export function readChain(bytes: Buffer): ChainReading {
  const goodBytes = bytes.lastIndexOf(0x0a) + 1;
  const entries: JournalEntry[] = [];
  let prev = firstPrev;
  let start = 0;
  for (let line = 1; start < goodBytes; line += 1) {
    const end = bytes.indexOf(0x0a, start);
    const text = bytes.toString('utf8', start, end);
    const checked = checkLine(text, { seq: line - 1, prev });
    if (typeof checked === 'string') return { ok: false, line, detail: checked };
    entries.push(checked);
    prev = checked.hash;
    start = end + 1;
  }
  return { ok: true, entries, goodBytes, torn: goodBytes < bytes.length };
}

function checkLine(text: string, expected: { seq: number; prev: string }): JournalEntry | string {
  const tail = /,"hash":"([0-9a-f]{64})"\}$/.exec(text);
  if (!tail) return 'the line has no hash';
  if (sha256(`${text.slice(0, tail.index)}}`) !== tail[1]) return 'the line does not match its hash';
  let entry: JournalEntry;
  try {
    entry = JSON.parse(text) as JournalEntry;
  } catch {
    return 'the line is not JSON';
  }
  if (entry.prev !== expected.prev) return 'the line does not follow the one before';
  if (entry.seq !== expected.seq) return `the line is number ${entry.seq} where ${expected.seq} is due`;
  return entry;
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
