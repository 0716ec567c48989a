import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { ended } from '../support/project.js';
import { until } from '../support/until.js';
import { CrashRoom, type StartOptions } from './crash-room.js';
import { atCrash, expectSameEnd } from './same-end.js';
import { expectedOf, type Sketch, stagesOf } from './sketch.js';

const chain: readonly Sketch[] = [
  { name: 'a', kind: 'pass' },
  { name: 'b', kind: 'pass', reads: ['a'] },
  { name: 'c', kind: 'pass', reads: ['b'] },
  { name: 'd', kind: 'pass', needs: ['a'] },
];

const killedAt = (record: number): StartOptions => ({
  preload: 'kill-at',
  env: { CRASH_AT: String(record), CRASH_HOW: 'before' },
});

const starts = (room: CrashRoom): number => room.journal()!.entries.filter(({ type }) => type === 'run-started').length;

describe.concurrent('a run that is stopped again and again', { timeout: 120_000 }, () => {
  it('by SIGINT, SIGTERM and SIGKILL in turn is one run, in which nothing finished runs again', async () => {
    const names = ['t0', 't1', 't2', 't3'];
    const sketches = names.map((name, index): Sketch => {
      const reads = index === 0 ? {} : { reads: [`t${index - 1}`] };
      return { name, kind: 'hold', ...reads };
    });
    const room = new CrashRoom(stagesOf(sketches));
    const ends = [
      ['SIGINT', 130, null],
      ['SIGTERM', 143, null],
      ['SIGKILL', null, 'SIGKILL'],
    ] as const;
    for (const [index, [signal, code, killed]] of ends.entries()) {
      room.flag(`go-t${index}`);
      const child = room.start(['exec', '--reporter', 'silent']);
      const end = ended(child);
      await until(() => (room.ran()[`t${index + 1}`] ?? 0) > 0);
      child.kill(signal);
      expect({ ...(await end), signal: child.signalCode }).toMatchObject({ code, signal: killed });
      const status = await room.run(['status', '--json']);
      expect(JSON.parse(status.stdout)).toMatchObject({ outcome: 'cancelled' });
      await until(() => room.processes().length === 0);
    }
    room.flag('go-t3');
    const end = await room.exec();
    const { code, outputs, statuses } = expectedOf(sketches);
    expect({ code: end.code, outputs: room.outputs(), statuses: room.statuses() }).toEqual({ code, outputs, statuses });
    expect(end.stdout).toMatch(/^study: going on with run 1-\w{4}; 3 of 4 tasks done/);
    // Each signal met one task at work, and that one was tried again.
    expect(room.ran()).toEqual({ t0: 1, t1: 2, t2: 2, t3: 2 });
    expect([room.runIds().length, starts(room)]).toEqual([1, 4]);
  });

  it('is resumed once; what comes after its end finds everything done and leaves it as it is', async () => {
    const room = new CrashRoom(stagesOf(chain));
    await room.exec(killedAt(4));
    const crash = atCrash(room);
    await expectSameEnd(room, await room.exec(), { expected: expectedOf(chain), crashes: [crash] });
    const ran = room.ran();
    const journal = readFileSync(room.journalFile(room.runIds()[0]!));
    for (let again = 1; again <= 2; again += 1) {
      expect((await room.exec()).code).toBe(0);
      expect(room.ran()).toEqual(ran);
    }
    expect(readFileSync(room.journalFile(room.runIds()[0]!))).toEqual(journal);
  });
});

describe.concurrent('a clock that moved', { timeout: 120_000 }, () => {
  const days = 86_400_000;

  it.each([
    ['three days back before the resume', -3 * days, 0],
    ['three days forth before the resume', 3 * days, 0],
    ['an hour back in the middle of the resumed run', -3_600_000, 12],
    ['an hour forth in the middle of the resumed run', 3_600_000, 12],
  ])('%s makes nothing run again, and no time is negative', async (_name, shift, after) => {
    const room = new CrashRoom(stagesOf(chain));
    await room.exec(killedAt(4));
    const crash = atCrash(room);
    const env = { CRASH_SHIFT_MS: String(shift), CRASH_SHIFT_AFTER: String(after) };
    const end = await room.exec({ preload: 'shift-clock', env });
    await expectSameEnd(room, end, { expected: expectedOf(chain), crashes: [crash] });
    const { entries, state } = room.journal()!;
    const durations = entries.flatMap((entry) => ('durationMs' in entry ? [entry.durationMs] : []));
    expect(durations.filter((ms) => ms < 0)).toEqual([]);
    expect(state!.workedMs).toBeGreaterThanOrEqual(0);
    for (const args of [['status'], ['runs']]) {
      const told = await room.run(args);
      expect(told.code).toBe(0);
      expect(`${end.stdout}${told.stdout}`).not.toMatch(/(?<![\w-])-\d|NaN|Invalid/);
    }
    const ran = room.ran();
    expect((await room.exec()).code).toBe(0);
    expect(room.ran()).toEqual(ran);
  });
});

describe.concurrent('a config that was edited before the resume', { timeout: 120_000 }, () => {
  // c waits for d as well, so that c's end is always record 8.
  const ordered = chain.map((sketch): Sketch => (sketch.name === 'c' ? { ...sketch, needs: ['d'] } : sketch));
  const edited = ordered.map(
    (sketch): Sketch => (sketch.name === 'b' ? { ...sketch, reads: ['a'], needs: [] } : sketch),
  );
  const stages = (): Record<string, { with: { run: string[] } }> => stagesOf(edited) as never;

  /** Everything but `c` has passed; then `b` is told to read its input twice. */
  async function afterEdit(): Promise<{ room: CrashRoom; stdout: string }> {
    const room = new CrashRoom(stagesOf(ordered));
    await room.exec(killedAt(8));
    expect(room.statuses()).toEqual({ a: 'passed', b: 'passed', c: 'running', d: 'passed' });
    const { b, ...others } = stages();
    room.configure({ ...others, b: { ...b, with: { run: [...b!.with.run, 'a.txt'] } } });
    const { code, stdout } = await room.exec();
    expect(code).toBe(0);
    return { room, stdout };
  }

  it('says what changed and runs exactly what that makes stale', async () => {
    const { room, stdout } = await afterEdit();
    expect(stdout).toMatch(/^study: going on with run 1-\w{4}; .*\n {2}changed: b: with\.run$/m);
    expect(room.ran()).toEqual({ a: 1, b: 2, c: 2, d: 1 });
    expect(room.project.read('c.txt')).toBe('made by c\nmade by b\nmade by a\nmade by a\n');
    expect(room.runIds()).toHaveLength(1);
  });

  // The contract has it; the opening lines name the changes only, and count stale tasks among those that are done.
  it('names the tasks that are stale by it', async () => {
    const { stdout } = await afterEdit();
    // c had not passed yet when the run was killed.
    expect(stdout).toMatch(/^ {2}stale: b$/m);
  });

  it('a task that was taken out is forgotten, and one that was added runs', async () => {
    const room = new CrashRoom(stagesOf(ordered));
    await room.exec(killedAt(8));
    const other = [...chain.slice(0, 2), { name: 'e', kind: 'pass', reads: ['b'] } as Sketch];
    room.configure(stagesOf(other));
    const { code, stdout } = await room.exec();
    expect(code).toBe(0);
    expect(stdout).toContain('  changed: e is new\n  changed: c is gone\n  changed: d is gone\n');
    expect(room.ran()).toEqual({ a: 1, b: 1, c: 1, d: 1, e: 1 });
    const status = JSON.parse((await room.run(['status', '--json'])).stdout);
    expect(status.tasks.map(({ id, status: is }: Record<string, string>) => `${id} ${is}`)).toEqual([
      'a passed',
      'b passed',
      'e passed',
    ]);
    expect(status.outcome).toBe('passed');
  });
});

describe.concurrent('which run goes on', { timeout: 120_000 }, () => {
  it('--new leaves an unfinished run as it is, keeps its results, and is the one that goes on from then', async () => {
    const room = new CrashRoom(stagesOf(chain));
    await room.exec(killedAt(4));
    const first = room.journalFile(room.runIds()[0]!);
    const journal = readFileSync(first);
    const crash = atCrash(room);
    const killed = await room.run(['exec', '--new'], killedAt(3));
    expect(killed.signal).toBe('SIGKILL');
    expect(room.runIds()).toHaveLength(2);
    const second = atCrash(room);
    await expectSameEnd(room, await room.exec(), { expected: expectedOf(chain), crashes: [crash, second] });
    expect(room.runIds()).toHaveLength(2);
    expect(readFileSync(first)).toEqual(journal);
  });

  it('10 comes after 9', async () => {
    const sketches: readonly Sketch[] = [
      { name: 'a', kind: 'pass' },
      { name: 'b', kind: 'never', needs: ['a'] },
    ];
    const room = new CrashRoom(stagesOf(sketches));
    const another = ['exec', '--new', '--reporter', 'plain'];
    for (let run = 1; run <= 9; run += 1) expect((await room.run(another)).code).toBe(1);
    expect((await room.run(another, killedAt(3))).signal).toBe('SIGKILL');
    const ids = room.runIds();
    expect(ids.map((id) => Number.parseInt(id, 10))).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    const { stdout, code } = await room.exec();
    expect(code).toBe(1);
    expect(stdout).toContain(`study: going on with run ${ids[9]}; `);
    expect(JSON.parse((await room.run(['status', '--json'])).stdout).run).toBe(ids[9]);
    await room.run(another);
    expect(room.runIds().at(-1)).toMatch(/^11-/);
    expect(room.ran().a).toBe(1);
  });
});
