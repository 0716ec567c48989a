import {
  closeSync,
  fdatasync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readFileSync,
  statSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { apply } from '../journal/apply.js';
import { firstPrev, readChain, seal } from '../journal/chain.js';
import type { JournalEntry, RecordedEvent } from '../model/event.js';
import { FailureError } from '../model/failure.js';
import type { Appended, Clock, JournalWriter } from '../model/ports.js';
import type { RunState } from '../model/run-state.js';
import { diskError } from './disk-error.js';

/** A journal as it stands on disk. */
export interface JournalReading {
  readonly state: RunState | undefined;
  readonly entries: readonly JournalEntry[];
  readonly torn: boolean;
  readonly goodBytes: number;
}

/** Reads without changing anything; an unfinished last line is left out. Throws `journal-corrupt` for anything worse. */
export function readJournal(file: string): JournalReading {
  const reading = readChain(readFileSync(file));
  if (!reading.ok) {
    throw new FailureError({ code: 'journal-corrupt', file, line: reading.line, detail: reading.detail });
  }
  let state: RunState | undefined;
  for (const [index, entry] of reading.entries.entries()) {
    try {
      state = apply(state, entry);
    } catch (error) {
      throw new FailureError({ code: 'journal-corrupt', file, line: index + 1, detail: (error as Error).message });
    }
  }
  return { state, entries: reading.entries, torn: reading.torn, goodBytes: reading.goodBytes };
}

/**
 * Appends events at once and flushes them to the disk behind. Events that arrive while a flush is under way share the next
 * one, so two tasks that end together cost one wait.
 */
export class FileJournal implements JournalWriter {
  #fd: number;
  #file: string;
  #clock: Clock;
  #seq: number;
  #prev: string;
  #bytes: number;
  #waiting: Waiter[] = [];
  #flushing: Promise<void> | undefined;
  #later: (() => void) | undefined;
  #broken: FailureError | undefined;

  /** `found` is what `readJournal` said about an existing file; a torn tail is cut off here, before the first append. */
  constructor(file: string, clock: Clock, found?: JournalReading) {
    this.#file = file;
    this.#clock = clock;
    this.#seq = found?.entries.length ?? 0;
    this.#prev = found?.entries.at(-1)?.hash ?? firstPrev;
    this.#bytes = found?.goodBytes ?? 0;
    try {
      this.#fd = openSync(file, found ? 'r+' : 'wx');
      if (found && fstatSync(this.#fd).size > this.#bytes) ftruncateSync(this.#fd, this.#bytes);
      if (!found) syncFolder(dirname(file));
    } catch (error) {
      throw diskError(error, file);
    }
  }

  append(events: readonly RecordedEvent[]): Appended {
    if (this.#broken) throw this.#broken;
    const entries: JournalEntry[] = [];
    let text = '';
    for (const event of events) {
      const at = new Date(this.#clock.now()).toISOString();
      const { entry, line } = seal(event, {
        seq: this.#seq + entries.length,
        at,
        prev: entries.at(-1)?.hash ?? this.#prev,
      });
      entries.push(entry);
      text += line;
    }
    try {
      this.#write(Buffer.from(text));
    } catch (error) {
      throw this.#break(error);
    }
    this.#seq += entries.length;
    this.#prev = entries.at(-1)?.hash ?? this.#prev;
    const durable = new Promise<void>((done, failed) => {
      this.#waiting.push({ done, failed });
      this.#later ??= this.#clock.after(gatherMs, () => this.hurry());
    });
    return { entries, durable };
  }

  async close(): Promise<void> {
    this.hurry();
    await this.#flushing;
    closeSync(this.#fd);
  }

  hurry(): void {
    this.#later?.();
    this.#later = undefined;
    if (this.#waiting.length > 0) this.#flushing ??= this.#flush();
  }

  async #flush(): Promise<void> {
    // One turn of the event loop lets events that belong together gather.
    await Promise.resolve();
    while (this.#waiting.length > 0 && !this.#broken) {
      const batch = this.#waiting;
      this.#waiting = [];
      try {
        await syncData(this.#fd);
        this.#checkPlace();
      } catch (error) {
        const broken = this.#break(error);
        for (const waiter of batch) waiter.failed(broken);
        break;
      }
      for (const waiter of batch) waiter.done();
    }
    this.#flushing = undefined;
  }

  /** A command may have removed or replaced the state folder; then what is written here is lost, and nobody may build on it. */
  #checkPlace(): void {
    const open = fstatSync(this.#fd);
    const named = statSync(this.#file, { throwIfNoEntry: false });
    if (named?.ino === open.ino && named.dev === open.dev) return;
    const detail = 'it was removed or replaced while the run went on';
    throw new FailureError({ code: 'journal-corrupt', file: this.#file, line: this.#seq, detail });
  }

  #write(data: Buffer): void {
    for (let written = 0; written < data.length; ) {
      written += writeSync(this.#fd, data, written, data.length - written, this.#bytes + written);
    }
    this.#bytes += data.length;
  }

  /** After a failed write nobody knows what is on disk: cut back to what was whole, and take nothing more. */
  #break(error: unknown): FailureError {
    this.#broken ??= diskError(error, this.#file);
    try {
      ftruncateSync(this.#fd, this.#bytes);
    } catch {
      // The torn tail is cut when the journal is opened again.
    }
    for (const waiter of this.#waiting) waiter.failed(this.#broken);
    this.#waiting = [];
    return this.#broken;
  }
}

/**
 * Tasks that end in quick succession share a flush. It is worth more than it seems: while the disk commits, making a
 * folder for the next task has to wait for it.
 */
const gatherMs = 25;

interface Waiter {
  readonly done: () => void;
  readonly failed: (error: Error) => void;
}

const syncData = (fd: number): Promise<void> =>
  new Promise((resolve, reject) => fdatasync(fd, (error) => (error ? reject(error) : resolve())));

/** A new file's name is only safe once its folder is. */
function syncFolder(folder: string): void {
  const fd = openSync(folder, 'r');
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}
