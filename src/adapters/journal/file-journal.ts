import {
  closeSync,
  fdatasync,
  fdatasyncSync,
  fstatSync,
  ftruncateSync,
  openSync,
  type Stats,
  statSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { apply } from '../../journal/apply.js';
import { firstPrev, type Linked, readChain, seal } from '../../journal/chain.js';
import type { JournalEntry, RecordedEvent } from '../../model/events/event.js';
import { FailureError } from '../../model/failure.js';
import type { Clock } from '../../model/ports.js';
import type { RunState } from '../../model/state/run-state.js';
import { diskError } from '../disk/disk-error.js';
import { readWithoutWaiting } from '../disk/plain-file.js';
import { syncFolder } from '../disk/sync-folder.js';

/** A journal as it stands on disk. */
export interface JournalReading {
  readonly state: RunState | undefined;
  readonly entries: readonly JournalEntry[];
  readonly torn: boolean;
  readonly goodBytes: number;
}

/** Reads without changing anything; an unfinished last line is left out. Throws `journal-corrupt` for anything worse. */
export function readJournal(file: string): JournalReading {
  const reading = readChain(bytesOf(file));
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

/** Something else in its place, such as a pipe, would be waited for without end. */
function bytesOf(file: string): Buffer {
  if (!statSync(file).isFile())
    throw new FailureError({ code: 'journal-corrupt', file, line: 1, detail: 'it is not a file' });
  return readWithoutWaiting(file);
}

/** What is known of a file that events are to be appended to. */
type Found = Omit<JournalReading, 'entries' | 'state'> & {
  readonly state: unknown;
  readonly entries: readonly { readonly hash: string }[];
};

/** Appends events at once and flushes them to the disk behind, many in one go. A `JournalWriter` for those of a run. */
export class FileJournal<E extends object = RecordedEvent> {
  #fd: number;
  #file: string;
  #place: Stats;
  #clock: Clock;
  #seq: number;
  #prev: string;
  #bytes: number;
  /** The flush under way, and the one that has to follow because something was appended meanwhile. */
  #flushing: Promise<void> | undefined;
  #dirty = false;
  #later: (() => void) | undefined;
  #broken: FailureError | undefined;
  /** Its place was looked at, and nobody else has had a turn since. */
  #isSeen = false;
  #listener: (error: FailureError) => void = () => {};

  /** `found` is what `readJournal` said about an existing file; a torn tail is cut off here, before the first append. */
  constructor(file: string, clock: Clock, found?: Found) {
    this.#file = file;
    this.#clock = clock;
    this.#seq = found?.entries.length ?? 0;
    this.#prev = found?.entries.at(-1)?.hash ?? firstPrev;
    this.#bytes = found?.goodBytes ?? 0;
    try {
      this.#fd = openSync(file, found ? 'r+' : 'wx');
      this.#place = fstatSync(this.#fd);
      if (found && this.#place.size > this.#bytes) ftruncateSync(this.#fd, this.#bytes);
      if (!found) syncFolder(dirname(file));
    } catch (error) {
      throw diskError(error, file);
    }
  }

  append(events: readonly E[]): readonly Linked<E>[] {
    if (this.#broken) throw this.#broken;
    if (events.length === 0) return [];
    const entries: Linked<E>[] = [];
    let text = '';
    const at = new Date(this.#clock.now()).toISOString();
    let prev = this.#prev;
    for (const event of events) {
      const { entry, line } = seal(event, { seq: this.#seq + entries.length, at, prev });
      entries.push(entry);
      prev = entry.hash;
      text += line;
    }
    try {
      this.#checkPlace();
      this.#write(Buffer.from(text));
    } catch (error) {
      throw this.#break(error);
    }
    this.#seq += entries.length;
    this.#prev = prev;
    this.#dirty = true;
    this.#later ??= this.#clock.after(gatherMs, () => void this.flushed().catch(() => {}));
    return entries;
  }

  onFailure(listener: (error: FailureError) => void): void {
    this.#listener = listener;
  }

  async close(): Promise<void> {
    await this.flushed().catch(() => {});
    closeSync(this.#fd);
  }

  async flushed(): Promise<void> {
    this.#later?.();
    this.#later = undefined;
    while (this.#flushing !== undefined || this.#dirty) {
      this.#flushing ??= this.#flush();
      await this.#flushing;
    }
    if (this.#broken) throw this.#broken;
  }

  flushNow(): void {
    if (this.#broken) throw this.#broken;
    try {
      fdatasyncSync(this.#fd);
    } catch (error) {
      throw this.#break(error);
    }
  }

  async #flush(): Promise<void> {
    this.#dirty = false;
    try {
      await syncData(this.#fd);
    } catch (error) {
      this.#break(error);
    }
    this.#flushing = undefined;
  }

  /** A command may have removed or replaced the state folder; then what is written here is lost, and nobody may build on it. */
  #checkPlace(): void {
    if (this.#isSeen) return;
    this.#isSeen = true;
    setImmediate(() => {
      this.#isSeen = false;
    });
    const named = statSync(this.#file, { throwIfNoEntry: false });
    const isThere = named?.ino === this.#place.ino && named.dev === this.#place.dev;
    // What is no plain file (in tests) has no size to speak of.
    if (isThere && (named.size === this.#bytes || !named.isFile())) return;
    const detail = `it was ${isThere ? 'written to or cut by something else' : 'removed or replaced'} while the run went on`;
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
    if (this.#broken) return this.#broken;
    this.#broken = diskError(error, this.#file);
    this.#dirty = false;
    try {
      ftruncateSync(this.#fd, this.#bytes);
    } catch {
      // The torn tail is cut when the journal is opened again.
    }
    this.#listener(this.#broken);
    return this.#broken;
  }
}

/**
 * Tasks that end in quick succession share a flush. It is worth more than it seems: while the disk commits, making a
 * folder for the next task has to wait for it.
 */
const gatherMs = 50;

const syncData = (fd: number): Promise<void> =>
  new Promise((resolve, reject) => fdatasync(fd, (error) => (error ? reject(error) : resolve())));
