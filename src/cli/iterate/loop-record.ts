import { renameSync } from 'node:fs';
import {
  type IterationReading,
  IterationRecord,
  readIterations,
  recordFile,
} from '../../adapters/iteration/iteration-record.js';
import { writeEndNote } from '../../adapters/journal/end-notes.js';
import { openRunStore } from '../../adapters/journal/run-store.js';
import { systemClock } from '../../adapters/system-clock.js';
import type { IterationEntry } from '../../model/events/iteration-event.js';
import { FailureError } from '../../model/failure.js';
import type { EndNote } from '../../model/files/end-note.js';
import { loopNotes, lostRecord } from './loop-evidence.js';
import type { LoopPlace } from './loop-place.js';
import { lastSeries } from './loop-runs.js';

export interface LoopRecordInput extends LoopPlace {
  /** Of the study. */
  readonly name: string;
  before(): void;
  told(entry: IterationEntry): void;
}

export interface LoopRecord {
  readonly record: IterationRecord;
  /** Series that a record told of which is gone: none of their names is used again. */
  readonly seriesBefore: number;
  /** `error` is what it ended with, if anything. */
  close(error?: unknown): Promise<void>;
}

/**
 * Opens the record of a loop, if it is the one that was left. Whatever was done to it, nobody goes on from it before
 * a person has said so with `--new`.
 */
export function openLoopRecord(input: LoopRecordInput): LoopRecord {
  const { root, dir, context, name } = input;
  const file = recordFile(dir);
  const isAfresh = context.flag('new');
  const found = isAfresh ? readOrPutAside(file, input) : readIterations(file);
  // Without a record there may still be runs that tell of one.
  const seriesBefore = found ? 0 : lastSeries(openRunStore(root, context.agentId), name);
  if (!isAfresh) {
    const detail = found ? lostRecord(input, found) : seriesBefore > 0 ? gone : undefined;
    if (detail !== undefined)
      throw new FailureError({ code: 'journal-corrupt', file, line: found?.entries.length ?? 1, detail });
  }
  const record: IterationRecord = new IterationRecord(file, systemClock, {
    before: () => input.before(),
    told(entry) {
      if (entry.seq === 0) note(record, input, { open: true });
      input.told(entry);
    },
  });
  note(record, input, { open: true });
  return {
    record,
    seriesBefore,
    async close(error) {
      const broken = brokenBy(error, file);
      note(record, input, broken === undefined ? {} : { broken });
      await record.close();
    },
  };
}

const gone = 'it is gone, and there are runs that were iterations of it';

/** What was cut back to what is whole would otherwise look as if nothing had happened. */
function brokenBy(error: unknown, file: string): string | undefined {
  if (!(error instanceof FailureError) || error.failure.code !== 'journal-corrupt') return undefined;
  return error.failure.file === file ? error.failure.detail : undefined;
}

/** What does not hold together is evidence, and in the way of what is begun anew. */
function readOrPutAside(file: string, { context }: LoopPlace): IterationReading | undefined {
  try {
    return readIterations(file);
  } catch (error) {
    if (!(error instanceof FailureError) || error.failure.code !== 'journal-corrupt') throw error;
    const aside = `${file}.${new Date().toISOString().replace(/[-:.]/g, '')}`;
    renameSync(file, aside);
    context.stderr.write(`The record of the loop does not hold together. It is kept as ${aside}\n`);
    return undefined;
  }
}

/** What the record is held against later: a chain of hashes does not show that its last lines are missing, or too many. */
function note({ ends }: IterationRecord, place: LoopPlace, how: Pick<EndNote, 'open' | 'broken'>): void {
  for (const file of ends ? loopNotes(place, ends.first) : []) {
    const problem = writeEndNote(file, { version: 1, run: 'iterations', ...ends!, ...how });
    if (problem !== undefined) place.context.stderr.write(`${problem}\n`);
  }
}
