import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { askToCancel } from '../../../src/adapters/lock/cancel-request.js';
import type { HeldLock } from '../../../src/adapters/lock/held-lock.js';
import { type Holder, recordOf } from '../../../src/adapters/lock/lock-file.js';
import { isLocked, type LockOptions, lookAtLock, removeLock, takeLock } from '../../../src/adapters/lock/state-lock.js';
import { knownProcess } from '../../../src/adapters/process/known-process.js';
import { FailureError } from '../../../src/model/failure.js';
import { FakeClock } from '../../support/fake-clock.js';
import { until } from '../../support/until.js';

let dir: string;
let clock: FakeClock;
const held: HeldLock[] = [];

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'lock-'));
  clock = new FakeClock();
});
afterEach(() => {
  for (const lock of held.splice(0)) lock.release();
  rmSync(dir, { recursive: true, force: true });
});

const take = (options: Partial<LockOptions> = {}): HeldLock => {
  const lock = takeLock(dir, { clock, ...options });
  held.push(lock);
  return lock;
};
const file = (): string => join(dir, 'lock');
const plant = (holder: Partial<Holder> = {}, secondsAgo = 0, name = 'lock'): Holder => {
  const full = { ...knownProcess(process.pid), since: '2026-01-01T00:00:00.000Z', token: 'a'.repeat(16), ...holder };
  writeFileSync(join(dir, name), recordOf(full));
  const then = Date.now() / 1000 - secondsAgo;
  utimesSync(join(dir, name), then, then);
  return full;
};
const refusal = (act: () => unknown): unknown => {
  try {
    act();
  } catch (error) {
    if (error instanceof FailureError) return error.failure;
    throw error;
  }
  return 'not refused';
};
const gone = { started: '1' };
const elsewhere = { host: 'elsewhere', space: 'another boot', pid: 4711, run: '3-k2xw' };

describe('takeLock', () => {
  it('names its holder, and the run once it is known', () => {
    const lock = take();
    const { since, ...before } = JSON.parse(readFileSync(file(), 'utf8'));
    expect(before).toEqual({ ...knownProcess(process.pid), token: expect.stringMatching(/^[0-9a-f]{16}$/) });
    expect(Math.abs(Date.parse(since) - Date.now())).toBeLessThan(60_000);
    lock.name('3-k2xw');
    expect(JSON.parse(readFileSync(file(), 'utf8'))).toEqual({ ...before, since, run: '3-k2xw' });
    expect(refusal(take)).toEqual({
      code: 'locked',
      file: file(),
      holder: `run 3-k2xw, process ${process.pid} on ${hostname()}, since ${since}`,
    });
  });

  it('leaves nothing behind', () => {
    take().release();
    expect(refusal(() => take().release())).toBe('not refused');
    expect(readdirSync(dir)).toEqual([]);
    expect(clock.pending).toBe(0);
  });

  it('leaves nothing behind when it is refused', () => {
    take();
    refusal(take);
    expect(readdirSync(dir)).toEqual(['lock']);
  });

  it('a pid that another process has now is not the holder', () => {
    plant(gone);
    take();
    expect(readdirSync(dir)).toEqual(['lock']);
  });

  it('a zombie holds nothing', async () => {
    // The child ends when its shell has become `sleep`, which never looks.
    const script = 'sh -c "until test -e go; do sleep 0.01; done" & echo $!; exec sleep 60';
    const child = spawn('sh', ['-c', script], { cwd: dir, stdio: ['ignore', 'pipe', 'ignore'] });
    try {
      const [chunk] = (await once(child.stdout, 'data')) as [Buffer];
      const pid = Number(chunk);
      await until(() => readFileSync(`/proc/${child.pid}/comm`, 'latin1') === 'sleep\n');
      writeFileSync(join(dir, 'go'), '');
      await until(() => readFileSync(`/proc/${pid}/stat`, 'latin1').includes(') Z '));
      const started = readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ')[1]!.split(' ')[19]!;
      plant({ pid, started });
      take();
    } finally {
      child.kill('SIGKILL');
    }
  });

  it('a halted holder is alive', () => {
    const child = spawn('sleep', ['60']);
    try {
      child.kill('SIGSTOP');
      plant(knownProcess(child.pid!), 100_000);
      expect(refusal(take)).toMatchObject({ code: 'locked' });
    } finally {
      child.kill('SIGKILL');
    }
  });

  it.each([
    ['another host', elsewhere],
    ['the same host in another namespace of pids', { space: 'a sandbox', pid: 1_999_999 }],
  ])('a holder on %s lives as long as its heart beats', (_name, holder) => {
    plant(holder, 55);
    expect(refusal(take)).toMatchObject({ code: 'locked' });
    expect(isLocked(dir)).toBe(true);
    plant(holder, 65);
    expect(isLocked(dir)).toBe(true);
    take();
  });

  it('the time of the disk counts, not that of the host', () => {
    plant(elsewhere, -3600);
    expect(refusal(take)).toMatchObject({ code: 'locked' });
    expect(lookAtLock(dir)).toMatchObject({ standing: 'alive' });
    plant(elsewhere, 200);
    expect(isLocked(dir)).toBe(false);
    expect(readdirSync(dir)).toEqual(['lock']);
  });

  it.each(['garbage', '{}', '{"pid":1,"host":"x","started":"","space":"","since":"","token":"aaaaaaaaaaaaaaaa"}'])(
    'a lock that says %j is held by nobody knows whom',
    (text) => {
      writeFileSync(file(), text);
      utimesSync(file(), 0, 0);
      expect(refusal(take)).toEqual({
        code: 'locked',
        file: file(),
        holder: 'an unknown process, because the lock file cannot be read',
      });
      expect(isLocked(dir)).toBe(true);
      expect(readFileSync(file(), 'utf8')).toBe(text);
    },
  );

  it.each(['', '\0\0\0'])('a lock that the death of the machine left blank is dead after a minute (%j)', (text) => {
    writeFileSync(file(), text);
    expect(refusal(take)).toMatchObject({ code: 'locked' });
    utimesSync(file(), 0, 0);
    take();
  });

  it('takes over from one that died while it took over', () => {
    plant({ ...gone, token: 'a'.repeat(16) });
    plant({ ...gone, token: 'b'.repeat(16) }, 0, `lock.after-${'a'.repeat(16)}`);
    const lock = take();
    expect(readdirSync(dir)).toEqual(['lock']);
    expect(lock.isMine()).toBe(true);
  });

  it('one that is just taking over is the holder', () => {
    plant({ ...gone, token: 'a'.repeat(16) });
    plant({ token: 'b'.repeat(16), run: '4-aaaa' }, 0, `lock.after-${'a'.repeat(16)}`);
    expect(refusal(take)).toMatchObject({ code: 'locked', holder: expect.stringContaining('run 4-aaaa') });
  });
});

describe('a held lock', () => {
  it('gives a sign of life every ten seconds', () => {
    const lock = take();
    lock.name('3-k2xw');
    const text = readFileSync(file(), 'utf8');
    utimesSync(file(), 0, 0);
    clock.advance(9_999);
    expect(statSync(file()).mtimeMs).toBe(0);
    clock.advance(1);
    expect(Date.now() - statSync(file()).mtimeMs).toBeLessThan(60_000);
    expect(readFileSync(file(), 'utf8')).toBe(text);
  });

  it.each([
    ['was removed', () => rmSync(file())],
    ['was replaced by a copy', () => replaceFile(readFileSync(file(), 'utf8'))],
    ['is another now', () => replaceFile(recordOf({ ...plant(), token: 'c'.repeat(16) }))],
    ['was written over', () => writeFileSync(file(), 'mine!')],
  ])('is lost when the file %s, and says so once', (_name, act) => {
    let lost = 0;
    const lock = take({ onLost: () => void lost++ });
    act();
    expect(lock.isMine()).toBe(false);
    clock.advance(2_000);
    expect(lost).toBe(1);
    expect(refusal(() => lock.check())).toEqual({ code: 'lock-lost', file: file() });
    const left = readdirSync(dir).map((name) => readFileSync(join(dir, name), 'utf8'));
    clock.advance(60_000);
    lock.release();
    expect(lost).toBe(1);
    expect(readdirSync(dir).map((name) => readFileSync(join(dir, name), 'utf8'))).toEqual(left);
  });

  it('looks before it is relied on when its last look is a while ago, as after a sleep', () => {
    const sleepy = new FakeClock();
    let now = sleepy.now();
    const asleep = { now: () => now, after: sleepy.after.bind(sleepy) };
    const lock = take({ clock: asleep });
    rmSync(file());
    lock.check();
    now += 60_000;
    expect(refusal(() => lock.check())).toMatchObject({ code: 'lock-lost' });
  });

  it('leaves the loss of the whole state folder to the journal', () => {
    let lost = 0;
    const lock = take({ onLost: () => void lost++ });
    rmSync(dir, { recursive: true });
    clock.advance(20_000);
    expect(lost).toBe(0);
    lock.check();
  });

  it('hears requests that are meant for it', () => {
    const asked: boolean[] = [];
    take({ onCancel: (now) => void asked.push(now) });
    const { token } = lookAtLock(dir)!.holder!;
    askToCancel(dir, { token: 'f'.repeat(16), now: true });
    clock.advance(2_000);
    expect(asked).toEqual([]);
    askToCancel(dir, { token, now: false });
    clock.advance(2_000);
    askToCancel(dir, { token, now: true });
    clock.advance(20_000);
    expect(asked).toEqual([false, true]);
    writeFileSync(join(dir, 'cancel'), 'garbage');
    clock.advance(2_000);
    expect(asked).toEqual([false, true]);
    expect(readdirSync(dir)).toEqual(['lock']);
  });

  it('does not keep its process alive', () => {
    const code = `
      import { takeLock } from ${JSON.stringify(join(import.meta.dirname, '../../../src/adapters/lock/state-lock.ts'))};
      import { backgroundClock } from ${JSON.stringify(join(import.meta.dirname, '../../../src/adapters/system-clock.ts'))};
      takeLock(${JSON.stringify(dir)}, { clock: backgroundClock });`;
    const bundled = spawnSync(
      join(import.meta.dirname, '../../../node_modules/.bin/esbuild'),
      ['--bundle', '--platform=node', '--loader=ts'],
      { input: code, cwd: dir },
    );
    expect(String(bundled.stderr)).toBe('');
    expect(spawnSync(process.execPath, ['-'], { input: bundled.stdout, timeout: 60_000 }).status).toBe(0);
    expect(lookAtLock(dir)).toMatchObject({ standing: 'dead' });
  });
});

describe('removeLock', () => {
  it.each(['a pipe', 'a link'])('%s in its place is neither waited for nor followed, and can be removed', (what) => {
    if (what === 'a pipe') spawnSync('mkfifo', [file()]);
    else symlinkSync(join(dir, 'nowhere'), file());
    expect(() => take()).toThrow(FailureError);
    removeLock(dir, lookAtLock(dir)!, clock);
    expect(take().release()).toBeUndefined();
  });

  it('removes a live lock, garbage too, and nothing that came after it', () => {
    plant();
    removeLock(dir, lookAtLock(dir)!, clock);
    expect(readdirSync(dir)).toEqual([]);
    writeFileSync(file(), 'garbage');
    removeLock(dir, lookAtLock(dir)!, clock);
    expect(readdirSync(dir)).toEqual([]);
    plant(elsewhere);
    const seen = lookAtLock(dir)!;
    plant({ ...elsewhere, token: 'd'.repeat(16) });
    expect(refusal(() => removeLock(dir, seen, clock))).toMatchObject({ code: 'locked' });
    expect(lookAtLock(dir)).toMatchObject({ holder: { token: 'd'.repeat(16) } });
  });
});

function replaceFile(content: string | Buffer): void {
  rmSync(file());
  writeFileSync(file(), content);
}
