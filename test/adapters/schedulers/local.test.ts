import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { isAlive, knownProcess } from '../../../src/adapters/process/known-process.js';
import { readExitFile, startsOf } from '../../../src/adapters/schedulers/job-files.js';
import { LocalScheduler } from '../../../src/adapters/schedulers/local.js';
import { Driver } from '../../support/driver.js';
import { until } from '../../support/until.js';
import { ended, Room, reached, schedulerContract, standing, submitted } from './scheduler-contract.js';

const env = { PATH: process.env.PATH!, HOME: '/nowhere' };

const localIn = (room: Room, slots = 4, gpus = 2): LocalScheduler =>
  new LocalScheduler({ dirOf: room.dirOf, slotsDir: join(room.dir, 'slots'), slots, gpus, env });

schedulerContract('local', async (room) => ({ scheduler: localIn(room), close: () => {} }));

describe('jobs of this machine', () => {
  const room = new Room();
  afterAll(() => room.close());

  it('run no more at once than there are slots, and all of them in the end', async () => {
    const local = localIn(room, 2);
    const orders = Array.from({ length: 8 }, () =>
      // The first two wait for each other.
      room.order(
        'echo in >>"$LOG"; until [ "$(grep -c in "$LOG")" -gt 1 ]; do sleep 0.02; done; sleep 0.1; echo out >>"$LOG"',
        {
          env: { LOG: join(room.dir, 'places') },
        },
      ),
    );
    await submitted(local, ...orders);
    for (const { tag } of orders) expect(await ended(local, tag)).toMatchObject({ how: 'completed' });
    let [inside, most] = [0, 0];
    for (const word of room.read('places').trim().split('\n')) {
      inside += word === 'in' ? 1 : -1;
      most = Math.max(most, inside);
    }
    expect(most).toBe(2);
  });

  it('gives each GPU to one job at a time', async () => {
    const local = localIn(room, 4, 2);
    const orders = [1, 1, 2].map((gpus) =>
      room.order('echo "$CUDA_VISIBLE_DEVICES"; while [ ! -e gpus-go ]; do sleep 0.02; done', { resources: { gpus } }),
    );
    await submitted(local, orders[0]!);
    await reached(local, orders[0]!.tag, ({ kind }) => kind === 'running');
    await submitted(local, orders[1]!);
    await reached(local, orders[1]!.tag, ({ kind }) => kind === 'running');
    await submitted(local, orders[2]!);
    await until(() => existsSync(join(orders[2]!.dir, 'claim', 'process')));
    expect(await standing(local, orders[2]!.tag)).toMatchObject({ kind: 'waiting', word: 'QUEUED' });
    room.write('gpus-go');
    for (const { tag } of orders) expect(await ended(local, tag)).toMatchObject({ how: 'completed' });
    expect(orders.map(({ dir }) => readFileSync(join(dir, 'stdout.log'), 'utf8'))).toEqual(['0\n', '1\n', '0,1\n']);
    expect(await local.submit([room.order('true', { resources: { gpus: 3 } })])).toEqual({
      kind: 'refused',
      detail: 'the job wants 3 GPUs and there are slots for 2',
    });
  });

  it('leaves the queue when it is cancelled there, and never begins', async () => {
    const local = localIn(room, 1);
    const first = room.order('while [ ! -e first-go ]; do sleep 0.02; done');
    const second = room.order('touch second-ran');
    await submitted(local, first);
    await reached(local, first.tag, ({ kind }) => kind === 'running');
    await submitted(local, second);
    await until(() => existsSync(join(second.dir, 'claim', 'process')));
    await local.cancel([second.tag]);
    expect(await standing(local, second.tag)).toMatchObject({ kind: 'ended', how: 'cancelled' });
    room.write('first-go');
    expect(await ended(local, first.tag)).toMatchObject({ how: 'completed' });
    expect(room.exists('second-ran')).toBe(false);
  });

  it('is not a success when its wrapper was killed, and its place is free again', async () => {
    const local = localIn(room, 1);
    const order = room.order('echo $$ >victim; sleep 1000');
    await submitted(local, order);
    await until(() => room.exists('victim') && room.read('victim').endsWith('\n'));
    const wrapper = Number.parseInt(readFileSync(join(order.dir, 'claim', 'process'), 'utf8'), 10);
    process.kill(wrapper, 'SIGKILL');
    expect(await ended(local, order.tag)).toEqual({ kind: 'ended', how: 'failed', word: 'KILLED' });
    expect(readExitFile(order.dir, order.tag)).toEqual({ kind: 'none' });
    // What outlived it is ended when the job is taken away.
    const child = knownProcess(Number(room.read('victim')));
    expect(isAlive(child)).toBe(true);
    await local.cancel([order.tag]);
    expect(isAlive(child)).toBe(false);
    const next = room.order('true');
    await submitted(local, next);
    expect(await ended(local, next.tag)).toMatchObject({ how: 'completed' });
  });

  it('outlives whoever submitted it', async () => {
    const order = room.order('while [ ! -e late-go ]; do sleep 0.02; done; echo done >late');
    const driver = new Driver(join(import.meta.dirname, 'local-driver.ts'));
    const submitter = driver.start([room.dir, JSON.stringify(order)]);
    expect(String(await once(submitter.stdout, 'data'))).toBe('submitted\n');
    submitter.kill('SIGKILL');
    await once(submitter, 'exit');
    driver.close();
    // Another process that knows nothing but the tag.
    const other = localIn(room);
    await until(() => existsSync(join(order.dir, 'claim')));
    expect(await other.find(order)).toEqual({ kind: 'found', ids: [order.tag] });
    room.write('late-go');
    expect(await ended(other, order.tag)).toMatchObject({ how: 'completed' });
    expect(startsOf(order.dir)).toBe(1);
  });

  it('of another boot is a failed node, of another host is out of reach', async () => {
    const local = localIn(room);
    const order = room.order('true');
    await submitted(local, order);
    await ended(local, order.tag);
    const file = join('jobs', order.tag, 'claim', 'process');
    const [stat, , host, space] = room.read(file).split('\n');
    room.write(join('jobs', order.tag, 'exit.gone'));
    spawnSync('rm', [join(order.dir, 'exit')]);
    room.write(file, [stat, 'another-boot', host, space, ''].join('\n'));
    expect(await standing(local, order.tag)).toEqual({ kind: 'ended', how: 'node-failed', word: 'REBOOTED' });
    room.write(file, [stat, 'another-boot', 'elsewhere', space, ''].join('\n'));
    expect(await standing(local, order.tag)).toEqual({ kind: 'unreachable', detail: 'the job is on elsewhere' });
  });
});
