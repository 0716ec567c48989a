import { closeSync, readSync, statSync } from 'node:fs';
import { openPlain } from '../../disk/plain-file.js';

/** Follows a file that grows, line by line. A line counts when its end is there; what follows the last one at `rest`. */
export class LineTail {
  readonly #file: string;
  readonly #room = Buffer.alloc(roomBytes);
  #at: number;
  /** The beginning of a line whose end is still to come. */
  #begun: Buffer[] = [];
  #begunBytes = 0;

  /** What is in the file already belongs to somebody else, unless it is said from where to read. */
  constructor(file: string, from?: number) {
    this.#file = file;
    this.#at = from ?? statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  }

  /** Hands over the lines that came since the last look. */
  look(onLine: (line: string) => void): void {
    // Whoever writes the file may have put a pipe in its place, at which opening would wait for ever.
    const fd = openPlain(this.#file);
    if (fd === undefined) return;
    try {
      for (;;) {
        const length = readSync(fd, this.#room, 0, roomBytes, this.#at);
        if (length === 0) return;
        this.#at += length;
        this.#take(this.#room.subarray(0, length), onLine);
      }
    } finally {
      closeSync(fd);
    }
  }

  /** When the file has grown to its end: the last line, if nobody ended it. */
  rest(onLine: (line: string) => void): void {
    if (this.#begunBytes > 0) this.#hand(onLine);
  }

  #take(bytes: Buffer, onLine: (line: string) => void): void {
    let from = 0;
    for (let end = bytes.indexOf(newline); end >= 0; end = bytes.indexOf(newline, from)) {
      this.#keep(bytes.subarray(from, end));
      this.#hand(onLine);
      from = end + 1;
    }
    this.#keep(bytes.subarray(from));
  }

  /** A copy, because the room is used again. Of a line that nobody could use only the length is kept. */
  #keep(bytes: Buffer): void {
    if (bytes.length === 0) return;
    this.#begunBytes += bytes.length;
    if (this.#begunBytes > mostBytes) this.#begun = [];
    else this.#begun.push(Buffer.from(bytes));
  }

  #hand(onLine: (line: string) => void): void {
    const line = this.#begunBytes > mostBytes ? '' : Buffer.concat(this.#begun).toString('utf8');
    this.#begun = [];
    this.#begunBytes = 0;
    if (line.trim() !== '') onLine(line);
  }
}

const newline = 0x0a;
const roomBytes = 256 * 1024;

/** A line may hold a picture or a whole file; one that is longer than this is a program gone mad. */
const mostBytes = 64 * 1024 * 1024;
