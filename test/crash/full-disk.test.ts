import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CrashRoom, forEachOf } from './crash-room.js';
import { atCrash, expectSameEnd } from './same-end.js';
import { expectedOf, type Sketch, stagesOf } from './sketch.js';
import { SmallDisk, whyNoSmallDisk } from './small-disk.js';

/** Enough of them that the journal needs more than one page. */
const sketches: readonly Sketch[] = [0, 1, 2, 3, 4, 5, 6, 7].map((index) => ({
  name: `t${index}`,
  kind: 'pass',
  ...(index === 0 ? {} : { reads: [`t${index - 1}`] }),
}));
const expected = expectedOf(sketches);

const why = whyNoSmallDisk();
// A skipped test has to say why; silence would look like a pass.
if (why !== undefined) process.stderr.write(`test/crash/full-disk.test.ts is skipped: ${why}\n`);

async function onSmallDisk(pages: number, work: (room: CrashRoom, disk: SmallDisk) => Promise<void>): Promise<void> {
  const room = new CrashRoom(stagesOf(sketches));
  const disk = await SmallDisk.mount(join(room.project.dir, '.autoresearch'), pages * 4096);
  room.stateRoot = disk.root;
  try {
    await work(room, disk);
  } finally {
    disk.close();
  }
}

describe.skipIf(why !== undefined)('a state folder on a disk of its own', { timeout: 120_000 }, () => {
  it('fills up at any moment: the file is named, nothing recorded is lost, and exec goes on', async () => {
    const stoppedAt = new Set<string>();
    await forEachOf([0, 1, 2, 3, 4, 9], (pages) =>
      onSmallDisk(64, async (room, disk) => {
        disk.fill(pages);
        const end = await room.exec(disk);
        if (end.code !== 0) {
          const [, file] = /^the disk is full; could not write (.*)\nMake room, .*\n$/.exec(end.stderr) ?? [];
          expect(file, `with ${pages} pages: ${end.stdout}${end.stderr}`).toBeDefined();
          expect(end.code).toBe(1);
          stoppedAt.add(file!.replace(/.*\//, ''));
        } else {
          expect(pages).toBe(9);
        }
        const crash = atCrash(room);
        expect(Object.keys(crash.ran).filter((name) => crash.statuses[name] === undefined)).toEqual([]);
        disk.makeRoom();
        await expectSameEnd(room, await room.exec(disk), { expected, crashes: [crash] });
      }),
    );
    expect([...stoppedAt].sort()).toEqual(['journal.jsonl', 'lock', 'plan.json']);
  });

  it('cannot be written at all: exit 1, nothing is run, and what is there can be read', async () => {
    await onSmallDisk(64, async (room, disk) => {
      disk.remount('ro');
      const lock = join(room.project.dir, '.autoresearch/default/lock');
      const first = await room.exec(disk);
      expect(first).toMatchObject({ code: 1, stdout: '' });
      expect(first.stderr).toContain(`cannot write ${lock}: `);
      expect(room.ran()).toEqual({});
      disk.remount('rw');
      await expectSameEnd(room, await room.exec(disk), { expected, crashes: [] });
      disk.remount('ro');
      const before = room.ran();
      // There is nothing to do, which needs no disk; but another run does.
      expect((await room.exec(disk)).code).toBe(0);
      const again = await room.run(['exec', '--new'], disk);
      expect(again).toMatchObject({ code: 1, stdout: '' });
      expect(again.stderr).toContain(`cannot write ${lock}: EROFS: read-only file system`);
      expect(room.ran()).toEqual(before);
      const status = await room.run(['status', '--json'], disk);
      expect(JSON.parse(status.stdout)).toMatchObject({ outcome: 'passed' });
    });
  });

  // Node's recursive mkdir answers ENOENT on a read-only disk, and the lock passes that on: see the report of issue 3.
  it('says that it is read-only also before its first folder is made', async () => {
    await onSmallDisk(64, async (room, disk) => {
      disk.remount('ro');
      expect((await room.exec(disk)).stderr).toContain('EROFS: read-only file system');
    });
  });
});
