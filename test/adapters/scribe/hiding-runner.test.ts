import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DirectRunner } from '../../../src/adapters/command/direct.js';
import { Warden } from '../../../src/adapters/command/warden.js';
import { hidingRunner } from '../../../src/adapters/scribe/hiding-runner.js';
import { systemClock } from '../../../src/adapters/system-clock.js';
import type { CommandRunner, CommandSpec } from '../../../src/model/ports.js';
import { secretsOf } from '../../../src/model/secrets/secrets.js';
import { SmallDisk, whyNoSmallDisk } from '../../crash/small-disk.js';
import { commandRunnerContract } from '../command/contract.js';
import { alive, childrenOf, exited, finish, Room, signalled, text, until } from '../command/room.js';

const token = 'correct-horse-battery-staple';
const pem = `-----BEGIN KEY-----\n${'abcdefgh12345678'.repeat(4)}\nshort\n${'ZYXWVUTS87654321'.repeat(4)}\n-----END KEY-----\n`;
const env = { ...process.env, A_TOKEN: token, B_KEY: pem };
const secrets = secretsOf({ A_TOKEN: token, B_KEY: pem });

const warden = (more = {}): CommandRunner =>
  new Warden({
    bash: '/bin/bash',
    clock: systemClock,
    env: process.env,
    maxSlots: 2,
    graceMs: 5000,
    runner: 'feedfeedfeedfeed',
    ...more,
  });
const hiding = (commands: CommandRunner): CommandRunner => hidingRunner({ commands, secrets, env });
/** As if an agent ran everything. */
const all = (commands: CommandRunner): CommandRunner => {
  const hidden = hiding(commands);
  return { start: (spec) => hidden.start({ ...spec, mayKnow: 'all' }), close: () => hidden.close() };
};

// Whatever a command runner has to do, it does behind the scribe too.
commandRunnerContract({
  name: 'the warden behind the scribe',
  endurance: 60,
  create: (options) => all(new Warden({ bash: '/bin/bash', ...options })),
});
commandRunnerContract({
  name: 'the direct runner behind the scribe',
  endurance: 30,
  create: (options) => all(new DirectRunner(options)),
});

let room: Room;
let runner: CommandRunner;
let others: ReadonlySet<number> = new Set();
beforeEach(() => {
  others = new Set(allScribes());
  room = new Room();
  runner = hiding(warden());
});
afterEach(async () => {
  await runner.close();
  room.remove();
});

const knows = { env: { A_TOKEN: token, B_KEY: pem } };
const spec = (run: string, more: Partial<CommandSpec> = {}): CommandSpec => room.spec(run, { ...knows, ...more });
/** Of this test: those of others stay while somebody keeps their pipes open. */
const scribes = (): number[] => allScribes().filter((pid) => !others.has(pid));
const allScribes = (): number[] =>
  childrenOf(process.pid).filter((pid) => text(`/proc/${pid}/cmdline`).includes('scribe'));
const node = (code: string): string => {
  const file = room.path(`${Math.random()}.cjs`);
  writeFileSync(file, code);
  return `${process.execPath} '${file}'`;
};

describe('what a command that knows a secret prints', () => {
  it('never has the value in it, on either stream and in any form', async () => {
    const { exit, stdout, stderr } = await finish(
      runner,
      spec('echo "is $A_TOKEN."; printf %s "$A_TOKEN" | base64; echo "$B_KEY" >&2; printf "<%s>" "$B_KEY" >&2'),
    );
    expect(exit).toEqual(exited(0));
    expect(stdout).toBe('is [secret A_TOKEN].\n[secret A_TOKEN]\n');
    expect(stderr).toBe('[secret B_KEY]\n<[secret B_KEY]>');
  });

  it('is whole but for that: bytes of all kinds, a line without end, much of it', async () => {
    const bytes = Buffer.from(Array.from({ length: 3_000_000 }, (_, at) => (at * 7 + (at >> 8)) % 256));
    writeFileSync(room.path('bytes'), bytes);
    const one = spec('cat bytes; printf %s "$A_TOKEN"; cat bytes; printf x', { cwd: room.dir });
    expect((await finish(runner, one)).exit).toEqual(exited(0));
    const mark = Buffer.from('[secret A_TOKEN]');
    expect(readFileSync(one.stdoutFile).equals(Buffer.concat([bytes, mark, bytes, Buffer.from('x')]))).toBe(true);
  });

  it('is hidden however it is cut into writes', async () => {
    const code = `const fs = require('fs');
      const text = \`a\${process.env.A_TOKEN}b\${process.env.B_KEY}c\${process.env.A_TOKEN}\`;
      for (let size = 1; size < 12; size++) for (let at = 0; at < text.length; at += size) fs.writeSync(1, text.slice(at, at + size));`;
    const { stdout } = await finish(runner, spec(node(code)));
    expect(stdout).toBe('a[secret A_TOKEN]b[secret B_KEY]c[secret A_TOKEN]'.repeat(11));
  });

  it('is hidden where two processes write the halves', async () => {
    const { stdout } = await finish(
      runner,
      spec(`sh -c 'printf correct-horse'; sh -c 'printf -- -battery-staple'; printf " correct-horse-"`),
    );
    expect(stdout).toBe('[secret A_TOKEN] [secret A_TOKEN]');
  });

  it('does not hold back what may be seen', async () => {
    const one = spec('printf "ready? "; read _ <wait; echo "$A_TOKEN"', { cwd: room.dir });
    execFileSync('mkfifo', [room.path('wait')]);
    const running = runner.start(one);
    await until('it is seen', () => text(one.stdoutFile) === 'ready? ');
    writeFileSync(room.path('wait'), 'go\n');
    expect(await running.exit).toEqual(exited(0));
    expect(text(one.stdoutFile)).toBe('ready? [secret A_TOKEN]\n');
  });

  it('can be opened again by its name', async () => {
    const { stdout, stderr } = await finish(runner, spec('echo "$A_TOKEN" >/dev/stderr; echo out | tee /dev/stdout'));
    expect([stdout, stderr]).toEqual(['out\nout\n', '[secret A_TOKEN]\n']);
  });

  it('stands in one log in order when both streams lead there', async () => {
    const log = room.path('both.log');
    const both = { stdoutFile: log, stderrFile: log };
    await finish(runner, spec('for n in 1 2 3; do echo $n; echo "$A_TOKEN" >&2; done', both));
    expect(text(log)).toBe('1\n[secret A_TOKEN]\n2\n[secret A_TOKEN]\n3\n[secret A_TOKEN]\n');
  });

  it('is there when the command is reported to have ended, however much it was', async () => {
    const { stdout } = await finish(runner, spec('head -c 5000000 /dev/zero | tr "\\0" z; echo "$A_TOKEN"'));
    expect(stdout.length).toBe(5_000_000 + '[secret A_TOKEN]\n'.length);
  });

  it('waits for nobody who keeps the pipe open, and hides what that one says later', async () => {
    execFileSync('mkfifo', [room.path('wait')]);
    const late = `setsid sh -c 'printf " correct-"; read _ <wait; printf "horse-battery-staple late"' &`;
    const one = spec(`${late} until [ -s "$LOG" ]; do :; done`, {
      cwd: room.dir,
      env: { ...knows.env, LOG: room.path('logs 1/stdout.log') },
    });
    expect(await runner.start(one).exit).toEqual(exited(0));
    expect(text(one.stdoutFile)).toBe(' ');
    writeFileSync(room.path('wait'), 'go\n');
    await until('the rest is there', () => text(one.stdoutFile).endsWith('late'));
    expect(text(one.stdoutFile)).toBe(' [secret A_TOKEN] late');
  });

  it('ends with the command: nothing of the scribe is left', async () => {
    await finish(runner, spec('echo "$A_TOKEN"'));
    const [scribe] = scribes();
    await runner.close();
    await until('it is gone', () => !alive(scribe!));
  });
});

describe('who needs no scribe', () => {
  it('has none: nothing secret among the variables', async () => {
    const { stdout } = await finish(runner, room.spec('readlink /proc/self/fd/1'));
    expect(stdout).toMatch(/logs 1\/stdout.log\n$/);
    expect(scribes()).toEqual([]);
  });

  it('is held to what it knows: another secret that it met by chance is its own business', async () => {
    const { stdout } = await finish(
      runner,
      spec(`echo ${'ZYXWVUTS87654321'.repeat(4)} $A_TOKEN`, { env: { A_TOKEN: token } }),
    );
    expect(stdout).toBe(`${'ZYXWVUTS87654321'.repeat(4)} [secret A_TOKEN]\n`);
  });
});

describe('a scribe in trouble', () => {
  it('that is killed takes the command with it, and leaves no value behind', async () => {
    const one = spec('echo "begun $A_TOKEN"; sleep 600', {});
    const running = runner.start(one);
    await until('it has begun', () => text(one.stdoutFile).includes('begun'));
    for (const pid of scribes()) process.kill(pid, 'SIGKILL');
    expect(await running.exit).toEqual(signalled('SIGKILL'));
    expect(text(one.stdoutFile)).toBe('begun [secret A_TOKEN]\n');
    expect(text(one.stderrFile)).toContain('the process that keeps secrets out of the logs was lost');
    // The next command gets another.
    expect((await finish(runner, spec('echo "$A_TOKEN"'))).stdout).toBe('[secret A_TOKEN]\n');
  });

  it('is deaf to what is meant for commands', async () => {
    const one = spec('echo "begun $A_TOKEN"; read _ <wait; echo done', { cwd: room.dir });
    execFileSync('mkfifo', [room.path('wait')]);
    const running = runner.start(one);
    await until('it has begun', () => text(one.stdoutFile).includes('begun'));
    for (const pid of scribes()) for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.kill(pid, signal);
    writeFileSync(room.path('wait'), 'go\n');
    expect(await running.exit).toEqual(exited(0));
    expect(text(one.stdoutFile)).toBe('begun [secret A_TOKEN]\ndone\n');
  });

  it('refuses a log that is something else, and starts nothing', async () => {
    const [link, pipe] = [spec('touch ran'), spec('touch ran')];
    symlinkSync(room.path('elsewhere'), link.stdoutFile);
    execFileSync('mkfifo', [pipe.stderrFile]);
    for (const one of [link, pipe]) expect((await runner.start(one).exit).kind).toBe('not-started');
    expect(text(room.path('elsewhere'))).toBe('');
    const folder = spec('touch ran');
    mkdirSync(folder.stderrFile);
    expect((await runner.start(folder).exit).kind).toBe('not-started');
  });

  it('without a place for its pipes lets nothing begin', async () => {
    const homeless = hidingRunner({ commands: warden(), secrets, env: { ...env, TMPDIR: room.path('nowhere') } });
    const one = spec('touch ran', { cwd: room.dir });
    const { exit } = await finish(homeless, one);
    expect(exit).toMatchObject({ kind: 'not-started', failure: { code: 'command-not-started' } });
    expect(readdirSync(room.dir)).not.toContain('ran');
    await homeless.close();
  });

  it('tells a full disk', async (context) => {
    const why = whyNoSmallDisk();
    if (why) return context.skip(why);
    const disk = await SmallDisk.mount(room.path('disk'), 100_000);
    try {
      const one = spec('cat /dev/zero', { stdoutFile: `${disk.root}${room.path('disk/stdout.log')}` });
      const exit = await runner.start(one).exit;
      expect(exit).toEqual({ kind: 'not-started', failure: { code: 'disk-full', file: one.stdoutFile } });
    } finally {
      disk.close();
    }
  });

  it('takes no more than was agreed', async () => {
    const one = spec('yes', { mostLogBytes: 100_000 });
    const exit = await runner.start(one).exit;
    // No shell stands between that would make a number of it.
    expect(exit).toEqual(signalled('SIGPIPE'));
    expect(readFileSync(one.stdoutFile).length).toBeLessThan(400_000);
  });

  it('hears of a stop before it is ready', async () => {
    const one = spec('touch ran; sleep 600', { cwd: room.dir });
    const running = runner.start(one);
    running.stop();
    expect(await running.exit).toEqual(signalled('SIGTERM'));
  });
});
