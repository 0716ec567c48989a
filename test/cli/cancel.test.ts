import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openRunStore } from '../../src/adapters/journal/run-store.js';
import { type Holder, recordOf } from '../../src/adapters/lock/lock-file.js';
import { knownProcess } from '../../src/adapters/process/known-process.js';
import { cancel } from '../../src/cli/commands/cancel.js';
import { FailureError } from '../../src/model/failure.js';
import { FakeClock } from '../support/fake-clock.js';
import { settle } from '../support/run-rig.js';

let root: string;
const clock = new FakeClock();
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'cancel-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const holder: Holder = {
  host: 'elsewhere',
  space: 'another boot',
  pid: 4711,
  started: '1',
  since: '2026-01-01T00:00:00.000Z',
  token: 'a'.repeat(16),
  run: '3-k2xw',
};

/** Starts a cancel of the run of another host, and says what it has said so far. */
function ask(now: boolean) {
  const store = openRunStore(root, 'default');
  const said = { out: '', err: '' };
  const say = (text: string): void => {
    said.out += text;
  };
  const complain = (text: string): void => {
    said.err += text;
  };
  return { store, said, code: cancel(store, { now, clock, say, complain }) };
}

async function pass(ms: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += 200) {
    await settle();
    clock.advance(200);
  }
  await settle();
}

describe('cancel --now of a run that hears nothing', () => {
  const lockOf = (child: ChildProcess): Holder => ({ ...holder, ...knownProcess(child.pid!) });

  it('kills it in the end, and without --now waits', async () => {
    const child = spawn('sh', ['-c', 'trap "" TERM; echo deaf; while :; do sleep 0.05; done'], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    await once(child.stdout!, 'data');
    const { dir } = openRunStore(root, 'default');
    mkdirSync(dir, { recursive: true });
    writeFileSync(join(dir, 'lock'), recordOf(lockOf(child)));
    void ask(false);
    await pass(30_000);
    expect(child.exitCode ?? child.signalCode).toBeNull();
    const { code } = ask(true);
    await pass(9_000);
    expect(child.signalCode).toBeNull();
    const end = once(child, 'exit');
    await pass(2_000);
    expect(await end).toEqual([null, 'SIGKILL']);
    await pass(400);
    expect(await code).toBe(0);
  });
});

describe('cancel of a run on another host', () => {
  beforeEach(() => {
    const { dir } = openRunStore(root, 'default');
    mkdirSync(dir, { recursive: true });
    writeFileSync(join(dir, 'lock'), recordOf(holder));
  });

  it('gives up after a minute, takes its request back and says what to do', async () => {
    const { store, said, code } = ask(true);
    await pass(1000);
    expect(readdirSync(store.dir).sort()).toEqual(['cancel', 'lock']);
    expect(JSON.parse(readFileSync(join(store.dir, 'cancel'), 'utf8'))).toEqual({ token: holder.token, now: true });
    await pass(60_000);
    expect(await code).toBe(1);
    expect(said).toEqual({
      out: 'Asked run 3-k2xw, process 4711 on elsewhere, since 2026-01-01T00:00:00.000Z to end at once; waiting until it is gone.\n',
      err:
        'run 3-k2xw, process 4711 on elsewhere, since 2026-01-01T00:00:00.000Z did not stop within 60 s.\n' +
        'Look on elsewhere whether it still lives; if it is surely gone: autoresearch unlock --force\n',
    });
    expect(readdirSync(store.dir)).toEqual(['lock']);
  });

  it('is done when the lock is gone, or is that of another', async () => {
    const { store, said, code } = ask(false);
    await pass(1000);
    writeFileSync(join(store.dir, 'lock'), recordOf({ ...holder, token: 'b'.repeat(16), run: '4-aaaa' }));
    await pass(400);
    expect(await code).toBe(0);
    expect(said.err).toBe('');
    expect(said.out).toMatch(/to stop; waiting for what it runs to end\.\nThe run was stopped before it had begun/);
  });

  it('does not guess who holds a lock that cannot be read', async () => {
    writeFileSync(join(openRunStore(root, 'default').dir, 'lock'), 'garbage');
    const failure = await ask(false).code.catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(FailureError);
    expect((failure as FailureError).failure).toMatchObject({ code: 'locked' });
  });
});
