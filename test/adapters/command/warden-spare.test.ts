import { chmodSync, existsSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { newRunnerId } from '../../../src/adapters/command/command-runner.js';
import { Warden } from '../../../src/adapters/command/warden.js';
import { systemClock } from '../../../src/adapters/system-clock.js';
import type { CommandExit } from '../../../src/model/ports.js';
import { alive, childrenOf, collect, exited, finish, Room, signalled, text, until } from './room.js';

const make = (more = {}): Warden =>
  new Warden({
    bash: '/bin/bash',
    clock: systemClock,
    env: process.env,
    maxSlots: 1,
    graceMs: 5000,
    runner: newRunnerId(),
    ...more,
  });
const untaken: CommandExit = {
  kind: 'not-started',
  failure: {
    code: 'command-not-started',
    detail: 'the process that was to run the command was killed before it began',
  },
};

let room: Room;
let warden: Warden;
beforeEach(() => {
  room = new Room();
  warden = make();
});
afterEach(async () => {
  await warden.close();
  room.remove();
});

/** The slot of an idle warden and the child that waits in it. */
const look = async (): Promise<{ slot: number; spare: number }> => {
  const slot = Number((await finish(warden, room.spec('echo $PPID'))).stdout);
  return { slot, spare: await spareOf(slot) };
};
const spareOf = async (slot: number): Promise<number> => {
  await until('a child waits', () => childrenOf(slot).some(isWaiting));
  return childrenOf(slot).find(isWaiting)!;
};
const isBash = (pid: number): boolean => text(`/proc/${pid}/comm`) === 'bash\n';
/** One that was forked a moment ago has not said yet that it is there. */
const isWaiting = (pid: number): boolean => isBash(pid) && / S /.test(text(`/proc/${pid}/stat`));
const killIfThere = (pid: number): void => {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It was quicker.
  }
};
/** So that it cannot read what it is sent. */
const halt = async (pid: number): Promise<void> => {
  process.kill(pid, 'SIGSTOP');
  await until('it is halted', () => / T /.test(text(`/proc/${pid}/stat`)));
};
const works = async (): Promise<void> => expect((await finish(warden, room.spec('exit 3'))).exit).toEqual(exited(3));

describe('the child that waits for a command', () => {
  it('is there before the first one when the runner was warmed up', async () => {
    const warm = make({ warm: true });
    const spares = (): number[] =>
      childrenOf(process.pid).filter(isBash).flatMap(childrenOf).flatMap(childrenOf).filter(isBash);
    await until('a child waits', () => spares().length === 1);
    await warm.close();
    expect(spares()).toEqual([]);
  });

  it.each(['SIGKILL', 'SIGTERM', 'SIGSEGV'] as const)('is replaced when it is ended with %s', async (signal) => {
    const { slot, spare } = await look();
    process.kill(spare, signal);
    await until('it is gone', () => !alive(spare));
    expect(await spareOf(slot)).not.toBe(spare);
    expect((await finish(warden, room.spec('echo $PPID'))).stdout).toBe(`${slot}\n`);
  });

  it('becomes the command, with nothing of its own left', async () => {
    const { spare } = await look();
    expect((await finish(warden, room.spec('echo $$'))).stdout).toBe(`${spare}\n`);
  });

  it('ends before it took a command, which then never runs', async () => {
    const { slot, spare } = await look();
    await halt(spare);
    const spec = room.spec('echo ran');
    const command = warden.start(spec);
    process.kill(spare, 'SIGKILL');
    expect(await command.exit).toEqual(untaken);
    await until('its slot is gone', () => !alive(slot));
    await works();
    expect(existsSync(spec.stdoutFile)).toBe(false);
  });

  it('ends while it reads a command, of which nothing runs', async () => {
    const { slot, spare } = await look();
    await halt(spare);
    // More than a socket holds, so it cannot have been read to its end.
    const pieces = Array.from({ length: 10 }, () => `; touch '${room.path('ran')}'\ntouch '${room.path('ran')}';`);
    const command = warden.start(room.spec(['printf', ...pieces.map((piece) => piece.padEnd(100_000))]));
    process.kill(spare, 'SIGCONT');
    process.kill(spare, 'SIGKILL');
    expect(await command.exit).toEqual(untaken);
    await until('its slot is gone', () => !alive(slot));
    await works();
    expect(existsSync(room.path('ran'))).toBe(false);
  });

  it('is stopped or killed with the command that it did not take yet', async () => {
    for (const [wish, signal] of [
      ['stop', 'SIGTERM'],
      ['kill', 'SIGKILL'],
    ] as const) {
      await halt((await look()).spare);
      const spec = room.spec('echo ran');
      const command = warden.start(spec);
      command[wish]();
      expect(await command.exit).toEqual(signalled(signal));
      expect(existsSync(spec.stdoutFile)).toBe(false);
    }
    await works();
  });

  it('leaves no doubt about a command, whenever it is killed', async () => {
    for (let round = 0; round < 25; round += 1) {
      const { spare } = await look();
      const spec = room.spec(round % 2 === 0 ? 'echo ran' : `echo ran; : ${'x'.repeat(5000)}`);
      if (round % 5 === 0) process.kill(spare, 'SIGKILL');
      const command = warden.start(spec);
      for (let turn = 0; turn < round % 5; turn += 1) await new Promise(setImmediate);
      if (round % 5 > 0) killIfThere(spare);
      const { exit, stdout } = await collect(spec, command);
      if (exit.kind === 'exited') expect([exit.exitCode, stdout]).toEqual([0, 'ran\n']);
      else if (exit.kind === 'not-started') expect([exit, stdout]).toEqual([untaken, '']);
      else expect([exit, stdout.length <= 4]).toEqual([signalled('SIGKILL'), true]);
    }
  });
});

describe('a slot that is killed', () => {
  it('while it is idle is not used any more, and its child goes', async () => {
    const { slot, spare } = await look();
    process.kill(slot, 'SIGKILL');
    await until('it is gone', () => !existsSync(`/proc/${slot}`));
    await works();
    await until('its child is gone', () => !alive(spare));
  });

  it('while its child takes a command fails that command, and nothing of it stays', async () => {
    const { slot, spare } = await look();
    await halt(spare);
    const spec = room.spec('sleep 1000');
    const command = warden.start(spec);
    process.kill(slot, 'SIGKILL');
    process.kill(spare, 'SIGCONT');
    expect(await command.exit).toEqual(signalled('SIGKILL'));
    expect(text(spec.stderrFile)).toContain('the helper process that runs commands was lost');
    await until('the command is gone', () => !alive(spare));
    await works();
  });
});

it('closes while a child that waits is halted', async () => {
  const { slot, spare } = await look();
  await halt(spare);
  await warden.close();
  await until('both are gone', () => ![slot, spare].some(alive));
});

it('works with a bash that cannot read many characters at once', async () => {
  const bash = room.path('old-bash');
  writeFileSync(bash, '#!/bin/bash\nexec /bin/bash "${@:1:4}" "BASH_VERSION=3.2.57; $5" "${@:6}"\n');
  chmodSync(bash, 0o755);
  const old = make({ bash });
  const words = ['a  b', ' \\ ', "'", 'é🦊', 'x'.repeat(5000), '\n', ''];
  const { stdout } = await finish(old, room.spec(['printf', '%s|', ...words]));
  expect(stdout).toBe(words.map((word) => `${word}|`).join(''));
  expect((await finish(old, room.spec('kill -9 $$'))).exit).toEqual(signalled('SIGKILL'));
  expect((await finish(old, room.spec('exit 200'))).exit).toEqual(exited(200));
  await old.close();
});
