import { spawn } from 'node:child_process';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { endMarked } from '../../src/adapters/agents/marked-processes.js';
import { EndedProcesses } from '../../src/adapters/process/ended-processes.js';
import { isAlive, knownProcess } from '../../src/adapters/process/known-process.js';
import { until } from '../support/until.js';

const started: number[] = [];
const really = process.kill.bind(process);
afterEach(() => {
  vi.restoreAllMocks();
  for (const pid of started.splice(0)) if (isAlive(knownProcess(pid))) really(pid, 'SIGKILL');
});

function sleeper(variables: Record<string, string> = {}): number {
  const { pid } = spawn('sleep', ['3600'], { env: { PATH: process.env.PATH, ...variables }, stdio: 'ignore' });
  started.push(pid!);
  return pid!;
}

/** Kills arrive when the test says, as they do late on a machine that has much to do. */
function lateKills(): () => void {
  const late: number[] = [];
  vi.spyOn(process, 'kill').mockImplementation((pid, signal) => {
    if (signal !== 'SIGKILL') return really(pid, signal);
    late.push(pid);
    return true;
  });
  return () => {
    for (const pid of late.splice(0)) if (pid > 0) really(pid, 'SIGKILL');
  };
}

describe('processes that were told to end', () => {
  it('are left until they are really gone', async () => {
    const deliver = lateKills();
    const ended = new EndedProcesses();
    const pid = sleeper();
    expect(ended.end(pid)).toBe(true);
    expect(ended.end(pid)).toBe(true);
    expect([ended.count, ended.someLeft()]).toEqual([1, true]);
    deliver();
    await until(() => !ended.someLeft());
    expect(ended.count).toBe(1);
  });

  it('are not waited for when they could not be told', () => {
    const ended = new EndedProcesses();
    vi.spyOn(process, 'kill').mockImplementation(() => {
      throw Object.assign(new Error('not ours'), { code: 'EPERM' });
    });
    expect(ended.end(sleeper())).toBe(false);
    expect(ended.someLeft()).toBe(false);
  });

  it('are waited for also when what they were found by is gone before they are', async () => {
    const deliver = lateKills();
    const pid = sleeper({ AR_TEST_MARK: 'mine' });
    let looks = 0;
    // From the second look on nothing shows that the process was meant; its kill arrives some looks later.
    const matches = (value: string): boolean => value === 'mine' && ++looks === 1;
    let over = false;
    const end = endMarked([], { variable: 'AR_TEST_MARK', matches }).then(() => {
      over = true;
    });
    await until(() => looks >= 4);
    expect(over).toBe(false);
    deliver();
    await end;
    // Not by a signal, which one who has ended takes as well until its parent has noticed.
    expect(knownProcess(pid).started).toBe('');
  });
});
