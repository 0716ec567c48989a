import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { Project } from '../support/project.js';

function commandLine(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
}

const python = (lines: readonly string[]): string => `${lines.join('\n')}\n`;
const arm = (seed: string, env: string): string =>
  python(['TRAIN_BATCH_SIZE = 32', 'LEARNING_RATE = 3e-4', `SEED = ${seed}`, `ENV_NAME = '${env}'`]);

const entry = `
parity:
  debate-baseline:
    arms: { debate: configs/debate.py, baseline: configs/baseline.py }
    params: [TRAIN_BATCH_SIZE, LEARNING_RATE, SEED]
    except: { ENV_NAME: the arms differ in the environment by design }`;

const study = (stages: string, files: Record<string, string> = {}, head = ''): Project =>
  new Project({
    'autoresearch.config.yaml': `name: study${entry}${head}\nstages:${stages}`,
    'configs/debate.py': arm('42', 'debate'),
    'configs/baseline.py': arm('42', 'plain'),
    ...files,
  });

const train = `
  train: { uses: command, with: { run: 'echo trained >> out' }, outputs: [out] }`;

describe('parity', () => {
  it('is checked before anything is paid for; what differs stands side by side', async () => {
    const project = study(train, { 'configs/baseline.py': arm("'42'", 'plain') });
    const { code, stdout } = await project.run('exec');
    expect(code).toBe(1);
    expect(stdout).toContain(`  │    parameter         baseline  debate
  │ =  TRAIN_BATCH_SIZE  32        32
  │ =  LEARNING_RATE     0.0003    0.0003
  │ ≠  SEED              "42"      42        text and a number are never equal
  │ ~  ENV_NAME          "plain"   "debate"  excepted: the arms differ in the environment by design
`);
    expect(stdout).toContain('○ train  skipped: parity-debate-baseline did not pass');
    expect(project.exists('out')).toBe(false);
  });

  it('looks again at code every time, and spares what comes after when the values are the same', async () => {
    const project = study(train, {
      'configs/baseline.py': "from common import *\nENV_NAME = 'plain'\n",
      'configs/common.py': arm('42', 'x'),
    });
    expect((await project.run('exec')).code).toBe(0);
    project.write('configs/common.py', `# a comment\n${arm('42', 'x')}`);
    expect((await project.run('exec')).stdout).toContain('≡ train  cached');
    expect(project.read('out')).toBe('trained\n');
    // The file of the arm itself is the same as before.
    project.write('configs/common.py', arm('43', 'x'));
    const { code, stdout } = await project.run('exec');
    expect(code).toBe(1);
    expect(stdout).toContain('SEED: 43 in baseline, 42 in debate (different values)');
  });

  it('plan shows it and runs none of the code', async () => {
    const project = study(train, { 'configs/debate.py': "open('touched', 'w')\n" });
    const before = project.snapshot();
    const { code, stdout } = await project.run('plan');
    expect(code).toBe(0);
    expect(stdout).toContain('debate-baseline: 3 parameters of baseline, debate');
    expect(project.snapshot()).toEqual(before);
  });

  it('a fixer is shown the table and has three tries', async () => {
    const agent = (script: string): string =>
      `\nagents: { coder: { backend: command, run: ${JSON.stringify(`cat > prompt.txt; ${script}; echo '{"outcome":"done","summary":"tried"}'`)} } }`;
    const stages = `
  validate: { uses: parity, with: { check: debate-baseline }, retry: { attempts: 3, fix: coder }, scope: ['configs/**', prompt.txt] }`;
    const wrong = { 'configs/baseline.py': arm('43', 'plain') };
    const mended = study(stages, wrong, agent("sed -i 's/43/42/' configs/baseline.py"));
    expect((await mended.run('exec')).code).toBe(0);
    expect(mended.read('prompt.txt')).toContain('≠  SEED              43        42        different values');
    const idle = study(stages, wrong, agent('true'));
    expect((await idle.run('exec')).code).toBe(1);
    expect(idle.journal().filter(({ type }) => type === 'task-failed')).toHaveLength(3);
    expect(idle.journal().filter(({ errorClass }) => errorClass === 'parity-broken').length).toBeGreaterThan(2);
  });

  it('a baseline that was trained anew with other settings is caught from what the run reports', async () => {
    const job = (name: string, lr: string): string =>
      `\n  ${name}: { uses: command, with: { run: 'mkdir -p runs; echo "{\\"LEARNING_RATE\\": ${lr}, \\"TRAIN_BATCH_SIZE\\": 32, \\"SEED\\": 42, \\"ENV_NAME\\": \\"${name === 'debate' ? 'debate' : 'plain'}\\"}" > runs/${name}.json' }, outputs: [runs/${name}.json] }`;
    const after = `
  after: { uses: parity, with: { check: debate-baseline, resolved: { debate: runs/debate.json, baseline: runs/baseline.json } } }`;
    const fair = await study(`${job('debate', '3e-4')}${job('baseline', '0.0003')}${after}`).run('exec');
    expect(fair.code).toBe(0);
    const { code, stdout } = await study(`${job('debate', '3e-4')}${job('baseline', '1e-3')}${after}`).run('exec');
    expect(code).toBe(1);
    expect(stdout).toContain(
      'LEARNING_RATE: 0.001 in baseline, 0.0003 in debate (baseline ran with 0.001, its file says 0.0003)',
    );
  });

  it('a config that hangs is ended with all that it started', async () => {
    const unusual = String(100_000 + process.pid);
    const hanging = `import subprocess\nsubprocess.run(['sleep', '${unusual}'])\n`;
    const stages = `
  validate: { uses: parity, with: { check: debate-baseline }, timeout: 1s }`;
    const { code, stdout } = await study(stages, { 'configs/debate.py': hanging }).run('exec');
    expect(code).toBe(1);
    expect(stdout).toContain('timed out after 1.0 s');
    const alive = readdirSync('/proc').filter(
      (pid) => /^\d+$/.test(pid) && commandLine(pid).startsWith(`sleep\0${unusual}\0`),
    );
    expect(alive).toEqual([]);
  });

  it('verify asks once more, and changes nothing', async () => {
    const project = study(train, {
      'configs/baseline.py': "from common import *\nENV_NAME = 'plain'\n",
      'configs/common.py': arm('42', 'x'),
    });
    expect((await project.run('exec')).code).toBe(0);
    const before = project.snapshot();
    const good = await project.run('verify', '--verbose');
    expect(good.stdout).toContain('parity     parity-debate-baseline: 3 parameters are equal, 1 excepted');
    expect(good.code).toBe(0);
    expect(project.snapshot()).toEqual(before);
    // No input of any task.
    project.write('configs/common.py', arm('43', 'x'));
    const bad = await project.run('verify');
    expect(bad.code).toBe(1);
    expect(bad.stdout).toContain('SEED: 43 in baseline, 42 in debate (different values)');
    project.write('configs/common.py', 'import time\nraise SystemExit(3)\n');
    expect((await project.run('verify')).stdout).toContain('SystemExit: 3');
  });

  it('verify runs no command of the user', async () => {
    const project = new Project({
      'autoresearch.config.yaml': `name: study
parity: { x: { arms: { a: { run: 'echo x >> ran; echo "{}" | sed s/}/\\"v\\":1}/' }, b: b.json }, params: [v] } }
stages:
  a: { uses: command, with: { run: 'true' } }`,
      'b.json': '{"v": 1}',
    });
    expect((await project.run('exec')).code).toBe(0);
    const { code, stdout } = await project.run('verify', '--verbose');
    expect(stdout).toContain('parity-x: held when it was checked; commands are not run again');
    expect(code).toBe(0);
    expect(project.read('ran')).toBe('x\n');
  });

  it('a misspelt check is refused before anything runs', async () => {
    const { code, stderr } = await study(`
  validate: { uses: parity, with: { check: debate-basline } }`).run('exec');
    expect(code).toBe(2);
    expect(stderr).toContain('AR365');
    expect(stderr).toContain('Did you mean "debate-baseline"?');
    // Nothing that follows from the name alone.
    expect(stderr).toContain('1 problem.');
  });
});
