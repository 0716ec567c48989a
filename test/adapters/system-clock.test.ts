import { spawn } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { knownProcess } from '../../src/adapters/process/known-process.js';
import { systemClock } from '../../src/adapters/system-clock.js';

const haltFor = (ms: number): void => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);

describe('a process that was halted', () => {
  it('hears first of what ended meanwhile, and then that the time is over', async () => {
    const heard: string[] = [];
    const child = spawn('sh', ['-c', 'read line; exit 0'], { stdio: ['pipe', 'ignore', 'ignore'] });
    await new Promise((resolve) => child.once('spawn', resolve));
    child.once('exit', () => heard.push('ended'));
    const over = new Promise<void>((resolve) =>
      systemClock.after(300, () => {
        heard.push('over');
        resolve();
      }),
    );
    const soon = new Promise<void>((resolve) => systemClock.after(20, resolve));
    child.stdin.end('go\n');
    // The pipe has to be written before nothing moves any more.
    await new Promise((resolve) => child.stdin.once('finish', resolve));
    haltFor(1600);
    // It has ended by now, unless the machine has much to do.
    while (knownProcess(child.pid!).started !== '') haltFor(20);
    await Promise.all([over, soon]);
    expect(heard).toEqual(['ended', 'over']);
  });

  it('a wait that was taken back is never over', async () => {
    let isOver = false;
    const cancel = systemClock.after(30, () => {
      isOver = true;
    });
    cancel();
    await new Promise<void>((resolve) => systemClock.after(60, resolve));
    expect(isOver).toBe(false);
  });
});
