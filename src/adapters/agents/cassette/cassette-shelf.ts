import { randomBytes } from 'node:crypto';
import { closeSync, fsyncSync, lstatSync, openSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '../../../model/ports.js';
import { makeFolders } from '../../disk/make-folders.js';
import { syncFolder } from '../../disk/sync-folder.js';
import { takeMutex } from '../../lock/file-mutex.js';
import { cassetteText, type LostCall, type RecordedCall, readCassette } from './cassette.js';
import { NotRecordable } from './cassette-files.js';
import { type CassetteQuestion, fileNameOf } from './cassette-question.js';

export interface ShelfPorts {
  /** Absolute: where the cassettes are. */
  readonly folder: string;
  readonly run: string;
  readonly clock: Clock;
}

/**
 * The folder of cassettes as a recorder sees it. What an earlier run left for a question goes when the question is asked
 * again; what another recorder has written since this one began stays.
 */
export class CassetteShelf {
  readonly #ports: ShelfPorts;
  #atStart: ReadonlyMap<string, string> | undefined;
  readonly #begun = new Set<string>();
  /** Calls that could not even be noted, by the name of the file. */
  readonly #owed = new Map<string, LostCall[]>();

  constructor(ports: ShelfPorts) {
    this.#ports = ports;
  }

  /** Notes what is there before anything is recorded. */
  begin(): void {
    const { folder } = this.#ports;
    if (this.#atStart) return;
    makeFolders(folder);
    this.#atStart = new Map(readdirSync(folder).map((name) => [name, stampOf(join(folder, name))]));
  }

  async add(question: CassetteQuestion, call: RecordedCall): Promise<void> {
    const name = fileNameOf(question);
    const owed = this.#owed.get(name) ?? [];
    try {
      this.begin();
      const release = await takeMutex(join(this.#ports.folder, '.lock'), this.#ports.clock);
      try {
        this.#replace(name, question, [...owed, call]);
      } finally {
        release();
      }
      this.#begun.add(name);
      this.#owed.delete(name);
    } catch (error) {
      const notRecorded = 'notRecorded' in call ? call.notRecorded : 'the recording could not be written';
      this.#owed.set(name, [...owed, { run: call.run, notRecorded }]);
      throw error;
    }
  }

  #replace(name: string, question: CassetteQuestion, calls: readonly RecordedCall[]): void {
    const { folder } = this.#ports;
    const file = join(folder, name);
    const earlier = this.#earlier(name);
    // Nobody else writes while we hold the mutex, so these belong to the dead.
    for (const other of readdirSync(folder)) if (isTemporary(other)) rmSync(join(folder, other), { force: true });
    const temporary = join(folder, `.${randomBytes(8).toString('hex')}.tmp`);
    const fd = openSync(temporary, 'wx');
    try {
      writeFileSync(fd, cassetteText({ version: 1, ...question, calls: [...earlier, ...calls] }));
      fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
    renameSync(temporary, file);
    syncFolder(folder);
  }

  /** The calls before ours that stay. */
  #earlier(name: string): readonly RecordedCall[] {
    const file = join(this.#ports.folder, name);
    const isOld = !this.#begun.has(name) && this.#atStart?.get(name) === stampOf(file);
    const reading = readCassette(file);
    if (reading.kind === 'missing') return [];
    if (reading.kind === 'broken') {
      if (isOld) return [];
      throw new NotRecordable(`${name} was changed while it was recorded: ${reading.fault}`);
    }
    const { calls } = reading.cassette;
    // A run that goes on after a stop is the same run, and adds to what it recorded.
    return isOld ? calls.filter(({ run }) => run === this.#ports.run) : calls;
  }
}

const isTemporary = (name: string): boolean => /^\.[0-9a-f]{16}\.tmp$/.test(name);

/** Empty when there is no such file. */
function stampOf(file: string): string {
  const stats = lstatSync(file, { bigint: true, throwIfNoEntry: false });
  return stats ? `${stats.ino} ${stats.ctimeNs} ${stats.size}` : '';
}
