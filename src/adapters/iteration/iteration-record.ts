import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { applyIteration } from '../../journal/apply-iteration.js';
import { readChain } from '../../journal/chain.js';
import type { IterationEntry, IterationEvent } from '../../model/events/iteration-event.js';
import { FailureError } from '../../model/failure.js';
import type { Clock } from '../../model/ports.js';
import type { SeriesState } from '../../model/state/iteration-state.js';
import { makeFolders } from '../disk/make-folders.js';
import { FileJournal } from '../journal/file-journal.js';

/** The record of a loop as it stands on disk. */
export interface IterationReading {
  /** The newest series. */
  readonly state: SeriesState | undefined;
  readonly entries: readonly IterationEntry[];
  readonly torn: boolean;
  readonly goodBytes: number;
}

export const recordFile = (stateDir: string): string => join(stateDir, 'iterations.jsonl');

/** Undefined when there never was a loop. Reads without changing anything; a torn last line is left out. */
export function readIterations(file: string): IterationReading | undefined {
  if (!existsSync(file)) return undefined;
  const corrupt = (line: number, detail: string): FailureError =>
    new FailureError({ code: 'journal-corrupt', file, line, detail });
  if (!statSync(file).isFile()) throw corrupt(1, 'it is not a file');
  const reading = readChain<IterationEvent>(readFileSync(file));
  if (!reading.ok) throw corrupt(reading.line, reading.detail);
  let state: SeriesState | undefined;
  for (const [index, entry] of reading.entries.entries()) {
    try {
      state = applyIteration(state, entry);
    } catch (error) {
      throw corrupt(index + 1, (error as Error).message);
    }
  }
  return { state, entries: reading.entries, torn: reading.torn, goodBytes: reading.goodBytes };
}

export interface RecordHooks {
  /** Throws when nothing may be written any more. */
  before(): void;
  told(entry: IterationEntry): void;
}

/** Every line is on the disk before anything follows from it: there are few of them, and money or files hang on each. */
export class IterationRecord {
  readonly #journal: FileJournal<IterationEvent>;
  readonly #hooks: RecordHooks;
  #state: SeriesState | undefined;
  #last: IterationEntry | undefined;
  #first: IterationEntry | undefined;

  constructor(file: string, clock: Clock, hooks: RecordHooks) {
    const found = readIterations(file);
    makeFolders(dirname(file));
    this.#journal = new FileJournal(file, clock, found);
    this.#state = found?.state;
    this.#first = found?.entries[0];
    this.#last = found?.entries.at(-1);
    this.#hooks = hooks;
  }

  get state(): SeriesState | undefined {
    return this.#state;
  }

  /** Where it begins and ends, for the note that `verify` holds it against. */
  get ends(): { readonly first: string; readonly seq: number; readonly hash: string } | undefined {
    return this.#first && this.#last && { first: this.#first.hash, seq: this.#last.seq, hash: this.#last.hash };
  }

  async add(event: IterationEvent): Promise<SeriesState> {
    this.#hooks.before();
    const [entry] = this.#journal.append([event]);
    await this.#journal.flushed();
    this.#state = applyIteration(this.#state, entry!);
    this.#first ??= entry!;
    this.#last = entry!;
    this.#hooks.told(entry!);
    return this.#state;
  }

  close(): Promise<void> {
    return this.#journal.close();
  }
}
