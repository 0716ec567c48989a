import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { askProgram, type ProgramQuestion } from '../../src/adapters/process/ask-program.js';
import { until } from '../support/until.js';

const dir = mkdtempSync(join(tmpdir(), 'ask-'));
afterAll(() => rmSync(dir, { recursive: true, force: true }));

const shell = (script: string, more: Partial<ProgramQuestion> = {}) =>
  askProgram({
    ...{ program: '/bin/sh', args: ['-c', script], cwd: dir, env: { PATH: process.env.PATH } },
    ...{ timeoutMs: 60_000, mostBytes: 1000, rest: 'ends' as const },
    ...more,
  });

const isAlive = (file: string): boolean => {
  try {
    return !/^\d+ \(.*\) [ZX]/s.test(
      readFileSync(`/proc/${readFileSync(join(dir, file), 'utf8').trim()}/stat`, 'utf8'),
    );
  } catch {
    return false;
  }
};

/** In the same group, with the pipes open, and deaf to the usual signals. */
const straggler = (file: string): string => `(trap '' TERM HUP INT; exec sleep 1000) & echo $! > ${file}`;

describe('a program that is asked', () => {
  it('is heard: what it printed, what it was given, how it ended', async () => {
    expect(await shell('cat; echo no >&2; exit 3', { stdin: 'in\n' })).toEqual({
      ...{ kind: 'exited', exitCode: 3, stdout: 'in\n', stderr: 'no\n', isCut: false },
    });
    expect(await shell('kill -9 $$')).toMatchObject({ kind: 'killed', signal: 'SIGKILL' });
  });

  it('sees nothing that it was not given', async () => {
    process.env.NOT_FOR_ALL = 'x';
    const answer = await shell('env', { env: { PATH: process.env.PATH, GIVEN: '1' } });
    delete process.env.NOT_FOR_ALL;
    expect(answer).toMatchObject({ stdout: expect.stringContaining('GIVEN=1') });
    expect(answer).not.toMatchObject({ stdout: expect.stringContaining('NOT_FOR_ALL') });
  });

  it('may leave its input unread', async () => {
    expect(await shell('exit 0', { stdin: 'x'.repeat(1 << 20) })).toMatchObject({ kind: 'exited', exitCode: 0 });
  });

  it('that is not there is missing; one that may not run is not', async () => {
    expect(await shell('', { program: 'no-such-program' })).toEqual({
      ...{ kind: 'not-started', isMissing: true, detail: 'spawn no-such-program ENOENT' },
    });
    expect(await shell('', { program: dir })).toMatchObject({ kind: 'not-started', isMissing: false });
  });

  it('that says too much is cut, and told to be', async () => {
    const answer = await shell('head -c 100000 /dev/zero | tr "\\0" x; echo end');
    expect(answer).toMatchObject({ kind: 'exited', exitCode: 0, isCut: true });
    expect(answer.kind === 'exited' && answer.stdout.length).toBeLessThanOrEqual(1000);
  });

  it('that does not answer is ended, with all that it started', async () => {
    const answer = await shell(`${straggler('late')}; trap '' TERM; while :; do sleep 1; done`, { timeoutMs: 300 });
    expect(answer).toMatchObject({ kind: 'timed-out', afterMs: 300 });
    await until(() => !isAlive('late'));
  });

  it('does not keep anybody waiting by what it leaves behind, which ends with it or stays', async () => {
    expect(await shell(`${straggler('goes')}; echo said`)).toMatchObject({ kind: 'exited', stdout: 'said\n' });
    await until(() => !isAlive('goes'));
    expect(await shell(`${straggler('stays')}; echo said`, { rest: 'stays' })).toMatchObject({ stdout: 'said\n' });
    expect(existsSync(join(dir, 'stays'))).toBe(true);
    expect(isAlive('stays')).toBe(true);
    process.kill(Number(readFileSync(join(dir, 'stays'), 'utf8')), 'SIGKILL');
  });
});
