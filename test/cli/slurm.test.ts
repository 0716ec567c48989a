import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ended, Project } from '../support/project.js';
import { SlurmCluster, whyNoSlurm } from '../support/slurm.js';
import { until } from '../support/until.js';

const missing = whyNoSlurm();

const study = (stage: string, patience = '1m'): Project =>
  new Project({
    'autoresearch.config.yaml': `name: study
clusters:
  hpc: { type: slurm, partition: main, poll: 200ms, commandTimeout: 2s, patience: ${patience} }
stages:
  train:
    on: hpc
${stage.replace(/^/gm, '    ')}
`,
  });

const held = (): Project =>
  study(`uses: command
with: { run: 'echo x >>ran; until [ -e go ]; do sleep 0.05; done; echo made >out.txt' }
outputs: [out.txt]`);

describe.skipIf(missing !== undefined)(`a study on a real Slurm${missing === undefined ? '' : ` (${missing})`}`, () => {
  const cluster = new SlurmCluster();
  beforeAll(() => cluster.up());
  afterAll(() => cluster.down());
  const start = (project: Project) => project.start(['exec', '--reporter', 'plain'], { SLURM_CONF: cluster.conf });
  const exec = (project: Project) => ended(start(project));
  const events = (project: Project, type: string) => project.journal().filter((event) => event.type === type);
  /** The job may be quicker than the program that says its id. */
  const atWork = async (project: Project, file = 'ran'): Promise<{ readonly id?: string }> => {
    await until(() => project.exists(file) && events(project, 'job-submitted').length > 0);
    return events(project, 'job-submitted')[0] as { readonly id?: string };
  };

  it('passes, and tells a failure', async () => {
    const good = study(`uses: command\nwith: { run: 'echo "$AUTORESEARCH_TASK" >out.txt' }\noutputs: [out.txt]`);
    const passed = await exec(good);
    expect(passed.code, passed.stdout).toBe(0);
    expect(good.read('out.txt')).toBe('train\n');
    const bad = await exec(study(`uses: command\nwith: { run: 'echo why >&2; exit 3' }`));
    expect(bad.code).toBe(1);
    expect(bad.stdout).toContain('✗ train  exited with code 3');
    expect(bad.stdout).toContain('  │ why\n');
  });

  it('goes on with its job after the runner was killed while it ran', async () => {
    const project = held();
    const child = start(project);
    const end = ended(child);
    await until(() => project.exists('ran'));
    child.kill('SIGKILL');
    await end;
    const again = exec(project);
    await until(() => events(project, 'run-started').length === 2);
    project.write('go', '');
    const { code, stdout } = await again;
    expect(code, stdout).toBe(0);
    expect(project.read('ran')).toBe('x\n');
    expect(events(project, 'job-submitting')).toHaveLength(1);
  });

  it('waits for a controller that is down for a while', async () => {
    const project = held();
    const end = exec(project);
    await atWork(project);
    await cluster.stopController();
    await until(() => events(project, 'job-state-changed').some(({ state }) => state === 'unreachable'));
    cluster.startController();
    await cluster.whenReachable();
    project.write('go', '');
    const { code, stdout } = await end;
    expect(code, stdout).toBe(0);
    expect(project.read('ran')).toBe('x\n');
  }, 240_000);

  it('says that its programs know no controller, and submits once when they do', async () => {
    const project = study(`uses: command\nwith: { run: 'echo x >>ran; echo made >out.txt' }\noutputs: [out.txt]`);
    project.write('slurm.conf', 'no configuration\n');
    const conf = { SLURM_CONF: join(project.dir, 'slurm.conf') };
    const child = project.start(['exec', '--reporter', 'plain'], conf);
    const first = ended(child);
    const heldUp = (): unknown[] => {
      try {
        return events(project, 'job-held-up');
      } catch {
        return [];
      }
    };
    await until(() => heldUp().length > 0);
    const sick = await ended(project.start(['doctor'], conf));
    child.kill('SIGINT');
    const stopped = await first;
    const words = 'sbatch exited with 1: sbatch: fatal: Unable to process configuration file';
    expect(stopped.stdout).toContain(`⚠ train on hpc  not submitted yet: ${words}`);
    expect(stopped.stderr).toContain(`one job is not submitted yet, because ${words}`);
    expect(sick.stdout).toContain('✗ cluster     hpc: slurm does not answer: squeue exited with 1: squeue: fatal: ');
    const again = ended(project.start(['exec', '--reporter', 'plain'], conf));
    await until(() => events(project, 'run-started').length === 2);
    project.write('slurm.conf', readFileSync(cluster.conf, 'utf8'));
    const { code, stdout } = await again;
    expect(code, stdout).toBe(0);
    expect(project.read('ran')).toBe('x\n');
    expect(events(project, 'job-submitted')).toHaveLength(1);
    expect((await ended(project.start(['doctor'], conf))).stdout).toContain('✓ cluster     hpc: slurm\n');
  }, 240_000);

  it('does not call a job a success whose scheduler is gone for good', async () => {
    const project = study(
      `uses: command\nwith: { run: 'echo x >>ran; until [ -e go ]; do sleep 0.05; done; echo made >out.txt' }\noutputs: [out.txt]`,
      '3s',
    );
    const end = exec(project);
    await atWork(project);
    await cluster.stopController();
    project.write('go', '');
    const { code, stdout } = await end;
    cluster.startController();
    await cluster.whenReachable();
    expect(code).toBe(1);
    expect(stdout).toMatch(/✗ train {2}nobody can say what became of job \d+ on hpc: squeue did not answer within 2 s/);
    // Nothing was submitted beside it: the next go first makes sure that it is gone.
    expect(events(project, 'job-submitting')).toHaveLength(1);
    const again = await exec(project);
    expect(again.code, again.stdout).toBe(0);
  }, 240_000);

  it('ends its job with cancel', async () => {
    const project = held();
    const end = exec(project);
    const { id } = await atWork(project);
    const cancelled = await ended(project.start(['cancel'], { SLURM_CONF: cluster.conf }));
    expect(cancelled.stdout).toContain(`Ended one job: ${id} on hpc (train).`);
    expect((await end).code).toBe(143);
    await until(() => cluster.ask('squeue', '-h', '-t', 'all', '-j', id!, '-o', '%T').stdout.trim() === 'CANCELLED');
  });

  it('takes a job up again that the scheduler started a second time', async () => {
    const project = study(
      `uses: command\nwith: { run: 'echo x >>ran; if [ -e second ]; then echo made >out.txt; else touch second; sleep 600; fi' }\noutputs: [out.txt]`,
    );
    const end = exec(project);
    const { id } = await atWork(project, 'second');
    const seen = (state: string) => until(() => events(project, 'job-state-changed').at(-1)?.state === state);
    await seen('running');
    // It begins again by itself a few seconds later (`cred_expire`).
    expect(cluster.ask('scontrol', 'requeue', id!).status).toBe(0);
    const { code, stdout } = await end;
    expect(code, stdout).toBe(0);
    expect(events(project, 'job-finished')).toMatchObject([{ how: 'completed', requeues: 1 }]);
  }, 240_000);
});
