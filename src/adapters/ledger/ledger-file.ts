import {
  closeSync,
  constants,
  fdatasync,
  fstatSync,
  ftruncateSync,
  openSync,
  readSync,
  type Stats,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { firstPrev, readChain, seal } from '../../journal/chain.js';
import { book } from '../../journal/ledger-book.js';
import { FailureError } from '../../model/failure.js';
import type { LedgerCall, LedgerRecord } from '../../model/money/ledger-line.js';
import { diskError } from '../disk/disk-error.js';
import { syncFolder } from '../disk/sync-folder.js';

/**
 * One `ledger.jsonl`. Reads what others have added since it last looked, and appends. It decides nothing and locks nothing:
 * who appends holds the mutex.
 */
export class LedgerFile {
  readonly file: string;
  readonly #calls = new Map<string, LedgerCall>();
  #last = { seq: -1, hash: firstPrev };
  /** How far it has been read: whole lines only. */
  #bytes = 0;
  #place: Stats | undefined;
  #fd: number | undefined;

  constructor(file: string) {
    this.file = file;
  }

  get calls(): ReadonlyMap<string, LedgerCall> {
    return this.#calls;
  }

  /** Reads on. False when there is no such file and never was. An unfinished last line is left out. */
  refresh(): boolean {
    const bytes = this.#newBytes();
    if (bytes === undefined) return false;
    const reading = readChain<LedgerRecord>(bytes, this.#last);
    if (!reading.ok) throw this.#corrupt(reading.detail, reading.line);
    for (const line of reading.entries) {
      try {
        book(this.#calls, line);
      } catch (error) {
        throw this.#corrupt((error as Error).message, line.seq + 1);
      }
      this.#last = line;
    }
    this.#bytes += reading.goodBytes;
    return true;
  }

  /** Adds a line after what was read; a torn tail is cut off first. Creates the file. */
  append(record: LedgerRecord, at: number): void {
    const { entry, line } = seal(record, {
      seq: this.#last.seq + 1,
      at: new Date(at).toISOString(),
      prev: this.#last.hash,
    });
    try {
      this.#write(Buffer.from(line));
    } catch (error) {
      throw diskError(error, this.file);
    }
    book(this.#calls, entry);
    this.#last = entry;
  }

  /** Resolves when everything appended so far survives the death of the machine. */
  async flushed(): Promise<void> {
    const fd = this.#fd;
    if (fd === undefined) return;
    try {
      await new Promise<void>((resolve, reject) => fdatasync(fd, (error) => (error ? reject(error) : resolve())));
    } catch (error) {
      throw diskError(error, this.file);
    }
  }

  close(): void {
    if (this.#fd !== undefined) closeSync(this.#fd);
    this.#fd = undefined;
  }

  #newBytes(): Buffer | undefined {
    let fd: number;
    try {
      // A pipe in its place is not waited for.
      fd = openSync(this.file, constants.O_RDONLY | constants.O_NONBLOCK);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw diskError(error, this.file);
      if (this.#place) throw this.#corrupt(replaced);
      return undefined;
    }
    try {
      const place = fstatSync(fd);
      if (place.isFIFO() || place.isDirectory()) throw this.#corrupt('it is not a file');
      const isSame = this.#place === undefined || (place.ino === this.#place.ino && place.dev === this.#place.dev);
      if (!isSame || place.size < this.#bytes) throw this.#corrupt(replaced);
      this.#place = place;
      return readRest(fd, this.#bytes, place.size);
    } catch (error) {
      throw diskError(error, this.file);
    } finally {
      closeSync(fd);
    }
  }

  #write(data: Buffer): void {
    if (this.#fd === undefined) {
      this.#fd = openSync(this.file, this.#place ? 'r+' : 'wx+');
      if (!this.#place) syncFolder(dirname(this.file));
    }
    this.#place ??= fstatSync(this.#fd);
    if (fstatSync(this.#fd).size > this.#bytes) ftruncateSync(this.#fd, this.#bytes);
    try {
      for (let written = 0; written < data.length; ) {
        written += writeSync(this.#fd, data, written, data.length - written, this.#bytes + written);
      }
    } catch (error) {
      this.#cutBack(this.#fd);
      throw error;
    }
    this.#bytes += data.length;
  }

  /** Half a line would be a torn tail, which is forgiven; without it there is nothing to forgive. */
  #cutBack(fd: number): void {
    try {
      ftruncateSync(fd, this.#bytes);
    } catch {
      // Why the line could not be written is what matters.
    }
  }

  #corrupt(detail: string, line = this.#last.seq + 1): FailureError {
    return new FailureError({ code: 'journal-corrupt', file: this.file, line, detail });
  }
}

const replaced = 'it was removed, replaced or cut short while it was in use';

function readRest(fd: number, from: number, to: number): Buffer {
  const bytes = Buffer.alloc(to - from);
  let read = 0;
  while (read < bytes.length) {
    const count = readSync(fd, bytes, read, bytes.length - read, from + read);
    if (count === 0) break;
    read += count;
  }
  return bytes.subarray(0, read);
}
