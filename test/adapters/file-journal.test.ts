import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { FileJournal, readJournal } from '../../src/adapters/journal/file-journal.js';
import type { RecordedEvent } from '../../src/model/events/event.js';
import type { Failure } from '../../src/model/failure.js';
import { journalOf, passing, runStarted } from '../support/events.js';
import { FakeClock } from '../support/fake-clock.js';
import { until } from '../support/until.js';

const folder = (): string => mkdtempSync(join(tmpdir(), 'autoresearch-journal-'));
const clock = new FakeClock();

const put = (journal: FileJournal, events: readonly RecordedEvent[]): Promise<void> => {
  journal.append(events);
  return journal.flushed();
};

describe('FileJournal', () => {
  it('has an event in the file as soon as it returns', async () => {
    const file = join(folder(), 'journal.jsonl');
    const journal = new FileJournal(file, clock);
    journal.append([runStarted()]);
    expect(readJournal(file).entries).toHaveLength(1);
    await journal.close();
  });

  it('keeps order under concurrent appends', async () => {
    const file = join(folder(), 'journal.jsonl');
    const journal = new FileJournal(file, clock);
    await put(journal, [runStarted(50)]);
    const names = Array.from({ length: 50 }, (_, index) => `t${index}`);
    await Promise.all(names.map((name) => put(journal, passing(name))));
    await journal.close();
    const { entries, state } = readJournal(file);
    expect(entries.map(({ seq }) => seq)).toEqual(entries.map((_, index) => index));
    expect([...state!.tasks.keys()]).toEqual(names);
  });

  it('wakes the disk by itself after a moment, and tells when that fails', async () => {
    const time = new FakeClock();
    // It takes whatever is written, but cannot be flushed.
    const journal = new FileJournal('/dev/null', time, { state: undefined, entries: [], torn: false, goodBytes: 0 });
    const failures: Failure[] = [];
    journal.onFailure((error) => failures.push(error.failure));
    journal.append([runStarted()]);
    await new Promise((resolve) => setImmediate(resolve));
    expect(failures).toEqual([]);
    time.advance(50);
    await until(() => failures.length > 0);
    expect(failures).toMatchObject([{ code: 'not-writable', file: '/dev/null' }]);
    expect(() => journal.append([runStarted()])).toThrow(expect.objectContaining({ failure: failures[0] }));
    await expect(journal.flushed()).rejects.toMatchObject({ failure: failures[0] });
    await journal.close();
  });

  it('notices when it was removed, before anyone builds on what it recorded', async () => {
    const file = join(folder(), 'journal.jsonl');
    const journal = new FileJournal(file, clock);
    const failures: unknown[] = [];
    journal.onFailure((error) => failures.push(error.failure));
    journal.append([runStarted()]);
    rmSync(file);
    const failure = {
      code: 'journal-corrupt',
      file,
      line: 1,
      detail: 'it was removed or replaced while the run went on',
    };
    // Within one turn nobody else has had a chance, and it is looked at once.
    await new Promise(setImmediate);
    expect(() => journal.append(passing('a'))).toThrow(expect.objectContaining({ failure }));
    expect(failures).toEqual([failure]);
    await expect(journal.flushed()).rejects.toMatchObject({ failure });
    await journal.close();
  });

  it('goes on after a torn tail, which it cuts off', async () => {
    const file = join(folder(), 'journal.jsonl');
    writeFileSync(file, journalOf([runStarted(), ...passing('a')]).text);
    appendFileSync(file, '{"seq":3,"at":"2026-');
    const found = readJournal(file);
    expect(found.torn).toBe(true);
    const journal = new FileJournal(file, clock, found);
    await put(journal, [{ type: 'run-finished', outcome: 'passed', durationMs: 1 }]);
    await journal.close();
    expect(readJournal(file)).toMatchObject({ torn: false, state: { outcome: 'passed' } });
    expect(readFileSync(file, 'utf8').split('\n')).toHaveLength(5);
  });

  it('never takes over a journal that is there already', () => {
    const file = join(folder(), 'journal.jsonl');
    writeFileSync(file, journalOf([runStarted()]).text);
    expect(() => new FileJournal(file, clock)).toThrow(
      expect.objectContaining({ failure: expect.objectContaining({ code: 'not-writable' }) }),
    );
  });

  it('names a full disk, and takes nothing more', async () => {
    const empty = { state: undefined, entries: [], torn: false, goodBytes: 0 };
    const journal = new FileJournal('/dev/full', clock, empty);
    const full = { failure: { code: 'disk-full', file: '/dev/full' } };
    expect(() => journal.append([runStarted()])).toThrow(expect.objectContaining(full));
    expect(() => journal.append([runStarted()])).toThrow(expect.objectContaining(full));
    await journal.close();
  });

  it('says where a tampered journal stops being true', () => {
    const file = join(folder(), 'journal.jsonl');
    writeFileSync(file, journalOf([runStarted(), ...passing('a')]).text.replace('"durationMs":5', '"durationMs":4'));
    expect(() => readJournal(file)).toThrow(
      expect.objectContaining({
        failure: { code: 'journal-corrupt', file, line: 3, detail: 'the line does not match its hash' },
      }),
    );
  });
});
