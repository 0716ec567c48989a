import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { newRunnerId } from '../../../src/adapters/command/command-runner.js';
import { Warden } from '../../../src/adapters/command/warden.js';
import { systemClock } from '../../../src/adapters/system-clock.js';
import { commandRunnerContract } from './contract.js';
import { alive, childrenOf, exited, finish, parentOf, Room, StoppedClock, signalled, text, until } from './room.js';

const make = (more = {}): Warden =>
  new Warden({
    bash: '/bin/bash',
    clock: systemClock,
    env: process.env,
    maxSlots: 2,
    graceMs: 5000,
    runner: newRunnerId(),
    ...more,
  });

commandRunnerContract({
  name: 'the warden',
  endurance: 400,
  create: (options) => new Warden({ bash: '/bin/bash', ...options }),
});

const built = mkdtempSync(join(tmpdir(), 'driver-'));
const driver = join(built, 'driver.mjs');
buildSync({
  entryPoints: [fileURLToPath(new URL('driver.ts', import.meta.url))],
  outfile: driver,
  bundle: true,
  platform: 'node',
  format: 'esm',
  external: ['execa'],
});
afterAll(() => rmSync(built, { recursive: true }));

let room: Room;
beforeEach(() => {
  room = new Room();
});
afterEach(() => room.remove());

const logs = (): string =>
  readdirSync(room.dir)
    .filter((name) => name.endsWith('.out'))
    .map((name) => text(room.path(name)))
    .join('');
const pids = (): number[] => [...logs().matchAll(/pid (\d+)/g)].map(([, pid]) => Number(pid));
/** Waits for so many `pid N` lines in the logs. */
const pidsOnce = async (count: number): Promise<number[]> => {
  await until(`${count} process ids`, () => pids().length === count);
  return pids();
};

/** Ignores every signal that can be ignored, in its group and out of it. */
const stubborn = `trap '' TERM HUP INT USR1 PIPE; echo pid $$; while :; do sleep 0.02; done`;
const escaping = `setsid sh -c "trap '' TERM HUP INT; echo pid \\$\\$; while :; do sleep 0.02; done" & echo pid $$; wait`;
const twiceEscaping = `(setsid sh -c 'setsid sleep 1000 & echo pid $!; echo pid $$; exec sleep 1000' &); echo pid $$; sleep 1000`;
/** Found by its group alone. */
const unmarked = `exec env -i /bin/sh -c 'echo pid $$; exec sleep 1000'`;
const helperOf = `echo pid $PPID; echo pid $(ps -o ppid= -p $PPID); echo pid $$; sleep 1000`;

describe('when the runner dies', () => {
  const start = (...commands: string[]): ChildProcess =>
    spawn(process.execPath, [driver, room.dir, 'wait', ...commands], { stdio: ['ignore', 'pipe', 'inherit'] });

  it('of SIGKILL, everything it started is gone, and so is the helper', async () => {
    const runner = start(stubborn, escaping, twiceEscaping, unmarked, helperOf);
    const started = await pidsOnce(1 + 2 + 3 + 1 + 3);
    expect(started.map(alive)).toEqual(started.map(() => true));
    runner.kill('SIGKILL');
    await until('everything is gone', () => !started.some(alive));
  });

  it('right after it asked for a command, that is gone too', async () => {
    for (let round = 0; round < 4; round += 1) {
      const own = room.path(`round-${round}.out`);
      const runner = start(`echo pid $$ >'${own}'; sleep 1000`, `echo pid $$ >>'${own}'; sleep 1000`);
      await until('one has begun', () => text(own).includes('\n'));
      runner.kill('SIGKILL');
      await once(runner, 'exit');
    }
    await until('everything is gone', () => !pids().some(alive));
  });

  it.each(['', ', and its helper before it'])('with nothing to do, its helper goes%s', async (before) => {
    const runner = spawn(process.execPath, [driver, room.dir, 'stay', 'echo pid $PPID', 'echo pid $PPID'], {
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    const slots = await pidsOnce(2);
    await until('both slots are idle', () => slots.every((slot) => childrenOf(slot).length === 1));
    const waiting = slots.flatMap(childrenOf);
    const helper = parentOf(slots[0]!);
    if (before !== '') {
      // Halted, it cannot notice and end things properly.
      runner.kill('SIGSTOP');
      process.kill(helper, 'SIGKILL');
    }
    runner.kill('SIGKILL');
    await until('everything is gone', () => ![helper, ...slots, ...waiting].some(alive));
  });

  it('inside a command of another runner, the outer one ends everything', async () => {
    const outer = make();
    const command = outer.start(
      room.spec([process.execPath, driver, room.dir, 'wait', stubborn, escaping, twiceEscaping]),
    );
    const started = await pidsOnce(1 + 2 + 3);
    command.kill();
    expect(await command.exit).toEqual(signalled('SIGKILL'));
    expect(started.filter(alive)).toEqual([]);
    await outer.close();
  });
});

describe('when the runner comes to its end', () => {
  it('the helper does not keep it alive, and goes', async () => {
    const ended = spawnSync(process.execPath, [driver, room.dir, 'leave', 'echo pid $PPID; exit 3'], {
      encoding: 'utf8',
      timeout: 60_000,
    });
    expect([ended.status, ended.stdout]).toEqual([0, `${JSON.stringify(exited(3))}\n`]);
    await until('the helper is gone', () => !pids().some(alive));
  });
});

describe('when the helper is killed', () => {
  const reason = /^autoresearch: the helper process that runs commands was lost.*; this command was killed with it\n$/;

  it('by its own command, that command fails with a reason, and others go on', async () => {
    const warden = make();
    const spec = room.spec('echo ready; until [ -e go ]; do sleep 0.01; done; exit 6');
    const other = warden.start(spec);
    await until('ready', () => text(spec.stdoutFile) !== '');
    const { exit, stderr } = await finish(warden, room.spec('kill -9 $PPID; sleep 1000'));
    expect(exit).toEqual(signalled('SIGKILL'));
    expect(stderr).toMatch(reason);
    expect((await finish(warden, room.spec('touch go; exit 4'))).exit).toEqual(exited(4));
    expect(await other.exit).toEqual(exited(6));
    await warden.close();
  });

  it('as a whole, all its commands are gone with a reason, and the next one gets a new helper', async () => {
    const warden = make();
    const specs = [stubborn, escaping].map((run) => room.spec(run));
    const commands = specs.map((spec) => warden.start(spec));
    await until(
      'both run',
      () =>
        specs
          .map((spec) => text(spec.stdoutFile))
          .join('')
          .split('pid').length === 4,
    );
    const first = Number(/pid (\d+)/.exec(text(specs[0]!.stdoutFile))![1]);
    process.kill(parentOf(parentOf(first)), 'SIGKILL');
    for (const [index, command] of commands.entries()) {
      expect(await command.exit).toEqual(signalled('SIGKILL'));
      expect(text(specs[index]!.stderrFile)).toMatch(/was lost: it ended \(SIGKILL\)/);
    }
    const started = specs.flatMap((spec) =>
      [...text(spec.stdoutFile).matchAll(/pid (\d+)/g)].map(([, pid]) => Number(pid)),
    );
    expect(started.filter(alive)).toEqual([]);
    expect((await finish(warden, room.spec('exit 2'))).exit).toEqual(exited(2));
    await warden.close();
  });

  it('does not wait for a slot that was halted', async () => {
    const clock = new StoppedClock();
    const warden = make({ clock });
    const spec = room.spec('kill -STOP $PPID; echo ready; sleep 1000');
    const command = warden.start(spec);
    await until('ready', () => text(spec.stdoutFile) !== '');
    command.kill();
    clock.advance(4999);
    clock.advance(1);
    expect(await command.exit).toEqual(signalled('SIGKILL'));
    const closed = warden.close();
    clock.advance(2000);
    await closed;
  });
});

it('does not let a command speak through the descriptors of its slot', async () => {
  const warden = make();
  const forge =
    'for n in 0 1 2 3 4 5 6 7 8 9; do (echo "e 1 0" >"/proc/$PPID/fd/$n") && echo wrote $n; done 2>/dev/null; exit 9';
  const { exit, stdout } = await finish(warden, room.spec(forge));
  // Descriptor 3 is the null device; sockets cannot be opened.
  expect([exit, stdout]).toEqual([exited(9), 'wrote 3\n']);
  await warden.close();
});

it('keeps its helper while nothing is to be done, whatever TMOUT says', async () => {
  const warden = make({ env: { ...process.env, TMOUT: '1' } });
  const slot = async (): Promise<string> => (await finish(warden, room.spec('echo $PPID'))).stdout;
  const elsewhere = warden.start(room.spec('sleep 1.1'));
  const before = await slot();
  await elsewhere.exit;
  expect(await slot()).toBe(before);
  await warden.close();
});

it('says why bash cannot be started', async () => {
  const warden = make({ bash: '/no/bash' });
  for (let round = 0; round < 2; round += 1) {
    expect(await warden.start(room.spec('true')).exit).toEqual({
      kind: 'not-started',
      failure: {
        code: 'command-not-started',
        detail: 'the helper process that runs commands was lost: spawn /no/bash ENOENT',
      },
    });
  }
  await warden.close();
});
