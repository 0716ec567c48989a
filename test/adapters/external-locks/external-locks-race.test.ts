import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Driver } from '../../support/driver.js';
import { until } from '../../support/until.js';

const driver = new Driver(fileURLToPath(new URL('external-locks-driver.ts', import.meta.url)));
afterAll(() => driver.close());

let dir: string;
let locks: string;
const started: ReturnType<typeof spawn>[] = [];

beforeEach(() => {
  dir = realpathSync(mkdtempSync(join(tmpdir(), 'external-race-')));
  locks = join(dir, 'locks');
  for (const name of ['a', 'b']) mkdirSync(join(dir, name));
});
afterEach(() => {
  for (const child of started.splice(0)) child.kill('SIGKILL');
  rmSync(dir, { recursive: true, force: true });
});

const worker = (command: readonly string[] = []) => {
  const script = join(driver.folder, 'driver.mjs');
  const [program = process.execPath, ...args] = [...command, process.execPath, script, locks, dir];
  const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  started.push(child);
  const lines: string[] = [];
  createInterface({ input: child.stdout }).on('line', (line) => lines.push(line));
  const seen = (text: string): boolean => lines.some((line) => line.startsWith(text));
  return {
    child,
    lines,
    send: (line: string): void => void child.stdin.write(`${line}\n`),
    seen,
    said: (text: string): Promise<void> => until(() => seen(text)),
  };
};

const ended = async (child: ReturnType<typeof spawn>): Promise<void> => {
  child.kill('SIGKILL');
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
};

describe('processes that want the same folders', () => {
  it('the second waits, is told who has it, and gets it when the first lets go', async () => {
    const [first, second] = [worker(), worker()];
    first.send('take one a');
    await first.said('got one');
    second.send('take two a');
    await second.said('wait two');
    expect(second.lines[0]).toContain(`held by task one of run 1-test in ${dir}, process ${first.child.pid} on`);
    expect(second.seen('got')).toBe(false);
    first.send('release one');
    await second.said('got two');
  });

  it('a killed holder holds nothing; a halted one does', async () => {
    const [first, second] = [worker(), worker()];
    first.send('take one a');
    await first.said('got one');
    first.child.kill('SIGSTOP');
    second.send('take two a');
    await second.said('wait two');
    // Several looks later it still waits.
    second.send('take three a b');
    await second.said('wait three');
    expect(second.seen('got')).toBe(false);
    await ended(first.child);
    await until(() => second.seen('got two') || second.seen('got three'));
  });

  it('opposite orders never block each other', async () => {
    const [first, second] = [worker(), worker()];
    first.send('hammer 60 a b');
    second.send('hammer 60 b a');
    await Promise.all([first.said('intruders 0'), second.said('intruders 0')]);
  });

  it('two tasks of one process wait for each other like any others', async () => {
    const one = worker();
    one.send('take x a b');
    await one.said('got x');
    one.send('take y b a');
    await one.said('wait y');
    one.send('release x');
    await one.said('got y');
  });

  it('who is stopped while it waits lets go of what it has', async () => {
    const [first, second, third] = [worker(), worker(), worker()];
    first.send('take one b');
    await first.said('got one');
    second.send('take two a b');
    await second.said('wait two');
    third.send('take three a');
    await third.said('wait three');
    second.send('stop two');
    await second.said('no two {"code":"cancelled","signal":"SIGINT"}');
    await third.said('got three');
  });

  it('many that hammer are never in together and leave nothing', async () => {
    const workers = Array.from({ length: 6 }, () => worker());
    for (const { send } of workers) send('hammer 40 a');
    await until(() => existsSync(locks));
    await Promise.all(workers.map(({ said }) => said('intruders')));
    expect(workers.map(({ lines }) => lines.at(-1))).toEqual(workers.map(() => 'intruders 0'));
    expect(readdirSync(locks)).toEqual([]);
  });

  it('of many one gets it each time that a holder is killed', async () => {
    let workers = Array.from({ length: 6 }, (_, index) => ({ ...worker(), name: `w${index}` }));
    for (const { send, name } of workers) send(`take ${name} a`);
    while (workers.length > 0) {
      await until(() => workers.some(({ seen }) => seen('got')));
      const inside = workers.filter(({ seen }) => seen('got'));
      expect(inside).toHaveLength(1);
      await ended(inside[0]!.child);
      workers = workers.filter((each) => each !== inside[0]);
    }
  });
});

describe.runIf(process.getuid?.() === 0)('runs of several users', () => {
  const as = (uid: number): string[] => ['setpriv', `--reuid=${uid}`, `--regid=${uid}`, '--clear-groups'];
  beforeEach(() => {
    for (const folder of [dir, driver.folder]) chmodSync(folder, 0o755);
    // As /tmp is.
    chmodSync(dir, 0o1777);
    for (const name of ['a', 'b']) chmodSync(join(dir, name), 0o777);
  });

  it('share the locks, and what another user left when it died is taken over again and again', async () => {
    for (const uid of [4001, 4002, 4003, 4001]) {
      const holder = worker(as(uid));
      holder.send('take one a');
      await holder.said('got one');
      const other = worker(as(uid + 10));
      other.send('take two a');
      await other.said('wait two');
      await ended(holder.child);
      await other.said('got two');
      const third = worker(as(uid + 20));
      third.send('take three a');
      await third.said('wait three');
      other.send('release two');
      await third.said('got three');
      third.send('release three');
      await third.said('released');
    }
  });

  it('hammer without being in together over the dead lock of another', async () => {
    const dead = worker(as(4001));
    dead.send('take one a');
    await dead.said('got one');
    await ended(dead.child);
    const workers = [4001, 4002, 4003, 4002].map((uid) => worker(as(uid)));
    for (const { send } of workers) send('hammer 40 a');
    await Promise.all(workers.map(({ said }) => said('intruders')));
    expect(workers.map(({ lines }) => lines.at(-1))).toEqual(workers.map(() => 'intruders 0'));
  });

  it('a live process of another user that the system hides is not dead', async (context) => {
    const hide = 'mount -t proc -o hidepid=2 proc /proc && exec "$@"';
    const hidden = ['unshare', '-m', 'sh', '-c', hide, 'sh', ...as(4002)];
    const probe = spawn(hidden[0]!, [...hidden.slice(1), 'true'], { stdio: 'ignore' });
    const [code] = (await once(probe, 'exit')) as [number];
    if (code !== 0) context.skip();
    const holder = worker(as(4001));
    holder.send('take one a');
    await holder.said('got one');
    const other = worker(hidden);
    other.send('take two a');
    await other.said('wait two');
    expect(other.seen('got')).toBe(false);
    await ended(holder.child);
    await other.said('got two');
  });
});
