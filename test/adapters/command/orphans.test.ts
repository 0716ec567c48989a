import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createCommandRunner, newRunnerId } from '../../../src/adapters/command/command-runner.js';
import { markerName } from '../../../src/adapters/command/environment.js';
import { endOrphans, type OrphanTraces } from '../../../src/adapters/command/orphans.js';
import { readTraces } from '../../../src/adapters/command/process-trace.js';
import { groupOf, type KnownProcess, knownProcess } from '../../../src/adapters/process/known-process.js';
import { alive, childrenOf, gone, Room, StoppedClock, text, until } from './room.js';

const folder = mkdtempSync(join(tmpdir(), 'orphans-'));
const driver = join(folder, 'driver.mjs');
const started: ChildProcess[] = [];
let room: Room;

beforeAll(() => {
  buildSync({
    entryPoints: [fileURLToPath(new URL('driver.ts', import.meta.url))],
    bundle: true,
    platform: 'node',
    format: 'esm',
    outfile: driver,
    external: ['execa'],
  });
});
beforeEach(() => {
  room = new Room();
});
afterEach(() => {
  for (const child of started.splice(0)) child.kill('SIGKILL');
  for (const pid of strays.splice(0)) if (alive(pid)) process.kill(pid, 'SIGKILL');
  room.remove();
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const strays: number[] = [];
/** A process that nobody here is a parent of any more, in a group of its own. */
const stray = async (env: Record<string, string> = {}): Promise<number> => {
  const child = spawn('sh', ['-c', 'setsid sleep 600 & echo $!'], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  let said = '';
  child.stdout.on('data', (chunk) => {
    said += String(chunk);
  });
  await until('its parent is gone', () => said.endsWith('\n') && !alive(child.pid!));
  const pid = Number(said);
  strays.push(pid);
  await until('it has a group', () => knownProcess(pid).started !== '' && groupOf(pid) === pid);
  return pid;
};
const by = (runners: readonly string[], processes: readonly KnownProcess[]): OrphanTraces => ({
  runners: new Set(runners),
  processes,
});
const pidIn = (name: string): number => Number(text(room.path(name)));

describe('endOrphans', () => {
  it('ends what is left of a runner that was killed together with its helper', async () => {
    const runner = newRunnerId();
    const commands = [
      'setsid sh -c "echo \\$\\$ > apart; exec sleep 600" & echo $$ > first; wait',
      'echo $$ > bare; exec env -i /bin/sh -c "/bin/sleep 600 & echo \\$! > below; wait"',
    ];
    const child = spawn(process.execPath, [driver, room.dir, 'wait', ...commands], {
      env: { ...process.env, TEST_RUNNER: runner },
      stdio: 'ignore',
    });
    started.push(child);
    await until('both are traced', () => text(room.path('processes.jsonl')).split('\n').length === 3);
    await until('all have begun', () => pidIn('apart') > 0 && pidIn('below') > 0);
    const [helper] = childrenOf(child.pid!);
    // Halted first, so that neither can do anything about the end of the other.
    process.kill(helper!, 'SIGSTOP');
    child.kill('SIGKILL');
    process.kill(helper!, 'SIGKILL');
    await until('both are gone', () => !alive(child.pid!) && !alive(helper!));
    const left = ['apart', 'first', 'bare', 'below'].map(pidIn);
    expect(left.map(alive)).toEqual([true, true, true, true]);
    expect(await endOrphans(by([runner], readTraces([room.dir, room.path('nowhere')])))).toBe(4);
    await gone(left, 4);
    expect(await endOrphans(by([runner], readTraces([room.dir])))).toBe(0);
  });

  it('ends what left its group and cleared its environment, by the logs that it still prints to', async () => {
    const logs = room.path('logs');
    mkdirSync(join(logs, 'a/1'), { recursive: true });
    mkdirSync(`${logs}-of-others`);
    const pidOf = (name: string): number => Number(text(room.path(name)));
    const hide = (name: string, to: string): string =>
      `env -i setsid /bin/sh -c 'echo $$ > ${room.path(name)}; exec /bin/sleep 600' ${to} &`;
    const shell = [
      hide('out', `> ${logs}/a/1/stdout.log 2> /dev/null`),
      hide('err', `> /dev/null 2>> ${logs}/a/1/stderr.log`),
      hide('other', `> ${logs}-of-others/x 2>&1`),
      // Who only reads a log does no harm.
      hide('reader', `< ${logs}/a/1/stdout.log > /dev/null 2>&1`),
    ];
    writeFileSync(join(logs, 'a/1/stdout.log'), '');
    const child = spawn('sh', ['-c', shell.join('\n')], { stdio: 'ignore' });
    const names = ['out', 'err', 'other', 'reader'];
    await until(
      'all have begun, and nobody is their parent',
      () => names.every((name) => pidOf(name) > 0) && !alive(child.pid!),
    );
    strays.push(...names.map(pidOf));
    expect(await endOrphans({ ...by([newRunnerId()], []), logs })).toBe(2);
    await gone([pidOf('out'), pidOf('err')], 2);
    expect([alive(pidOf('other')), alive(pidOf('reader'))]).toEqual([true, true]);
  });

  it('spares every process that is not the very one', async () => {
    const pid = await stray();
    const it = knownProcess(pid);
    const near = newRunnerId();
    const other = await stray({ [markerName]: `${newRunnerId()}.1,` });
    const told = [
      { ...it, started: '1' },
      { ...it, started: '' },
      { ...it, host: 'elsewhere' },
      { ...it, space: 'another boot' },
      knownProcess(process.pid),
      knownProcess(process.ppid),
    ];
    expect(await endOrphans(by([near], told))).toBe(0);
    expect(await endOrphans(by([], []))).toBe(0);
    expect(alive(pid) && alive(other)).toBe(true);
    expect(await endOrphans(by([], [it]))).toBe(1);
    await gone([pid], 1);
  });

  it('spares whoever started us and what we started, although a marker says otherwise', async () => {
    const runner = newRunnerId();
    const child = spawn('sleep', ['600'], { env: { ...process.env, [markerName]: `${runner}.7,` } });
    started.push(child);
    // Our own child: it belongs to this run, not to the one before.
    expect(await endOrphans(by([runner], []))).toBe(0);
    expect(alive(child.pid!)).toBe(true);
    const nested = await stray({ [markerName]: `outer.1,${runner}.8,inner.2,` });
    expect(await endOrphans(by([runner], []))).toBe(1);
    await gone([nested], 1);
    expect(alive(child.pid!)).toBe(true);
  });
});

describe('traces', () => {
  it('only a command that lives for a second leaves one', async () => {
    const clock = new StoppedClock();
    const runner = createCommandRunner({ clock, env: process.env, maxSlots: 2 });
    try {
      const short = room.spec('true');
      await runner.start(short).exit;
      clock.advance(1000);
      const long = room.spec('echo $$; sleep 600');
      const before = clock.pending;
      const command = runner.start(long);
      await until('it runs', () => text(long.stdoutFile).endsWith('\n'));
      // What it says may be there before the word that it has begun.
      await until('its start is known', () => clock.pending > before);
      clock.advance(999);
      const logs = [short, long].map(({ stdoutFile }) => join(stdoutFile, '..'));
      expect(readTraces(logs)).toEqual([]);
      clock.advance(1);
      expect(readTraces(logs)).toEqual([knownProcess(Number(text(long.stdoutFile)))]);
      command.kill();
      await command.exit;
    } finally {
      await runner.close();
    }
  });

  it('what is not a trace is passed over', () => {
    const good = knownProcess(process.pid);
    const lines = ['garbage', '{}', JSON.stringify({ ...good, pid: 1 }), JSON.stringify(good), '{"pid":'];
    writeFileSync(room.path('processes.jsonl'), lines.join('\n'));
    expect(readTraces([room.dir])).toEqual([good]);
  });
});
