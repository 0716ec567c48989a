import { appendFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { seal } from '../../src/journal/chain.js';
import { CrashRoom } from './crash-room.js';

const failing = { a: { uses: 'command', with: { run: 'exit 5' } } };

/** Exit code 4 is for who tampers; whoever was interrupted has not. */
describe('verify after an interruption of a run that had ended before', () => {
  it.each(['before', 'after'] as const)(
    'killed %s any of its new records: not ended well, and not tampered with',
    async (how) => {
      const whole = new CrashRoom(failing);
      expect((await whole.exec()).code).toBe(1);
      const first = whole.journal()!.entries.length;
      await whole.exec();
      const records = whole.journal()!.entries.length - first;
      for (let at = 0; at < records; at += 1) {
        const room = new CrashRoom(failing);
        await room.exec();
        const { signal } = await room.exec({ preload: 'kill-at', env: { CRASH_AT: String(at), CRASH_HOW: how } });
        expect(signal).toBe('SIGKILL');
        const { code, stdout } = await room.run(['verify']);
        expect([at, code], stdout).toEqual([at, 1]);
        expect((await room.exec()).code).toBe(1);
        expect((await room.run(['verify'])).stdout).not.toContain('that was noted');
      }
    },
  );

  it('lines that somebody adds to a run that has ended are still tampering', async () => {
    const room = new CrashRoom({ a: { uses: 'command', with: { run: 'true' } } });
    await room.exec();
    const last = room.journal()!.entries.at(-1)!;
    const { line } = seal({ ...last, type: 'run-finished' } as never, {
      seq: last.seq + 1,
      at: last.at,
      prev: last.hash,
    });
    appendFileSync(room.journalFile(room.runIds()[0]!), line);
    expect((await room.run(['verify'])).code).toBe(4);
  });

  it('an attempt that ended before its command began has no logs to miss', async () => {
    const room = new CrashRoom({
      a: { uses: 'command', with: { run: 'true' } },
      b: { uses: 'command', needs: ['a'], with: { run: 'cat late > b' }, inputs: ['late'], outputs: ['b'] },
    });
    expect((await room.exec()).code).toBe(1);
    room.project.write('late', 'now');
    expect((await room.exec()).code).toBe(0);
    expect(await room.run(['verify'])).toMatchObject({ code: 0, stderr: '' });
  });

  it('what was made before and is to be made anew is no forgery', async () => {
    const stages = {
      a: { uses: 'command', with: { run: 'cp src a' }, inputs: ['src'], outputs: ['a'] },
      s: {
        uses: 'command',
        with: { run: 'test -e slow && kill -9 $CRASH_RUNNER; cp a s' },
        inputs: ['a'],
        outputs: ['s'],
      },
      h: { uses: 'command', with: { run: 'cat a s > h' }, inputs: ['a', 's'], outputs: ['h'] },
      bad: { uses: 'command', with: { run: 'exit 5' } },
    };
    const room = new CrashRoom(stages);
    room.project.write('src', '1');
    expect((await room.exec()).code).toBe(1);
    room.project.write('src', '2');
    room.project.write('slow', '');
    expect((await room.exec({ preload: 'kill-at' })).signal).toBe('SIGKILL');
    const { code, stdout } = await room.run(['verify']);
    expect([code, stdout]).toEqual([
      1,
      expect.stringContaining('h: what it is made from was changed, and it was not done again'),
    ]);
  });
});
