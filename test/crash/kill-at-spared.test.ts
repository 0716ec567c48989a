import { describe, expect, it } from 'vitest';
import { shared } from '../support/thinned.js';
import { CrashRoom, forEachOf } from './crash-room.js';

/** Twelve tasks in three layers; of each layer one in four is reached by the input that changes. */
const ids = Array.from({ length: 12 }, (_, index) => `t${index}`);
const isReached = (id: string): boolean => Number(id.slice(1)) % 4 === 1;
const stages = Object.fromEntries(
  ids.map((id, index) => {
    const reads = index < 4 ? `in-${index}.dat` : `t${index - 4}.txt`;
    return [
      id,
      { uses: 'command', with: { run: ['sh', 'task.sh', id, 'pass', reads] }, inputs: [reads], outputs: [`${id}.txt`] },
    ];
  }),
);

/** All of it has been done once, and then one of four inputs was edited. */
async function edited(): Promise<CrashRoom> {
  const room = new CrashRoom(stages);
  for (const at of [0, 1, 2, 3]) room.project.write(`in-${at}.dat`, 'one\n');
  expect((await room.exec()).code).toBe(0);
  room.project.write('in-1.dat', 'two\n');
  return room;
}

function expectDone(room: CrashRoom): void {
  expect(room.statuses()).toEqual(Object.fromEntries([...ids].sort().map((id) => [id, 'passed'])));
  for (const id of ids) expect(room.project.read(`${id}.txt`)).toContain(isReached(id) ? 'two' : 'one');
  const { entries } = room.journal()!;
  const told = entries.flatMap((entry) =>
    entry.type === 'task-skipped' || entry.type === 'task-finished' ? [entry.task] : [],
  );
  // Once each, and after what it is made from.
  expect([...told].sort()).toEqual([...ids].sort());
  for (const id of ids.slice(4)) expect(told.indexOf(`t${Number(id.slice(1)) - 4}`)).toBeLessThan(told.indexOf(id));
}

describe.concurrent('results that still hold, written down together', () => {
  it('each once, in order; only what the edit reaches is done again', async () => {
    const room = await edited();
    expect((await room.exec()).code).toBe(0);
    expectDone(room);
    expect(room.ran()).toEqual(Object.fromEntries(ids.map((id) => [id, isReached(id) ? 2 : 1])));
  });

  it('SIGKILL at every record: exec goes on, and nothing that is finished is done again', {
    timeout: 120_000,
  }, async () => {
    const whole = await edited();
    await whole.exec();
    const records = whole.journal()!.entries.length;
    const trials = Array.from({ length: records }, (_, at) =>
      (['before', 'torn', 'after'] as const).map((how) => ({ at, how })),
    ).flat();
    await forEachOf(shared(trials), async ({ at, how }) => {
      const room = await edited();
      const { signal } = await room.exec({ preload: 'kill-at', env: { CRASH_AT: String(at), CRASH_HOW: how } });
      expect(signal).toBe('SIGKILL');
      const finished = new Set(
        (room.journal()?.entries ?? []).flatMap((entry) => (entry.type === 'task-finished' ? [entry.task] : [])),
      );
      const before = room.ran();
      expect((await room.exec()).code, `killed ${how} record ${at}`).toBe(0);
      expectDone(room);
      const after = room.ran();
      for (const id of ids) {
        // What the second run had finished, or had no reason to do, is left alone; the rest is done at most once more than it was.
        const isDone = !isReached(id) || (finished.has(id) && room.runIds().length === 2 && before[id] === 2);
        expect(after[id], `${id}, killed ${how} record ${at}`).toBe(isDone ? before[id] : Math.max(2, before[id]! + 1));
      }
    });
  });
});
