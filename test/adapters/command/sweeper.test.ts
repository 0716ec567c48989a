import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { afterEach, describe, expect, it } from 'vitest';
import { markerName } from '../../../src/adapters/command/environment.js';
import { Sweeper } from '../../../src/adapters/command/sweeper.js';

const children: ChildProcess[] = [];
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});

/** A process that descends from a command of the runner, or from nobody. */
function start(runner?: string): { readonly end: Promise<string | null>; readonly child: ChildProcess } {
  const marker = runner === undefined ? {} : { [markerName]: `${runner}.1,` };
  const env = { PATH: process.env.PATH, ...marker };
  const child = spawn('sleep', ['600'], { env, stdio: 'ignore', detached: true });
  children.push(child);
  return { child, end: new Promise((resolve) => child.on('exit', (_code, signal) => resolve(signal))) };
}

const newRunner = (): string => randomBytes(6).toString('hex');

describe.runIf(process.platform === 'linux')('the last sweep of a runner', () => {
  it('ends what descends from its commands and leaves strangers alone', async () => {
    const runner = newRunner();
    const [ours, other, stranger] = [start(runner), start(newRunner()), start()];
    await new Sweeper().sweepLast(runner);
    expect(await ours.end).toBe('SIGKILL');
    expect([other.child.exitCode, other.child.signalCode]).toEqual([null, null]);
    expect([stranger.child.exitCode, stranger.child.signalCode]).toEqual([null, null]);
  });

  it('finds who was born after the first look, among all the strangers that are looked at only once', async () => {
    const runner = newRunner();
    const swept = new Sweeper().sweepLast(runner);
    // The first look comes before this in the same round of the loop.
    const late = await new Promise<ReturnType<typeof start>>((resolve) => setImmediate(() => resolve(start(runner))));
    await swept;
    expect(await late.end).toBe('SIGKILL');
  });
});
