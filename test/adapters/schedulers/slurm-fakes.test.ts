import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { SlurmScheduler } from '../../../src/adapters/schedulers/slurm.js';
import { slurmStanding } from '../../../src/adapters/schedulers/slurm-states.js';
import { slurmTime } from '../../../src/adapters/schedulers/slurm-submit.js';
import { Room } from './scheduler-contract.js';

const room = new Room();
afterAll(() => room.close());
const bin = join(room.dir, 'bin');
mkdirSync(bin);
const log = join(room.dir, 'asked');

/** Programs of Slurm that say what the test wants; each notes its words and its standard input's first line. */
function programs(scripts: { readonly [name: string]: string }): SlurmScheduler {
  const all = {
    squeue: 'exit 0',
    sacct: noAccounts,
    scontrol: noSuchJob,
    scancel: 'exit 0',
    sbatch: 'echo 7',
    ...scripts,
  };
  for (const [name, script] of Object.entries(all)) {
    const file = join(bin, name);
    writeFileSync(file, `#!/bin/sh\necho "${name} TZ=$TZ $*" >>'${log}'\n${script}\n`);
    chmodSync(file, 0o755);
  }
  writeFileSync(log, '');
  return new SlurmScheduler({
    commandTimeoutMs: 1000,
    env: { PATH: `${bin}:/usr/bin:/bin`, SLURM_JOB_ID: '1', SBATCH_PARTITION: 'x' },
  });
}

const noAccounts = "echo 'Slurm accounting storage is disabled' >&2; exit 1";
const noSuchJob = "echo 'slurm_load_jobs error: Invalid job id specified' >&2; exit 1";
const one = async (slurm: SlurmScheduler, sinceMs = Date.UTC(2026, 0, 2, 0, 30)) =>
  (await slurm.states(['7'], sinceMs)).get('7');
const asked = (): string[] => readFileSync(log, 'utf8').trim().split('\n');

describe('what a real Slurm will not say on demand', () => {
  it.each([
    ['NODE_FAIL', 'node-failed'],
    ['OUT_OF_MEMORY', 'out-of-memory'],
    ['TIMEOUT', 'timed-out'],
    ['DEADLINE', 'deadline'],
    ['BOOT_FAIL', 'not-started'],
    ['CANCELLED', 'cancelled'],
    ['FAILED', 'failed'],
    ['COMPLETED', 'completed'],
  ])('%s is the end: %s', async (word, how) => {
    expect(await one(programs({ squeue: `echo '7|${word}|None'` }))).toEqual({ kind: 'ended', how, word });
  });

  it.each(['PENDING', 'REQUEUED', 'SUSPENDED', 'REQUEUE_HOLD', 'SPECIAL_EXIT', 'CONFIGURING', 'STOPPED'])(
    '%s is not the end: it waits',
    async (word) => {
      expect(await one(programs({ squeue: `echo '7|${word}|Why'` }))).toEqual({ kind: 'waiting', word, detail: 'Why' });
    },
  );

  it.each(['RUNNING', 'COMPLETING', 'RESIZING', 'STAGE_OUT', 'SIGNALING'])(
    '%s is not the end: it is at work',
    async (word) => {
      expect(await one(programs({ squeue: `echo '7|${word}|None'` }))).toEqual({ kind: 'running', word });
    },
  );

  it('PREEMPTED is not the end, but nobody waits for it for ever', () => {
    expect(slurmStanding({ state: 'PREEMPTED' })).toEqual({ kind: 'waiting', word: 'PREEMPTED', limbo: true });
  });

  it.each(['', 'constructor', 'VICTORIOUS'])('a state that nobody knows (%j) is no answer', async (word) => {
    expect(await one(programs({ squeue: `echo '7|${word}|None'` }))).toEqual({
      kind: 'unreachable',
      detail: `Slurm says "${word}", a state that nobody here knows`,
    });
  });

  it('garbage and a hang are no answers', async () => {
    expect(await one(programs({ squeue: "echo '<html>busy</html>'" }))).toMatchObject({ kind: 'unreachable' });
    expect(await one(programs({ squeue: 'sleep 30' }))).toEqual({
      kind: 'unreachable',
      detail: 'squeue did not answer within 1 s',
    });
    expect(await one(programs({ squeue: 'exit 0', scontrol: "echo 'busy' >&2; exit 1" }))).toEqual({
      kind: 'unreachable',
      detail: 'scontrol exited with 1: busy',
    });
  });

  it('an empty reply is followed by sacct and scontrol, and by no conclusion', async () => {
    expect(await one(programs({}))).toEqual({ kind: 'no-record', detail: 'Slurm has no record of the job' });
    expect(asked().map((line) => line.split(' ')[0])).toEqual(['squeue', 'sacct', 'scontrol']);
  });

  it('looks for a job that ended before midnight from the day before it was submitted on', async () => {
    const slurm = programs({ sacct: "echo '7|CANCELLED by 1000|0:15'" });
    expect(await one(slurm)).toEqual({ kind: 'ended', how: 'cancelled', word: 'CANCELLED' });
    expect(asked()[1]).toMatch(/^sacct TZ=UTC .*--starttime=2026-01-01T00:30:00 /);
  });

  it('asks for accounts that are not kept once only, and believes in no end while they are out of order', async () => {
    const without = programs({});
    await one(without);
    await one(without);
    expect(asked().filter((line) => line.startsWith('sacct'))).toHaveLength(1);
    const broken = programs({ sacct: "echo 'slurmdbd: connection refused' >&2; exit 1" });
    expect(await one(broken)).toEqual({
      kind: 'unreachable',
      detail: 'sacct exited with 1: slurmdbd: connection refused',
    });
    expect(await broken.find({ tag: 'x' }, 0)).toMatchObject({ kind: 'unreachable' });
  });

  it('an exit code is told, but zero of a job that failed is not', async () => {
    const shown = (exit: string): string =>
      `echo 'JobId=7 JobState=FAILED Reason=NonZeroExitCode ExitCode=${exit} X=Y'`;
    expect(await one(programs({ scontrol: shown('3:0') }))).toMatchObject({ how: 'failed', exitCode: 3 });
    expect(await one(programs({ scontrol: shown('0:9') }))).not.toHaveProperty('exitCode');
    expect(slurmStanding({ state: 'FAILED', reason: 'JobLaunchFailure' })).toMatchObject({ how: 'not-started' });
  });

  it.each([
    [
      "echo 'sbatch: error: Batch job submission failed: Socket timed out on send/recv operation' >&2; exit 1",
      'unsure',
    ],
    ["echo 'sbatch: error: Batch job submission failed: Unable to contact slurm controller' >&2; exit 1", 'unsure'],
    ["echo 'sbatch: error: Batch job submission failed: Invalid account' >&2; exit 1", 'refused'],
    ['exit 0', 'unsure'],
    ['echo Submitted batch job', 'unsure'],
    ['kill -9 $$', 'unsure'],
    ['sleep 30', 'unsure'],
    ['echo "7;cluster"', 'submitted'],
  ])('sbatch: %s → %s', async (sbatch, kind) => {
    expect(await programs({ sbatch }).submit([room.order('true')])).toMatchObject({ kind });
  });

  it('a runner that is itself a job hands on nothing of its own', async () => {
    await programs({ sbatch: `env >'${room.dir}/env'; cat >/dev/null; echo 7` }).submit([room.order('true')]);
    expect(room.read('env')).not.toMatch(/^(?:SLURM_JOB_ID|SBATCH_)/m);
  });

  it('names two jobs with one tag, the older one first', async () => {
    const slurm = programs({ squeue: "echo '12|RUNNING|None'; echo '9|PENDING|None'; echo '10_3|PENDING|None'" });
    expect(await slurm.find({ tag: 'x' }, 0)).toEqual({ kind: 'found', ids: ['9', '12'] });
    expect(await slurm.find({ tag: 'y', batch: { tag: 'x', index: 3 } }, 0)).toEqual({ kind: 'found', ids: ['10_3'] });
  });

  it('writes times as Slurm reads them', () => {
    expect([90_000, 3_600_000, 90_061_000].map(slurmTime)).toEqual(['0-00:01:30', '0-01:00:00', '1-01:01:01']);
    expect(existsSync(bin)).toBe(true);
  });
});
