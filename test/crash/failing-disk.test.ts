import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { CrashRoom, forEachOf } from './crash-room.js';
import { atCrash, expectSameEnd } from './same-end.js';
import { expectedOf, type Sketch, stagesOf } from './sketch.js';

const sketches: readonly Sketch[] = [
  { name: 'a', kind: 'pass' },
  { name: 'b', kind: 'pass', reads: ['a'] },
  { name: 'c', kind: 'pass', needs: ['a'] },
  { name: 'd', kind: 'pass', reads: ['b', 'c'] },
];
const expected = expectedOf(sketches);

const full = (file: string): string =>
  `the disk is full; could not write ${file}\nMake room, then go on with autoresearch exec; nothing that was recorded is lost\n`;

const cannot = (file: string, call: string): string =>
  `cannot write ${file}: EIO: the disk said no, ${call}\nThe disk has a fault: look at the system log, and move the project to another disk before you go on\n`;

describe.concurrent('a disk that fails under the journal', { timeout: 120_000 }, () => {
  it.each([
    ['write', 'EIO', [0, 2, 4, 6, 8]],
    ['short', 'ENOSPC', [1, 3, 5, 7, 9]],
  ] as const)(
    'stops the run at a %s (%s), starts nothing more, and is forgotten once it works',
    async (how, code, places) => {
      await forEachOf(places, async (at) => {
        const room = new CrashRoom(stagesOf(sketches));
        const end = await room.exec({
          preload: 'fail-at',
          env: { CRASH_AT: String(at), CRASH_HOW: how, CRASH_CODE: code },
        });
        const file = room.journalFile(room.runIds()[0]!);
        expect(end, `at write ${at}`).toMatchObject({
          code: 1,
          stderr: code === 'ENOSPC' ? full(file) : cannot(file, 'write'),
        });
        // What was whole stays, what was not is cut off at once.
        expect(room.journal()).toMatchObject({ torn: false, entries: { length: at } });
        const crash = atCrash(room);
        expect(Object.keys(crash.ran).filter((name) => crash.statuses[name] === undefined)).toEqual([]);
        expect(existsSync(room.stateFile('lock'))).toBe(false);
        await expectSameEnd(room, await room.exec(), { expected, crashes: [crash] });
      });
    },
  );

  it('stops the run when what is written cannot be flushed', async () => {
    let failed = 0;
    await forEachOf([0, 1, 2], async (at) => {
      const room = new CrashRoom(stagesOf(sketches));
      const env = { CRASH_AT: String(at), CRASH_HOW: 'sync', CRASH_CODE: 'EIO' };
      const end = await room.exec({ preload: 'fail-at', env });
      // How many flushes there are depends on how quick the machine is: tasks that end together share one.
      if (end.code === 0) return;
      failed += 1;
      expect(end).toMatchObject({ code: 1, stderr: cannot(room.journalFile(room.runIds()[0]!), 'fdatasync') });
      const crash = atCrash(room);
      expect(Object.keys(crash.ran).filter((name) => crash.statuses[name] === undefined)).toEqual([]);
      await expectSameEnd(room, await room.exec(), { expected, crashes: [crash] });
    });
    expect(failed).toBeGreaterThan(0);
  });
});
