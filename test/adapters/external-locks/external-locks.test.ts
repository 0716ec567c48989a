import { execFileSync, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ExternalLockOptions, takeExternalLocks } from '../../../src/adapters/external-locks/external-locks.js';
import { machineLocks } from '../../../src/adapters/external-locks/external-locks-folder.js';
import { type Holder, recordOf } from '../../../src/adapters/lock/lock-file.js';
import { knownProcess } from '../../../src/adapters/process/known-process.js';
import { systemClock } from '../../../src/adapters/system-clock.js';
import { FailureError } from '../../../src/model/failure.js';
import { FakeClock } from '../../support/fake-clock.js';
import { until } from '../../support/until.js';

let dir: string;
let root: string;
let locks: string;
let stop: AbortController;
let waits: string[];
const releases: (() => void)[] = [];

beforeEach(() => {
  dir = realpathSync(mkdtempSync(join(tmpdir(), 'external-')));
  root = join(dir, 'project');
  locks = join(dir, 'locks');
  for (const name of ['project', 'repo', 'other']) mkdirSync(join(dir, name));
  stop = new AbortController();
  waits = [];
});
afterEach(() => {
  stop.abort('SIGTERM');
  for (const release of releases.splice(0)) release();
  rmSync(dir, { recursive: true, force: true });
});

const take = async (paths: readonly string[], more: Partial<ExternalLockOptions> = {}): Promise<() => void> => {
  const release = await takeExternalLocks(paths, {
    root,
    holder: { run: '3-k2xw', task: 'train' },
    signal: stop.signal,
    clock: systemClock,
    onWait: (words) => waits.push(words),
    locks,
    ...more,
  });
  releases.push(release);
  return release;
};
const failureOf = async (promise: Promise<unknown>): Promise<unknown> => {
  try {
    await promise;
  } catch (error) {
    if (error instanceof FailureError) return error.failure;
    throw error;
  }
  return 'no failure';
};
const fileOf = (folder: string): string =>
  join(locks, `${createHash('sha256').update(folder).digest('hex').slice(0, 32)}.lock`);
const repo = (): string => join(dir, 'repo');
const plant = (content: string | Buffer, secondsAgo = 0): string => {
  const file = fileOf(repo());
  if (!existsSync(locks)) mkdirSync(locks);
  writeFileSync(file, content);
  const then = Date.now() / 1000 - secondsAgo;
  utimesSync(file, then, then);
  return file;
};
const record = (holder: Partial<Holder> & { task?: string; project?: string } = {}): Buffer =>
  recordOf({ ...knownProcess(process.pid), since: '2026-01-01T00:00:00.000Z', token: 'a'.repeat(16), ...holder });
const isWaiting = async (wait: Promise<unknown>): Promise<void> => {
  await until(() => waits.length > 0);
  expect(await Promise.race([wait.then(() => 'got'), pauseMs(60)])).toBe('still waiting');
};
const pauseMs = (ms: number): Promise<string> => new Promise((done) => setTimeout(() => done('still waiting'), ms));

describe('takeExternalLocks', () => {
  it('holds, says who does, and leaves nothing behind', async () => {
    const release = await take(['../repo', join(dir, 'other')]);
    expect(readdirSync(locks)).toHaveLength(2);
    const { since, ...said } = JSON.parse(readFileSync(fileOf(repo()), 'utf8'));
    expect(said).toMatchObject({
      ...knownProcess(process.pid),
      run: '3-k2xw',
      task: 'train',
      project: root,
      folder: repo(),
    });
    const second = take(['../repo']);
    await isWaiting(second);
    expect(waits).toEqual([
      `${repo()} is held by task train of run 3-k2xw in ${root}, process ${process.pid} on ${hostname()}, since ${since}`,
    ]);
    release();
    (await second)();
    expect(readdirSync(locks)).toEqual([]);
  });

  it('nothing to hold needs no folder', async () => {
    (await take([]))();
    expect(existsSync(locks)).toBe(false);
  });

  it('two names of one folder are one lock', async () => {
    symlinkSync(repo(), join(root, 'alias'));
    const release = await take(['alias', '../repo', '../repo/', join(dir, 'other/../repo')]);
    expect(readdirSync(locks)).toHaveLength(1);
    const second = take([repo()]);
    await isWaiting(second);
    release();
    await second;
  });

  it('releasing twice does not free what another has taken since', async () => {
    const release = await take([repo()]);
    release();
    await take([repo()]);
    release();
    await isWaiting(take([repo()]).catch(() => {}));
  });

  it('a release does not remove the lock of whoever came after a loss', async () => {
    const release = await take([repo()]);
    rmSync(fileOf(repo()));
    await take([repo()]);
    release();
    expect(existsSync(fileOf(repo()))).toBe(true);
  });

  it('tells of a loss once, at the next sign of life', async () => {
    const clock = new FakeClock();
    const lost: string[] = [];
    const release = await take([repo()], { clock, onLost: (folder) => lost.push(folder) });
    clock.advance(10_000);
    expect(lost).toEqual([]);
    rmSync(fileOf(repo()));
    clock.advance(60_000);
    expect(lost).toEqual([repo()]);
    release();
    expect(clock.pending).toBe(0);
  });

  it('gives signs of life, which also mend what somebody scribbled over', async () => {
    const clock = new FakeClock();
    await take([repo()], { clock });
    plant('scribble', 100_000);
    clock.advance(10_000);
    expect(JSON.parse(readFileSync(fileOf(repo()), 'utf8'))).toMatchObject({ task: 'train' });
    expect(Date.now() - lstatSync(fileOf(repo())).mtimeMs).toBeLessThan(60_000);
  });

  it.each([
    ['../nowhere', 'there is no such folder'],
    ['../file', 'it is not a folder'],
  ])('cannot hold %s', async (path, why) => {
    writeFileSync(join(dir, 'file'), '');
    expect(await failureOf(take([repo(), path]))).toEqual({
      code: 'behaviour-failed',
      detail: `cannot hold ${path} (${join(root, path)}): ${why}`,
    });
    expect(existsSync(locks) ? readdirSync(locks) : []).toEqual([]);
  });

  it('a stop while it waits leaves nothing held', async () => {
    await take([repo()]);
    const waiting = take([join(dir, 'other'), repo()]);
    await until(() => waits.length > 0);
    expect(existsSync(fileOf(join(dir, 'other')))).toBe(true);
    stop.abort('SIGINT');
    expect(await failureOf(waiting)).toEqual({ code: 'cancelled', signal: 'SIGINT' });
    expect(readdirSync(locks)).toHaveLength(1);
    expect(await failureOf(take([join(dir, 'other')]))).toEqual({ code: 'cancelled', signal: 'SIGINT' });
    expect(readdirSync(locks)).toHaveLength(1);
  });

  it('very long and odd names do not make a lock that nobody can read', async () => {
    const holder = { run: '\u0001'.repeat(5000), task: '\ud800'.repeat(5000) };
    await take([repo()], { holder });
    await isWaiting(take([repo()]).catch(() => {}));
    expect(waits[0]).toContain(`process ${process.pid}`);
    expect(waits[0]).not.toMatch(/[\u0000-\u001f]/);
  });
});

describe('locks that others left', () => {
  it('a pid that another process has now is not the holder', async () => {
    plant(record({ started: '1' }));
    await take([repo()]);
    expect(readdirSync(locks)).toHaveLength(1);
  });

  it('a halted holder is alive however long it is silent', async () => {
    const child = spawn('sleep', ['60']);
    try {
      child.kill('SIGSTOP');
      plant(record(knownProcess(child.pid!)), 100_000);
      await isWaiting(take([repo()]).catch(() => {}));
    } finally {
      child.kill('SIGKILL');
    }
  });

  it.each([
    ['garbage', 'garbage'],
    ['nothing', ''],
    ['half a record', '{"host":"x","pid":'],
    ['process 1', JSON.stringify({ ...knownProcess(1), since: '', token: 'a'.repeat(16) })],
    ['a list', '[]'],
    ['a megabyte', 'x'.repeat(1 << 20)],
  ])('%s is waited for while it is new and taken over when it is old', async (_name, content) => {
    const file = plant(content);
    const waiting = take([repo()]);
    await isWaiting(waiting);
    expect(waits[0]).toBe(`${repo()} is held by an unknown process, because ${file} cannot be read`);
    utimesSync(file, 1, 1);
    await waiting;
    expect(readdirSync(locks)).toHaveLength(1);
  });

  it('a holder in another namespace of pids lives as long as its heart beats', async () => {
    const file = plant(record({ space: 'a sandbox', pid: 1_999_999 }));
    const waiting = take([repo()]);
    await isWaiting(waiting);
    utimesSync(file, 1, 1);
    await waiting;
  });

  it('what it says of itself cannot steer a terminal', async () => {
    plant(record({ run: '\u001b[2Jrun', task: 'a\nb\u202e', project: '\u0007' }));
    await isWaiting(take([repo()]).catch(() => {}));
    expect(waits[0]).toContain('task a?b? of run ?[2Jrun in ?, process');
  });

  it.each([
    ['a pipe', (file: string) => void execFileSync('mkfifo', [file])],
    ['a dangling link', (file: string) => symlinkSync('/nowhere/at/all', file)],
    ['a link to an endless file', (file: string) => symlinkSync('/dev/zero', file)],
    ['a folder', (file: string) => mkdirSync(file)],
  ])('%s in the place of a lock is refused and does not hang', async (_name, make) => {
    mkdirSync(locks);
    make(fileOf(repo()));
    const refusal = { code: 'not-writable', file: fileOf(repo()), detail: expect.stringContaining('is none') };
    expect(await failureOf(take([repo()]))).toEqual(refusal);
    await take([join(dir, 'other')]);
  });

  it('a pipe that would follow a dead lock does not hang either', async () => {
    const file = plant(record({ started: '1' }));
    execFileSync('mkfifo', [`${file}.after-${'a'.repeat(16)}`]);
    expect(await failureOf(take([repo()]))).toMatchObject({ code: 'not-writable' });
  });
});

describe('the folder of the locks', () => {
  it('is one for all users and all runs', () => {
    expect(machineLocks).toBe('/tmp/autoresearch-locks');
  });

  it('is open to everybody and sticky, whatever the umask; so are its locks to readers', async () => {
    const umask = process.umask(0o077);
    try {
      await take([repo()]);
    } finally {
      process.umask(umask);
    }
    expect(lstatSync(locks).mode & 0o7777).toBe(0o1777);
    expect(lstatSync(fileOf(repo())).mode & 0o777).toBe(0o644);
    expect(readdirSync(dir).sort()).toEqual(['locks', 'other', 'project', 'repo']);
  });

  it('a link in its place is refused, and nothing is written where it leads', async () => {
    const victim = join(dir, 'victim');
    mkdirSync(victim);
    symlinkSync(victim, locks);
    const detail = expect.stringContaining('is a link');
    expect(await failureOf(take([repo()]))).toEqual({ code: 'not-writable', file: locks, detail });
    expect(readdirSync(victim)).toEqual([]);
  });

  it('a dangling link and a file in its place are refused', async () => {
    symlinkSync(join(dir, 'victim'), locks);
    expect(await failureOf(take([repo()]))).toMatchObject({ code: 'not-writable', file: locks });
    expect(existsSync(join(dir, 'victim'))).toBe(false);
    rmSync(locks);
    writeFileSync(locks, '');
    expect(await failureOf(take([repo()]))).toMatchObject({ code: 'not-writable', detail: 'it is not a folder' });
  });

  it('one in which others could remove our locks is refused', async () => {
    mkdirSync(locks);
    chmodSync(locks, 0o777);
    const detail = expect.stringContaining('1777');
    expect(await failureOf(take([repo()]))).toEqual({ code: 'not-writable', file: locks, detail });
  });
});
