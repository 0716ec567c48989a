import { describe, expect, it } from 'vitest';
import { ended } from '../support/project.js';
import { until } from '../support/until.js';
import { type CrashEnd, CrashRoom } from './crash-room.js';
import { expectSameEnd } from './same-end.js';
import { expectedOf, type Sketch, stagesOf } from './sketch.js';

const sketches: readonly Sketch[] = [
  { name: 'a', kind: 'pass' },
  { name: 'b', kind: 'pass', reads: ['a'] },
];
const expected = expectedOf(sketches);

/** The same command in as many processes, started in one breath. */
async function race(room: CrashRoom, runners: readonly (readonly string[])[]): Promise<(CrashEnd & { pid: number })[]> {
  const children = runners.map((args) => room.start(['exec', '--reporter', 'plain', ...args]));
  return Promise.all(
    children.map(async (child) => ({ ...(await ended(child)), signal: child.signalCode, pid: child.pid! })),
  );
}

describe.concurrent('runners that start at once', { timeout: 120_000 }, () => {
  it.each([
    [2, 6],
    [5, 3],
  ])(
    '%i of them: each task runs once, and who comes second is told of the first (%i rounds)',
    async (runners, rounds) => {
      for (let round = 0; round < rounds; round += 1) {
        const room = new CrashRoom(stagesOf(sketches));
        const ends = await race(room, Array(runners).fill([]));
        const pids = ends.map(({ pid }) => pid);
        const told = ends.filter(({ code }) => code === 6);
        // Who comes after the first has ended finds everything done, which is no race.
        const passed = ends.filter(({ code }) => code === 0);
        expect(passed.length).toBeGreaterThan(0);
        expect(told.length + passed.length, ends.map(({ stderr }) => stderr).join('')).toBe(runners);
        for (const { stderr, pid } of told) {
          const holder = Number(
            /^another run holds the lock: (?:run \S+, )?process (\d+) on \S+, since \S+\n/.exec(stderr)?.[1],
          );
          expect(pids.filter((other) => other !== pid)).toContain(holder);
        }
        expect(room.runIds().length).toBeLessThanOrEqual(passed.length);
        await expectSameEnd(room, passed[0]!, { expected, crashes: [] });
        expect(room.ran()).toEqual(expected.ran);
      }
    },
  );

  it('held for long: all others exit 6 and name it, whatever they want of the run', async () => {
    // Not for ever: should the lock fail, the others must come to an end too.
    const run = 'echo on > begun; for i in $(seq 3000); do test -e go && break; sleep 0.02; done';
    const room = new CrashRoom({ held: { uses: 'command', with: { run } } });
    const first = room.start(['exec']);
    const end = ended(first);
    await until(() => room.project.exists('begun'));
    try {
      const others = await race(room, [[], ['--new'], ['--force', 'held'], ['--only', 'held']]);
      for (const { code, stderr } of others) {
        expect(code).toBe(6);
        expect(stderr).toContain(`process ${first.pid} `);
      }
    } finally {
      room.project.write('go', '');
      expect((await end).code).toBe(0);
    }
    expect(room.runIds()).toHaveLength(1);
  });

  it('a dead holder is replaced by exactly one of those who come at once', async () => {
    for (let round = 0; round < 3; round += 1) {
      const room = new CrashRoom(stagesOf(sketches));
      const killed = await room.exec({ preload: 'kill-at', env: { CRASH_AT: '2', CRASH_HOW: 'before' } });
      expect(killed.signal).toBe('SIGKILL');
      const ends = await race(room, Array(5).fill([]));
      expect(ends.map(({ code }) => code).filter((code) => code !== 6 && code !== 0)).toEqual([]);
      // One try of `a` belongs to the runner that was killed.
      expect(room.ran()).toEqual({ ...expected.ran, a: 2 });
      expect(room.statuses()).toEqual(expected.statuses);
      expect(room.outputs()).toEqual(expected.outputs);
    }
  });

  it('with different agent ids both run, and share no state', async () => {
    const stages = {
      a: {
        uses: 'command',
        with: { run: ['sh', 'task.sh', '{{agentId}}', 'pass'] },
        outputs: ['{{agentId}}.txt'],
      },
    };
    const room = new CrashRoom(stages);
    const ids = ['one', 'two', 'three'];
    const ends = await race(
      room,
      ids.map((id) => ['--agent-id', id]),
    );
    expect(ends.map(({ code, stderr }) => ({ code, stderr }))).toEqual(ids.map(() => ({ code: 0, stderr: '' })));
    expect(room.ran()).toEqual({ one: 1, two: 1, three: 1 });
    for (const id of ids) {
      expect(room.runIds(id)).toHaveLength(1);
      expect(room.journal(id)).toMatchObject({ torn: false, state: { outcome: 'passed', run: room.runIds(id)[0] } });
    }
    expect(room.runIds()).toEqual([]);
  });
});
