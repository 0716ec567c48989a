import { hash as digest } from 'node:crypto';
import type { JournalEntry, RecordedEvent } from '../model/events/event.js';

/**
 * One event is one line of JSON. Each line carries the hash of the one before and its own, so a line that was changed,
 * added or taken out later is found. This module knows text only; `adapters/file-journal` knows the disk. The ledger is
 * such a chain as well.
 */
export const firstPrev = '0'.repeat(64);

export type Linked<E extends object> = E & Pick<JournalEntry, 'seq' | 'at' | 'prev' | 'hash'>;

export interface SealedEvent<E extends object = RecordedEvent> {
  readonly entry: Linked<E>;
  /** The line as it goes to disk, with its newline. */
  readonly line: string;
}

export function seal<E extends object = RecordedEvent>(
  event: E,
  link: { seq: number; at: string; prev: string },
): SealedEvent<E> {
  const entry = { seq: link.seq, at: link.at, ...event, prev: link.prev, hash: '' };
  const body = JSON.stringify(entry).slice(0, -unsealed.length);
  entry.hash = sha256(`${body}}`);
  return { entry, line: `${body},"hash":"${entry.hash}"}\n` };
}

const unsealed = ',"hash":""}';

export type ChainReading<E extends object = RecordedEvent> =
  | {
      readonly ok: true;
      readonly entries: readonly Linked<E>[];
      /** Bytes that hold whole lines; what follows was being written when the machine stopped. */
      readonly goodBytes: number;
      readonly torn: boolean;
    }
  | { readonly ok: false; readonly line: number; readonly detail: string };

/**
 * Reads a journal's bytes. Only an unfinished last line is forgiven: everything else that does not fit is corruption.
 * `after` is the last line that was read before, when the bytes are only what has come since.
 */
export function readChain<E extends object = RecordedEvent>(
  bytes: Buffer,
  after: { readonly seq: number; readonly hash: string } = beforeFirst,
): ChainReading<E> {
  const goodBytes = bytes.lastIndexOf(0x0a) + 1;
  const entries: Linked<E>[] = [];
  let prev = after.hash;
  let start = 0;
  for (let line = after.seq + 2; start < goodBytes; line += 1) {
    const end = bytes.indexOf(0x0a, start);
    const checked = checkLine<E>(bytes.subarray(start, end), line - 1, prev);
    if (typeof checked === 'string') return { ok: false, line, detail: checked };
    entries.push(checked);
    prev = checked.hash;
    start = end + 1;
  }
  return { ok: true, entries, goodBytes, torn: goodBytes < bytes.length };
}

const beforeFirst = { seq: -1, hash: firstPrev };

function checkLine<E extends object>(line: Buffer, seq: number, prev: string): Linked<E> | string {
  const text = line.toString('utf8');
  if (line.length < sealLength) return 'the line has no hash';
  if (!text.endsWith(sealOf(sha256OfBody(line))))
    return /,"hash":"[0-9a-f]{64}"\}$/.test(text) ? 'the line does not match its hash' : 'the line has no hash';
  let entry: Linked<E>;
  try {
    entry = JSON.parse(text) as Linked<E>;
  } catch {
    return 'the line is not JSON';
  }
  if (entry.prev !== prev) return 'the line does not follow the one before';
  if (entry.seq !== seq) return `the line is number ${entry.seq} where ${seq} is due`;
  return entry;
}

const sealOf = (hash: string): string => `,"hash":"${hash}"}`;

const sealLength = sealOf('').length + 64;

/** The hash is over the line as if it ended before the hash. The bytes as they are, since copying each would take longer. */
function sha256OfBody(line: Buffer): string {
  const end = line.length - sealLength;
  const comma = line[end]!;
  line[end] = closingBrace;
  const hash = digest('sha256', line.subarray(0, end + 1));
  line[end] = comma;
  return hash;
}

const closingBrace = 0x7d;

const sha256 = (text: string): string => digest('sha256', text);
