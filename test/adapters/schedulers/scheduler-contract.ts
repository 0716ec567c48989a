import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isAlive, knownProcess } from '../../../src/adapters/process/known-process.js';
import { ownerOf, readExitFile } from '../../../src/adapters/schedulers/job-files.js';
import type { JobOrder, JobStanding, Scheduler } from '../../../src/model/scheduler.js';
import { until } from '../../support/until.js';

/** What the suite needs to know of a kind. */
export interface KindUnderTest {
  readonly scheduler: Scheduler;
  /** Makes the only limit that a real scheduler has come at once; absent where limits may be short. */
  expire?(id: string): void;
  close(): Promise<void> | void;
}

export class Room {
  readonly dir = realpathSync(mkdtempSync(join(tmpdir(), 'ar-job-')));
  #count = 0;

  readonly dirOf = (tag: string): string => join(this.dir, 'jobs', tag);

  order(run: JobOrder['run'], more: Partial<JobOrder> = {}): JobOrder {
    const tag = more.tag ?? `ar-${this.dir.slice(-6).toLowerCase()}-${process.pid}-${++this.#count}`;
    mkdirSync(this.dirOf(tag), { recursive: true });
    return {
      tag,
      label: 'run 1 task a attempt 1',
      dir: this.dirOf(tag),
      run,
      cwd: this.dir,
      env: {},
      passed: {},
      resources: {},
      ...more,
    };
  }

  read(file: string): string {
    return readFileSync(join(this.dir, file), 'utf8');
  }

  exists(file: string): boolean {
    return existsSync(join(this.dir, file));
  }

  write(file: string, text = ''): void {
    writeFileSync(join(this.dir, file), text);
  }

  /** A folder with what a wrapper needs, and nothing else. */
  poorPath(): string {
    const folder = join(this.dir, 'poor-bin');
    mkdirSync(folder);
    for (const name of ['sh', 'mv', 'touch']) symlinkSync(`/bin/${name}`, join(folder, name));
    return folder;
  }

  close(): void {
    rmSync(this.dir, { recursive: true, force: true });
  }
}

export async function submitted(scheduler: Scheduler, ...orders: readonly JobOrder[]): Promise<readonly string[]> {
  const answer = await scheduler.submit(orders);
  if (answer.kind !== 'submitted') throw new Error(`${answer.kind}: ${answer.detail}`);
  return answer.ids;
}

const since = Date.now() - 3_600_000;

export async function standing(scheduler: Scheduler, id: string): Promise<JobStanding> {
  const found = await scheduler.states([id], since);
  return found.get(id) ?? { kind: 'no-record', detail: 'not in the answer' };
}

/** Asks until the job stands as wanted; gives up after a minute. */
export async function reached(
  scheduler: Scheduler,
  id: string,
  want: (found: JobStanding) => boolean,
): Promise<JobStanding> {
  let last: JobStanding | undefined;
  for (const end = Date.now() + 60_000; Date.now() < end; ) {
    last = await standing(scheduler, id);
    if (want(last)) return last;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`waited in vain; last seen: ${JSON.stringify(last)}`);
}

export const ended = async (scheduler: Scheduler, id: string): Promise<JobStanding> =>
  reached(scheduler, id, ({ kind }) => kind === 'ended');

/** One suite for all kinds of schedulers. */
export function schedulerContract(name: string, open: (room: Room) => Promise<KindUnderTest>): void {
  describe(`${name} keeps the contract`, () => {
    const room = new Room();
    let kind: KindUnderTest;
    let scheduler: Scheduler;
    beforeAll(async () => {
      kind = await open(room);
      scheduler = kind.scheduler;
    });
    afterAll(async () => {
      await kind?.close();
      room.close();
    });
    const finish = async (order: JobOrder): Promise<JobStanding> => {
      const [id] = await submitted(scheduler, order);
      const end = await ended(scheduler, id!);
      await scheduler.fetchLogs(id!, order.dir);
      return end;
    };
    const out = ({ dir }: JobOrder): string => readFileSync(join(dir, 'stdout.log'), 'utf8');

    it('runs a job to its end and keeps what it wrote', async () => {
      const order = room.order('echo said; echo wrong >&2');
      expect(await finish(order)).toMatchObject({ kind: 'ended', how: 'completed' });
      expect(out(order)).toContain('said\n');
      if (scheduler.sharesFiles) {
        expect(readExitFile(order.dir, order.tag)).toMatchObject({ kind: 'exited', exitCode: 0 });
        expect(readFileSync(join(order.dir, 'stderr.log'), 'utf8')).toBe('wrong\n');
      }
    });

    it('tells a failure and its exit code', async () => {
      const order = room.order('echo before; exit 3');
      const end = await finish(order);
      expect(end).toMatchObject({ kind: 'ended', how: 'failed' });
      const code = scheduler.sharesFiles ? readExitFile(order.dir, order.tag) : end;
      expect(code).toMatchObject({ exitCode: 3 });
    });

    it('changes no letter of a command, a variable or a folder', async () => {
      const cwd = join(room.dir, "a folder's $(touch owned) name");
      mkdirSync(cwd, { recursive: true });
      const nasty = `it's "$HOME" \`id\` \\ $(touch ${room.dir}/owned)\nsecond line; exit 7 #`;
      const order = room.order(['printf', '%s|%s', nasty, ''], { cwd, env: { NASTY: nasty } });
      expect(await finish(order)).toMatchObject({ how: 'completed' });
      expect(out(order)).toContain(`${nasty}|`);
      const text = room.order('printf "%s" "$NASTY"; printf "|%s" "$PWD"', { cwd, env: { NASTY: nasty } });
      expect(await finish(text)).toMatchObject({ how: 'completed' });
      expect(out(text)).toContain(`${nasty}|${cwd}`);
      expect(room.exists('owned')).toBe(false);
    });

    it('hands over what may be secret without writing it down', async () => {
      const secret = `s3cret-${process.pid}`;
      const order = room.order('test "$TOKEN" = "$EXPECTED$REST"', {
        passed: { TOKEN: secret },
        env: { EXPECTED: 's3cret-', REST: String(process.pid) },
      });
      expect(await finish(order)).toMatchObject({ how: 'completed' });
      const script = join(order.dir, 'job.sh');
      if (existsSync(script)) expect(readFileSync(script, 'utf8')).not.toContain(secret);
    });

    it('keeps secrets out of the logs while the job runs, and its exit code as it was', async () => {
      if (!scheduler.sharesFiles) return;
      const secret = `s3cret-${process.pid}-value`;
      const order = room.order(
        'echo "begun $TOKEN"; while [ ! -e go-and-tell ]; do sleep 0.05; done; echo "$TOKEN" >&2; exit 7',
        { passed: { TOKEN: secret }, secrets: ['TOKEN'] },
      );
      const [id] = await submitted(scheduler, order);
      const log = (name: string): string => readFileSync(join(order.dir, name), 'utf8');
      await reached(
        scheduler,
        id!,
        () => existsSync(join(order.dir, 'stdout.log')) && log('stdout.log').includes('begun'),
      );
      expect(log('stdout.log')).toBe('begun [secret TOKEN]\n');
      room.write('go-and-tell');
      expect(await ended(scheduler, id!)).toMatchObject({ how: 'failed' });
      expect(log('exit')).toMatch(/ 7\n$/);
      expect(log('stderr.log')).toContain('[secret TOKEN]\n');
      for (const name of readdirSync(order.dir))
        if (statSync(join(order.dir, name)).isFile()) expect(log(name)).not.toContain(secret);
    });

    it('does not run a job with secrets where nobody could hide them', async () => {
      if (!scheduler.sharesFiles) return;
      const order = room.order('touch ran', {
        passed: { TOKEN: 's3cret-value' },
        env: { PATH: room.poorPath() },
        secrets: ['TOKEN'],
      });
      expect(await finish(order)).toMatchObject({ how: 'failed' });
      expect(readFileSync(join(order.dir, 'stderr.log'), 'utf8')).toContain('without perl here nobody could keep');
      expect(room.exists('ran')).toBe(false);
    });

    it('finds a job by its tag before, while and after it runs', async () => {
      const order = room.order('while [ ! -e go-on ]; do sleep 0.05; done');
      const look = async (): Promise<readonly string[]> => {
        const found = await scheduler.find(order, since);
        if (found.kind !== 'found') throw new Error(found.detail);
        return found.ids;
      };
      expect(await look()).toEqual([]);
      const [id] = await submitted(scheduler, order);
      await reached(scheduler, id!, (found) => found.kind === 'running');
      expect(await look()).toEqual([id]);
      room.write('go-on');
      expect(await ended(scheduler, id!)).toMatchObject({ how: 'completed' });
      expect(await look()).toEqual([id]);
    });

    it('ends a job with all that it started', async () => {
      const order = room.order('setsid sleep 1000 & echo $! >pid-of-child; sleep 1000');
      const [id] = await submitted(scheduler, order);
      await reached(scheduler, id!, () => room.exists('pid-of-child') && room.read('pid-of-child').includes('\n'));
      const child = knownProcess(Number(room.read('pid-of-child')));
      expect(isAlive(child)).toBe(true);
      expect(await scheduler.cancel([id!])).toEqual({ ok: true });
      expect(await ended(scheduler, id!)).toMatchObject({ how: 'cancelled' });
      await until(() => !isAlive(child));
      // Once more does no harm.
      expect(await scheduler.cancel([id!])).toEqual({ ok: true });
      expect(await standing(scheduler, id!)).toMatchObject({ how: 'cancelled' });
    });

    it('ends what takes longer than it may, and does not call it a success', async () => {
      const order = room.order('trap "exit 0" TERM; while :; do sleep 0.1; done', {
        resources: { timeMs: kind.expire ? 60_000 : 300 },
      });
      const [id] = await submitted(scheduler, order);
      if (kind.expire) {
        await reached(scheduler, id!, (found) => found.kind === 'running');
        kind.expire(id!);
      }
      expect(await ended(scheduler, id!)).toMatchObject({ how: 'timed-out' });
    }, 240_000);

    it('does the work of a tag once, however often it is submitted', async () => {
      const tag = `ar-twice-${process.pid}`;
      const order = room.order('echo x >>worked; while [ ! -e enough ]; do sleep 0.05; done', { tag });
      const [first] = await submitted(scheduler, order);
      await reached(scheduler, first!, () => room.exists('worked'));
      // The second is refused, or does nothing.
      const second = await scheduler.submit([order]);
      const owner = ownerOf(order.dir);
      if (second.kind === 'submitted' && second.ids[0] !== first) {
        expect(await ended(scheduler, second.ids[0]!)).toMatchObject({ how: 'failed' });
        expect(owner).toBe(first);
      }
      room.write('enough');
      expect(await ended(scheduler, first!)).toMatchObject({ how: 'completed' });
      expect(room.read('worked')).toBe('x\n');
    });

    it('says of a job that never was that there is no record of it', async () => {
      expect(await standing(scheduler, '987654321')).toMatchObject({ kind: 'no-record' });
    });

    it('tells of many jobs in one answer', async () => {
      const orders = [room.order('exit 0'), room.order('exit 1'), room.order('exit 0')];
      const ids = scheduler.hasArrays
        ? await submitted(
            scheduler,
            ...orders.map((order, index) => ({ ...order, batch: { tag: `ar-batch-${process.pid}`, index } })),
          )
        : (await Promise.all(orders.map((order) => submitted(scheduler, order)))).flat();
      expect(new Set(ids).size).toBe(3);
      for (const id of ids) await ended(scheduler, id);
      const all = await scheduler.states(ids, since);
      expect(ids.map((id) => all.get(id))).toMatchObject([
        { how: 'completed' },
        { how: 'failed' },
        { how: 'completed' },
      ]);
    });
  });
}
