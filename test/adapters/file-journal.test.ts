import { appendFileSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { FileJournal, readJournal } from '../../src/adapters/file-journal.js';
import type { RecordedEvent } from '../../src/model/event.js';
import { journalOf, passing, runStarted } from '../support/events.js';
import { FakeClock } from '../support/fake-clock.js';

const folder = (): string => mkdtempSync(join(tmpdir(), 'autoresearch-journal-'));
const clock = new FakeClock();

const put = (journal: FileJournal, events: readonly RecordedEvent[]): Promise<void> => {
  const { durable } = journal.append(events);
  journal.hurry();
  return durable;
};

describe('FileJournal', () => {
  it('has an event in the file as soon as it returns', async () => {
    const file = join(folder(), 'journal.jsonl');
    const journal = new FileJournal(file, clock);
    const { durable } = journal.append([runStarted()]);
    expect(readJournal(file).entries).toHaveLength(1);
    journal.hurry();
    await durable;
    await journal.close();
  });

  it('has an event on disk when it says so, and keeps order under concurrent appends', async () => {
    const file = join(folder(), 'journal.jsonl');
    const journal = new FileJournal(file, clock);
    await put(journal, [runStarted(50)]);
    expect(readJournal(file).entries).toHaveLength(1);
    const names = Array.from({ length: 50 }, (_, index) => `t${index}`);
    const all = names.map((name) => journal.append(passing(name)).durable);
    journal.hurry();
    await Promise.all(all);
    await journal.close();
    const { entries, state } = readJournal(file);
    expect(entries.map(({ seq }) => seq)).toEqual(entries.map((_, index) => index));
    expect([...state!.tasks.keys()]).toEqual(names);
  });

  it('lets what nobody waits for gather before it wakes the disk', async () => {
    const file = join(folder(), 'journal.jsonl');
    const time = new FakeClock();
    const journal = new FileJournal(file, time);
    let done = false;
    const { durable } = journal.append([runStarted()]);
    void durable.then(() => {
      done = true;
    });
    await new Promise((resolve) => setImmediate(resolve));
    expect(done).toBe(false);
    time.advance(25);
    await durable;
    const last = journal.append([{ type: 'run-finished', outcome: 'passed', durationMs: 1 }]).durable;
    await journal.close();
    await last;
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
