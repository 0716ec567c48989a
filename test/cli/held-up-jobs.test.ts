import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ended, Project } from '../support/project.js';
import { until } from '../support/until.js';

/** What the programs of a real Slurm say, within milliseconds, where nothing tells them who their controller is. */
const noConfig = (tool: string): string =>
  [
    'error: resolve_ctls_from_dns_srv: res_nsearch error: Unknown host',
    'error: fetch_config: DNS SRV lookup failed',
    'error: _establish_config_source: failed to fetch config',
    'fatal: Could not establish a configuration source',
  ]
    .map((line) => `echo '${tool}: ${line}' >&2; `)
    .join('')
    .concat('exit 1');

const fatal = (tool: string): string =>
  `${tool} exited with 1: ${tool}: fatal: Could not establish a configuration source`;

const noAccounts = "echo 'Slurm accounting storage is disabled' >&2; exit 1";

/** A study of three jobs on a Slurm whose programs say what the test wants. */
class HeldUpStudy extends Project {
  readonly #bin = join(this.stateHome, 'bin');
  readonly env = { PATH: `${this.#bin}:${process.env.PATH}` };

  constructor(programs: Readonly<Record<string, string>>, seeds = '[1, 2, 3]') {
    super({
      'autoresearch.config.yaml': `name: study
clusters: { box: { type: slurm, partition: gpu, poll: 50ms, commandTimeout: 2s, patience: 10m } }
stages:
  train:
    on: box
    uses: command
    matrix: { seed: ${seeds} }
    with: { run: 'echo {{matrix.seed}} >out-{{matrix.seed}}' }
    outputs: ['out-{{matrix.seed}}']
`,
    });
    mkdirSync(this.#bin, { recursive: true });
    for (const name of ['sbatch', 'squeue', 'sacct', 'scontrol', 'scancel']) this.says(name, noConfig(name));
    for (const [name, script] of Object.entries(programs)) this.says(name, script);
  }

  says(name: string, script: string): void {
    const file = join(this.#bin, name);
    writeFileSync(file, `#!/bin/sh\necho ${name} >>'${this.stateHome}/asked'\n${script}\n`);
    chmodSync(file, 0o755);
  }

  exec(...more: readonly string[]) {
    const child = this.start(['exec', '--reporter', 'plain', ...more], this.env);
    return { child, end: ended(child) };
  }

  ask = (...args: readonly string[]) => ended(this.start(args, this.env));
  heldUp = () => this.journal().filter(({ type }) => type === 'job-held-up');
  /** Until each of so many jobs is known to be held up. */
  async untilHeldUp(jobs: number): Promise<void> {
    const known = (): boolean =>
      existsSync(join(this.dir, '.autoresearch')) && new Set(this.heldUp().map(({ tag }) => tag)).size === jobs;
    await until(() => {
      try {
        return known();
      } catch {
        return false;
      }
    });
  }
}

describe('a Slurm whose programs do not know their controller', () => {
  it('is told at once, everywhere, and nothing is said to go on that never was submitted', async () => {
    const study = new HeldUpStudy({});
    const { child, end } = study.exec();
    await study.untilHeldUp(3);
    const running = await study.ask('status');
    expect(running.stdout).toMatch(
      new RegExp(
        `^ {2}▶ train:seed=2 {2}.*not submitted yet: ${fatal('sbatch')}; .*tried again until \\d\\d:\\d\\d:\\d\\d$`,
        'm',
      ),
    );
    expect((await study.ask('logs', 'train:seed=2')).stdout).toMatch(
      new RegExp(`^not submitted yet: ${fatal('sbatch')}`, 'm'),
    );
    child.kill('SIGINT');
    const { code, stdout, stderr } = await end;
    expect(code).toBe(130);
    // Three jobs, one reason, one line.
    expect(stdout.match(/not submitted yet/g)).toHaveLength(1);
    expect(stdout).toMatch(new RegExp(`^⚠ train:seed=\\d on box {2}not submitted yet: ${fatal('sbatch')}`, 'm'));
    expect(stderr).not.toMatch(/goes? on/);
    expect(stderr).toMatch(
      new RegExp(
        `^3 jobs are not submitted yet, because ${fatal('sbatch')}.*: train:seed=1 on box, train:seed=2 on box, train:seed=3 on box\\. autoresearch exec tries again\\.\n$`,
      ),
    );
    const stopped = await study.ask('status');
    expect(stopped.stdout).toContain(`  3 jobs are not submitted yet, because ${fatal('sbatch')}`);
    const json = JSON.parse((await study.ask('status', '--json')).stdout);
    expect(json.jobs).toHaveLength(3);
    expect(json.jobs[0]).toMatchObject({ cluster: 'box', id: null, submitted: 'no' });
    expect(json.jobs[0].heldUp.detail).toContain(fatal('sbatch'));
    // Nobody answers, but there is nothing to be ended either.
    const cancelled = await study.ask('cancel');
    expect([cancelled.code, cancelled.stdout]).toEqual([
      0,
      expect.stringContaining('Took back 3 jobs that no scheduler had taken: train:seed=1 on box'),
    ]);
  });

  it('is refused in the end, and not called unknown', async () => {
    const study = new HeldUpStudy({}, '[1]');
    study.write(
      'autoresearch.config.yaml',
      study.read('autoresearch.config.yaml').replace('patience: 10m', 'patience: 1s'),
    );
    const { code, stdout } = await study.exec().end;
    expect(code).toBe(1);
    expect(stdout).toContain(`✗ train:seed=1  box did not take the job: ${fatal('sbatch')}`);
  });

  it.each([
    ['nobody answers who could be asked for the job', 'echo "squeue: error: Connection timed out" >&2; exit 1', {}],
    ['the one that looks hangs', 'sleep 600', {}],
    [
      'the one that submits may have been heard',
      'echo "slurm_load_jobs error: Unable to contact slurm controller (connect failure)" >&2; exit 1',
      {
        sbatch:
          'echo "sbatch: error: Batch job submission failed: Unable to contact slurm controller (connect failure)" >&2; exit 1',
      },
    ],
    [
      'the one that submits was killed, whatever it had said',
      noConfig('squeue'),
      { sbatch: `echo 'sbatch: fatal: Could not establish a configuration source' >&2; kill -9 $$` },
    ],
  ])('never says that nothing was submitted where %s', { timeout: 60_000 }, async (_why, squeue, more) => {
    const study = new HeldUpStudy({ squeue, ...more }, '[1]');
    const { child, end } = study.exec();
    await study.untilHeldUp(1);
    child.kill('SIGINT');
    const { stdout, stderr } = await end;
    expect(study.heldUp().map(({ submitted }) => submitted)).not.toContain('no');
    expect(stdout).toMatch(/^⚠ train:seed=1 on box {2}perhaps not submitted: sbatch exited with /m);
    expect(stderr).toMatch(
      /^one job may go on, which nobody knows, because sbatch exited with .*: ar-\S+ on box \(train:seed=1\)\. autoresearch exec looks for it first; autoresearch cancel ends it\.\n$/,
    );
    expect((await study.ask('cancel')).code).toBe(1);
  });

  it('takes up the job of a program that had submitted it after all', { timeout: 60_000 }, async () => {
    const study = new HeldUpStudy(
      { squeue: `case "$*" in *--name=*|*--jobs=7*) echo '7|RUNNING|None' ;; esac`, sacct: noAccounts },
      '[1]',
    );
    const { child, end } = study.exec();
    await until(() => {
      try {
        return study.journal().some(({ type }) => type === 'job-submitted');
      } catch {
        return false;
      }
    });
    child.kill('SIGINT');
    expect((await end).stderr).toMatch(/^one job goes on: 7 on box \(train:seed=1\)/);
    expect(study.heldUp()).toEqual([]);
  });

  it('writes down that nobody knows any more before it submits again', { timeout: 60_000 }, async () => {
    const study = new HeldUpStudy({ squeue: 'exit 0', sacct: noAccounts }, '[1]');
    const [again, asked] = [join(study.stateHome, 'again'), join(study.stateHome, 'asked')];
    // The second one is on its way when the runner dies.
    study.says(
      'sbatch',
      `if [ "$(grep -c sbatch '${asked}')" -gt 1 ]; then touch '${again}'; sleep 600; fi; ${noConfig('sbatch')}`,
    );
    const { child, end } = study.exec();
    await until(() => existsSync(again));
    child.kill('SIGKILL');
    await end;
    expect(study.heldUp().map(({ submitted }) => submitted)).toEqual(['no', 'unknown']);
    expect(JSON.parse((await study.ask('status', '--json')).stdout).jobs).toMatchObject([{ submitted: 'unknown' }]);
  });

  it('is what doctor says', async () => {
    const study = new HeldUpStudy({});
    const sick = await study.ask('doctor');
    expect(sick.code).toBe(1);
    expect(sick.stdout).toContain(`✗ cluster     box: slurm does not answer: ${fatal('squeue')}`);
    study.says('squeue', 'exit 0');
    expect((await study.ask('doctor')).stdout).toContain('✓ cluster     box: slurm\n');
  });
});
