import { cpSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { readJournal } from '../../src/adapters/journal/file-journal.js';
import type { JournalEntry } from '../../src/model/events/event.js';
import { FailureError } from '../../src/model/failure.js';
import { CrashRoom, forEachOf } from './crash-room.js';
import { expectSameEnd } from './same-end.js';
import { expectedOf, type Sketch, stagesOf } from './sketch.js';

const sketches: readonly Sketch[] = [
  { name: 'a', kind: 'pass' },
  { name: 'b', kind: 'once', attempts: 2, reads: ['a'] },
  { name: 'bad', kind: 'never', needs: ['a'] },
  { name: 'after', kind: 'pass', needs: ['bad'] },
];

let bytes: Buffer;
let entries: readonly JournalEntry[];
let original: CrashRoom;

beforeAll(async () => {
  original = new CrashRoom(stagesOf(sketches));
  const end = await original.exec();
  await expectSameEnd(original, end, { expected: expectedOf(sketches), crashes: [] });
  bytes = readFileSync(journalOf(original));
  entries = original.journal()!.entries;
});

const journalOf = (room: CrashRoom): string => room.journalFile(room.runIds()[0]!);

/** A copy of the finished project in which the journal holds other bytes, as if the run had never come to its end. */
function roomWith(journal: Buffer): CrashRoom {
  const room = new CrashRoom(stagesOf(sketches));
  cpSync(original.project.dir, room.project.dir, { recursive: true, preserveTimestamps: true });
  cpSync(original.outside, room.outside, { recursive: true });
  writeFileSync(journalOf(room), journal);
  rmSync(join(journalOf(room), '../end.json'));
  rmSync(join(room.outside, '.local/state/autoresearch/ends'), { recursive: true });
  return room;
}

const wholeLines = (cut: number): number => bytes.subarray(0, cut).filter((byte) => byte === 0x0a).length;

const finishedBefore = (cut: number): string[] =>
  entries.slice(0, wholeLines(cut)).flatMap((entry) => (entry.type === 'task-finished' ? [entry.task] : []));

/** The middle of each line, its last byte but one, and its end. */
const cutsToTry = (): number[] => {
  const cuts = [0];
  for (let start = 0; start < bytes.length; ) {
    const end = bytes.indexOf(0x0a, start) + 1;
    cuts.push((start + end) >> 1, end - 1, end);
    start = end;
  }
  return cuts;
};

describe('a journal cut at every byte', () => {
  it('is read up to its last whole line', () => {
    const room = roomWith(bytes);
    const file = journalOf(room);
    for (let cut = bytes.length; cut >= 0; cut -= 1) {
      truncateSync(file, cut);
      const reading = readJournal(file);
      const lines = wholeLines(cut);
      if (reading.entries.length !== lines || reading.torn !== reading.goodBytes < cut) {
        throw new Error(`cut at ${cut}: ${reading.entries.length} entries instead of ${lines}, torn: ${reading.torn}`);
      }
      expect(reading.state === undefined).toBe(lines === 0);
    }
  });

  it('lets status and exec --dry-run answer, and changes nothing', { timeout: 120_000 }, async () => {
    const room = roomWith(bytes);
    // One after the other: it is one project.
    for (const cut of cutsToTry().filter((_, index) => index % 3 === 1 || index < 4)) {
      writeFileSync(journalOf(room), bytes.subarray(0, cut));
      const before = room.project.snapshot();
      const [status, preview] = await Promise.all([
        room.run(['status', '--json']),
        room.run(['exec', '--dry-run', '--json']),
      ]);
      if (wholeLines(cut) === 0) {
        // The first line is on the disk before the first task begins: without it, somebody took it away.
        expect([preview.code, status.code]).toEqual([4, 4]);
        expect(status.stderr).toContain('the run has tasks but no journal: it was emptied or removed');
        continue;
      }
      expect(preview.code, preview.stderr).toBe(0);
      const { tasks } = JSON.parse(preview.stdout) as { tasks: { id: string; action: string }[] };
      const cached = tasks.filter(({ action }) => action === 'cached').map(({ id }) => id);
      expect(cached.sort(), `cut at ${cut}`).toEqual(finishedBefore(cut).sort());
      const done = cut === bytes.length;
      expect(JSON.parse(status.stdout)).toMatchObject({ outcome: done ? 'failed' : 'cancelled' });
      expect(room.project.snapshot()).toEqual(before);
    }
  });

  it('goes on from there', { timeout: 120_000 }, async () => {
    const cuts = cutsToTry().filter((cut, index) => index % 3 !== 2 && cut < bytes.length && wholeLines(cut) > 0);
    await forEachOf(cuts, async (cut) => {
      const room = roomWith(bytes.subarray(0, cut));
      const before = room.ran();
      const end = await room.exec();
      const expected = expectedOf(sketches);
      expect({ code: end.code, statuses: room.statuses(), outputs: room.outputs() }, `cut at ${cut}`).toEqual({
        code: expected.code,
        statuses: expected.statuses,
        outputs: expected.outputs,
      });
      for (const name of finishedBefore(cut)) expect(room.ran()[name]).toBe(before[name]);
      expect(room.journal()!.torn).toBe(false);
    });
  });
});

describe('a journal with a changed byte', () => {
  it('is refused, or has lost its last line, at every seventh byte', () => {
    const room = roomWith(bytes);
    const file = journalOf(room);
    const places = Array.from({ length: Math.ceil(bytes.length / 7) }, (_, index) => index * 7);
    for (const at of new Set([...places, bytes.length - 1])) {
      for (const change of [0x01, 0x20, 0xff]) {
        writeFileSync(file, flipped(at, change));
        const told = answerOf(() => readJournal(file).entries.length);
        if (told === 'journal-corrupt') continue;
        // Only what happens to the very last newline looks like an unfinished write.
        expect([at, told]).toEqual([bytes.length - 1, entries.length - 1]);
      }
    }
  });

  it('is exit 4 for every command that reads it, and nothing is run; --new starts afresh', {
    timeout: 120_000,
  }, async () => {
    const places = [9, 0.3, 0.6, 0.95].map((part) => (part < 1 ? Math.floor(part * bytes.length) : part));
    await forEachOf(places, async (at) => {
      const room = roomWith(flipped(at, 0x01));
      const before = room.ran();
      const file = join('.autoresearch', 'default', 'runs', room.runIds()[0]!, 'journal.jsonl');
      for (const args of [['status'], ['exec'], ['exec', '--dry-run']]) {
        const end = await room.run(args);
        expect(end).toMatchObject({ code: 4, stdout: '' });
        expect(end.stderr).toContain('the journal was changed by something else: ');
        expect(end.stderr).toContain(`${file}:${wholeLines(at) + 1}: `);
      }
      expect(room.ran()).toEqual(before);
      expect(readFileSync(journalOf(room))).toEqual(flipped(at, 0x01));
      expect((await room.run(['exec', '--new', '--reporter', 'silent'])).code).toBe(expectedOf(sketches).code);
      expect(readFileSync(journalOf(room))).toEqual(flipped(at, 0x01));
    });
  });
});

function flipped(at: number, change: number): Buffer {
  const copy = Buffer.from(bytes);
  copy[at] = copy[at]! ^ change;
  return copy;
}

function answerOf(read: () => number): number | string {
  try {
    return read();
  } catch (error) {
    if (error instanceof FailureError) return error.failure.code;
    throw error;
  }
}
