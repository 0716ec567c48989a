import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ended, Project } from '../support/project.js';
import { SlurmCluster, whyNoSlurm } from '../support/slurm.js';
import { until } from '../support/until.js';

const missing = whyNoSlurm();

const train =
  'echo train >>ran; until [ -e go ]; do sleep 0.05; done; if [ -e bad ]; then exit 3; fi; echo 1 >model.txt';

const study = (more: { readonly train?: string; readonly stages?: string } = {}): Project =>
  new Project({
    'autoresearch.config.yaml': `name: study
clusters:
  hpc: { type: slurm, partition: main, poll: 200ms, commandTimeout: 5s, patience: 1m }
stages:
  train: { uses: command, on: hpc, with: { run: '${more.train ?? train}' }, outputs: [model.txt] }
  evaluate:
    uses: command
    on: hpc
    with: { run: 'echo evaluate >>ran; cat model.txt eval.txt >score.txt' }
    inputs: [model.txt, eval.txt]
    outputs: [score.txt]
  plot: { uses: job, on: hpc, with: { run: 'echo plot >>ran; cp score.txt plot.txt' }, inputs: [score.txt], outputs: [plot.txt] }
${more.stages ?? ''}`,
    'eval.txt': 'x\n',
  });

describe.skipIf(missing !== undefined)(`jobs behind each other${missing === undefined ? '' : ` (${missing})`}`, () => {
  const cluster = new SlurmCluster();
  beforeAll(() => cluster.up());
  afterAll(() => cluster.down());
  const start = (project: Project, ...more: string[]) =>
    project.start(['exec', '--reporter', 'plain', ...more], { SLURM_CONF: cluster.conf });
  const events = (project: Project, type: string) => project.journal().filter((event) => event.type === type);
  const queued = (project: Project) =>
    events(project, 'job-submitted').map(({ id }) =>
      cluster.ask('squeue', '-h', '-t', 'all', '-j', String(id), '-o', '%T').stdout.trim(),
    );

  it('are all in the queue before the first one has ended, go on while nobody is there, and are not submitted again', async () => {
    const project = study();
    const away = await ended(start(project, '--detach'));
    expect(away.code, away.stdout).toBe(3);
    expect(events(project, 'job-submitted').map(({ task }) => task)).toEqual(['train', 'evaluate', 'plot']);
    expect(events(project, 'task-started').map(({ task }) => task)).toEqual(['train']);
    project.write('go', '');
    await until(() => project.exists('plot.txt'));
    const { code, stdout } = await ended(start(project));
    expect(code, stdout).toBe(0);
    expect(project.read('ran')).toBe('train\nevaluate\nplot\n');
    expect(project.read('plot.txt')).toBe('1\nx\n');
    expect(events(project, 'job-submitting')).toHaveLength(3);
    expect(events(project, 'job-finished').map(({ how }) => how)).toEqual(['completed', 'completed', 'completed']);
    const verified = await project.run('verify');
    expect(verified.code, verified.stdout).toBe(0);
    expect((await project.run('report')).code).toBe(0);
  }, 240_000);

  it('do not begin when the one before them failed, and are out of the queue', async () => {
    const project = study();
    project.write('bad', '');
    const end = ended(start(project));
    await until(() => project.exists('ran') && events(project, 'job-submitted').length === 3);
    project.write('go', '');
    const { code, stdout } = await end;
    expect(code).toBe(1);
    expect(stdout).toContain('✗ train  exited with code 3');
    expect(project.read('ran')).toBe('train\n');
    await until(() =>
      queued(project)
        .slice(1)
        .every((state) => state === 'CANCELLED'),
    );
    expect(events(project, 'job-finished').map(({ task, how }) => [task, how])).toEqual([
      ['train', 'failed'],
      ['evaluate', 'replaced'],
      ['plot', 'replaced'],
    ]);
    rmSync(join(project.dir, 'bad'));
    const again = await ended(start(project));
    expect(again.code, again.stdout).toBe(0);
    expect(project.read('ran')).toBe('train\ntrain\nevaluate\nplot\n');
  }, 240_000);

  it('count for nothing when what they read was changed meanwhile, or the one before them left nothing', async () => {
    const changed = study();
    const away = await ended(start(changed, '--detach'));
    expect(away.code).toBe(3);
    changed.write('go', '');
    await until(() => changed.exists('plot.txt'));
    changed.write('eval.txt', 'y\n');
    const { code, stdout } = await ended(start(changed));
    expect(code, stdout).toBe(0);
    expect(changed.read('plot.txt')).toBe('1\ny\n');

    const nothing = study({ train: 'echo train >>ran; touch other.txt' });
    nothing.write('model.txt', 'old\n');
    const failed = await ended(start(nothing));
    expect(failed.code).toBe(1);
    expect(failed.stdout).toContain('✗ train  did not write its output model.txt anew');
    expect(events(nothing, 'task-started').map(({ task }) => task)).toEqual(['train']);
  }, 240_000);

  it('are not handed over ahead of a gate', async () => {
    const project = study();
    const config = project.read('autoresearch.config.yaml');
    project.write(
      'autoresearch.config.yaml',
      config.replace('outputs: [model.txt] }', 'outputs: [model.txt], gate: human }'),
    );
    const away = await ended(start(project, '--detach'));
    expect(away.code).toBe(3);
    expect(events(project, 'job-submitted').map(({ task }) => task)).toEqual(['train']);
    await ended(project.start(['cancel'], { SLURM_CONF: cluster.conf }));
  }, 240_000);
});
