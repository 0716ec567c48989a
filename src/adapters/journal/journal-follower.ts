import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { apply } from '../../journal/apply.js';
import { readChain } from '../../journal/chain.js';
import type { JournalEntry } from '../../model/events/event.js';
import type { RunState } from '../../model/state/run-state.js';

/** Reads a journal while somebody else writes it, each line once, through the same reducer as everything else. */
export class JournalFollower {
  readonly entries: JournalEntry[] = [];
  state: RunState | undefined;
  /** Why nothing more is read: the journal cannot be trusted. */
  problem: string | undefined;
  readonly #file: string;
  #bytes = 0;

  constructor(file: string) {
    this.#file = file;
  }

  /** Grows with every line. */
  get version(): number {
    return this.entries.length;
  }

  /** Takes in what has come since. */
  look(): void {
    if (this.problem !== undefined) return;
    const bytes = this.#news();
    if (bytes.length === 0) return;
    const last = this.entries.at(-1);
    const reading = readChain(bytes, last);
    if (!reading.ok) {
      this.problem = `journal.jsonl:${reading.line}: ${reading.detail}`;
      return;
    }
    for (const entry of reading.entries) {
      try {
        this.state = apply(this.state, entry);
      } catch (error) {
        this.problem = `journal.jsonl:${entry.seq + 1}: ${(error as Error).message}`;
        return;
      }
      this.entries.push(entry);
    }
    this.#bytes += reading.goodBytes;
  }

  #news(): Buffer {
    let fd: number;
    try {
      fd = openSync(this.#file, 'r');
    } catch {
      return Buffer.alloc(0);
    }
    try {
      const { size } = fstatSync(fd);
      if (size < this.#bytes) {
        this.problem = 'the journal has become shorter';
        return Buffer.alloc(0);
      }
      const bytes = Buffer.alloc(size - this.#bytes);
      return bytes.subarray(0, readSync(fd, bytes, 0, bytes.length, this.#bytes));
    } finally {
      closeSync(fd);
    }
  }
}
