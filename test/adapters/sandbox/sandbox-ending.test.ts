import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import type { RunningCommand } from '../../../src/model/ports.js';
import { Driver } from '../../support/driver.js';
import { until } from '../../support/until.js';
import { bwrap, runnerOf, SandboxRig } from './sandbox-rig.js';

const textOf = (file: string): string => {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
};

/** Everything that was started for the rig, wherever it has gone; zombies have no environment any more. */
const left = ({ home }: SandboxRig): number[] =>
  readdirSync('/proc')
    .map(Number)
    .filter((pid) => pid > 0 && textOf(`/proc/${pid}/environ`).includes(`HOME=${home}\0`));

const deaf = `setsid sh -c 'trap "" INT TERM HUP; echo ready; while :; do sleep 0.01; done'`;

describe.skipIf(bwrap === undefined).each(['warden', 'direct'] as const)('ending a fenced command (%s)', (kind) => {
  const runner = runnerOf(kind);
  const hasty = runnerOf(kind, 300);
  const rigs: SandboxRig[] = [];
  const newRig = (): SandboxRig => {
    const rig = new SandboxRig(runner);
    rigs.push(rig);
    return rig;
  };
  afterEach(() => {
    for (const rig of rigs.splice(0)) rig.remove();
  });
  afterAll(async () => {
    await Promise.all([runner.close(), hasty.close()]);
  });

  const start = async (run: string, own: { stopSignal?: 'SIGINT'; impatient?: boolean } = {}) => {
    const rig = newRig();
    const { impatient = false, ...more } = own;
    const { spec, release } = rig.fenced(rig.spec(run, more));
    const command: RunningCommand = (impatient ? hasty : runner).start(spec);
    await until(() => textOf(spec.stdoutFile).includes('ready'));
    return { rig, command, release, said: () => textOf(spec.stdoutFile) };
  };

  it('passes the exit code on, and a signal as the number that shells use', async () => {
    const rig = newRig();
    expect((await rig.run('exit 7')).exit).toEqual({ kind: 'exited', exitCode: 7 });
    expect((await rig.run(['/bin/sh', '-c', 'kill -SEGV $$'])).exit).toEqual({ kind: 'exited', exitCode: 139 });
    expect((await rig.run('-weird')).exit).toEqual({ kind: 'exited', exitCode: 127 });
  });

  it('leaves nothing behind after an ordinary end, sessions of their own included', async () => {
    const rig = newRig();
    const { exit } = await rig.run(`${deaf} & setsid setsid sleep 1000 & until pidof sleep; do :; done; exit 3`);
    expect(exit).toEqual({ kind: 'exited', exitCode: 3 });
    await until(() => left(rig).length === 0);
  });

  it.each(['SIGTERM', 'SIGINT'] as const)('gives the program its time after %s', async (signal) => {
    const script = `trap 'sleep 0.2; echo saved >src/saved; exit 0' ${signal.slice(3)}; echo ready; while :; do sleep 0.01; done`;
    const own = signal === 'SIGINT' ? { stopSignal: signal } : {};
    const { rig, command, release } = await start(script, own);
    command.stop();
    expect(await command.exit).toEqual({ kind: 'signalled', signal });
    release();
    expect(rig.read('project/src/saved')).toBe('saved\n');
    await until(() => left(rig).length === 0);
  });

  it.each(['stop', 'kill'] as const)('ends those that do not listen, in whatever session: %s', async (how) => {
    const { rig, command, release } = await start(`trap '' TERM INT; ${deaf} & wait; wait`, { impatient: true });
    expect(left(rig).length).toBeGreaterThan(2);
    command[how]();
    expect(['signalled']).toContain((await command.exit).kind);
    release();
    await until(() => left(rig).length === 0);
  });

  it('ends with the runner that is closed', async () => {
    const own = runnerOf(kind, 300);
    const rig = newRig();
    const { spec, release } = rig.fenced(rig.spec(`${deaf} & wait`));
    const command = own.start(spec);
    await until(() => textOf(spec.stdoutFile).includes('ready'));
    await own.close();
    expect((await command.exit).kind).toBe('signalled');
    release();
    await until(() => left(rig).length === 0);
  });
});

describe.skipIf(bwrap === undefined)('a runner that is killed', () => {
  const driver = new Driver(fileURLToPath(new URL('../command/driver.ts', import.meta.url)));
  afterAll(() => driver.close());

  it('takes its fenced commands along', async () => {
    const rig = new SandboxRig(idle);
    const { spec, release } = rig.fenced(rig.spec(`${deaf} & wait`));
    const words = (spec.run as readonly string[]).map((word) => `'${word.replaceAll("'", `'\\''`)}'`);
    const child = driver.start([rig.base, 'wait', `HOME=${rig.home} exec ${words.join(' ')}`]);
    await until(() => textOf(`${rig.base}/0.out`).includes('ready'));
    expect(left(rig).length).toBeGreaterThan(1);
    child.kill('SIGKILL');
    await until(() => left(rig).length === 0);
    release();
    rig.remove();
  });
});

const idle = runnerOf('direct');
afterAll(() => idle.close());
