import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readExitFile, readText, startsOf } from '../../../src/adapters/schedulers/job-files.js';
import { SlurmScheduler } from '../../../src/adapters/schedulers/slurm.js';
import { SlurmCluster, whyNoSlurm } from '../../support/slurm.js';
import { ended, Room, reached, schedulerContract, standing, submitted } from './scheduler-contract.js';

const missing = whyNoSlurm();

describe.skipIf(missing !== undefined)(`a real Slurm${missing === undefined ? '' : ` (${missing})`}`, () => {
  const cluster = new SlurmCluster();
  const slurm = (commandTimeoutMs = 30_000): SlurmScheduler =>
    new SlurmScheduler({ commandTimeoutMs, env: cluster.env });
  const room = new Room();
  beforeAll(() => cluster.up());
  afterAll(async () => {
    await cluster.down();
    room.close();
  });

  schedulerContract('slurm', async () => ({
    scheduler: slurm(),
    expire: (id) => cluster.ask('scontrol', 'update', `jobid=${id}`, 'EndTime=now'),
    close: () => {},
  }));

  it('names a job by its tag and tells people what it is', async () => {
    const order = room.order('true', {
      label: 'run 3-abcd task train/seed=1 attempt 2',
      resources: { gpus: 1, cpus: 2, timeMs: 90_000 },
    });
    const [id] = await submitted(slurm(), order);
    await ended(slurm(), id!);
    const { stdout } = cluster.ask('scontrol', '-o', 'show', 'job', id!);
    expect(stdout).toContain(`JobName=${order.tag} `);
    expect(stdout).toContain('Comment=run 3-abcd task train/seed=1 attempt 2 ');
    expect(stdout).toContain(`WorkDir=${order.dir} `);
    expect(stdout).toContain('TimeLimit=00:02:00 ');
    expect(stdout).toContain('CPUs/Task=2 ');
    expect(stdout).toContain('gres:gpu:1');
  });

  it('refuses what Slurm refuses, in its words', async () => {
    expect(await slurm().submit([room.order('true', { resources: { partition: 'no-such' } })])).toMatchObject({
      kind: 'refused',
      detail: expect.stringContaining('invalid partition specified: no-such'),
    });
  });

  it('starts a job after another one has ended well, and never after one that failed', async () => {
    const first = room.order('while [ ! -e first-may-end ]; do sleep 0.05; done; echo 1 >chain');
    const [id] = await submitted(slurm(), first);
    const [next] = await submitted(slurm(), room.order('cat chain; echo 2 >>chain', { after: [id!] }));
    expect(await standing(slurm(), next!)).toMatchObject({ kind: 'waiting', detail: 'Dependency' });
    room.write('first-may-end');
    expect(await ended(slurm(), next!)).toMatchObject({ how: 'completed' });
    expect(room.read('chain')).toBe('1\n2\n');
    const [bad] = await submitted(slurm(), room.order('exit 1'));
    const [never] = await submitted(slurm(), room.order('touch never', { after: [bad!] }));
    expect(await ended(slurm(), never!)).toMatchObject({ how: 'cancelled' });
    expect(room.exists('never')).toBe(false);
  });

  it('counts a requeue, and what the first go left does not count as its end', async () => {
    const order = room.order('if [ -e again ]; then echo second; else touch again; sleep 1000; fi');
    const [id] = await submitted(slurm(), order);
    await reached(slurm(), id!, () => room.exists('again'));
    expect(cluster.ask('scontrol', 'requeue', id!).status).toBe(0);
    // It begins again by itself once the leave for the first go has run out (`cred_expire`). Made to begin sooner, within the
    // second in which that was taken back, it would be refused.
    const end = await ended(slurm(), id!);
    // What it left says why, should it ever be otherwise.
    const left = ['stderr.log', 'twice.log', 'exit', 'starts'].map((file) => readText(join(order.dir, file)));
    expect(end, JSON.stringify(left)).toMatchObject({ how: 'completed' });
    expect(startsOf(order.dir)).toBe(2);
    expect(readExitFile(order.dir, order.tag)).toMatchObject({ exitCode: 0 });
    expect(readFileSync(join(order.dir, 'stdout.log'), 'utf8')).toBe('second\n');
  }, 240_000);

  it('is out of reach while the controller is down, and the job is found again afterwards', async () => {
    const order = room.order('while [ ! -e up-again ]; do sleep 0.1; done');
    const [id] = await submitted(slurm(), order);
    await reached(slurm(), id!, ({ kind }) => kind === 'running');
    await cluster.stopController();
    const hasty = slurm(500);
    expect(await standing(hasty, id!)).toEqual({ kind: 'unreachable', detail: 'squeue did not answer within 0.5 s' });
    expect(await hasty.find(order, 0)).toEqual({ kind: 'unreachable', detail: 'squeue did not answer within 0.5 s' });
    expect(await hasty.cancel([id!])).toEqual({ ok: false, detail: 'scancel did not answer within 0.5 s' });
    expect(await hasty.submit([room.order('true')])).toEqual({
      kind: 'unsure',
      detail: 'sbatch did not answer within 0.5 s',
    });
    cluster.startController();
    await cluster.whenReachable();
    expect(await slurm().find(order, 0)).toEqual({ kind: 'found', ids: [id] });
    room.write('up-again');
    expect(await ended(slurm(), id!)).toMatchObject({ how: 'completed' });
  }, 240_000);

  it('takes many jobs as one array, each with its own id', async () => {
    const tag = `ar-array-${process.pid}`;
    const orders = Array.from({ length: 20 }, (_, index) => ({
      ...room.order(`echo ${index} >>array`),
      batch: { tag, index },
    }));
    const ids = await submitted(slurm(), ...orders);
    expect(new Set(ids.map((id) => id.split('_')[0])).size).toBe(1);
    expect(await slurm().find(orders[7]!, 0)).toEqual({ kind: 'found', ids: [ids[7]] });
    for (const id of ids) expect(await ended(slurm(), id)).toMatchObject({ how: 'completed' });
    expect(
      room
        .read('array')
        .trim()
        .split('\n')
        .map(Number)
        .sort((a, b) => a - b),
    ).toEqual(orders.map((_, index) => index));
  }, 240_000);
});
