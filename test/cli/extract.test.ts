import { utimesSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Project } from '../support/project.js';

const study = (stages: string, files: Record<string, string> = {}): Project =>
  new Project({ 'autoresearch.config.yaml': `name: study\nstages:\n${stages}`, ...files });

const results = `
  results:
    uses: extract
    with: { metrics: { loss: { from: m.json, value: loss } }, to: results.yaml }
    outputs: [results.yaml]
    needs: [train]`;

describe('extract', () => {
  it('refuses a file that was there before the run and that no task has made', async () => {
    const project = study(`  train: { uses: command, with: { run: 'true' } }${results}`, { 'm.json': '{"loss": 0.1}' });
    utimesSync(join(project.dir, 'm.json'), 1e9, 1e9);
    const { code, stdout } = await project.run('exec');
    expect(code).toBe(1);
    expect(stdout).toContain('there are numbers that cannot be used: loss: m.json is older than the run');
    expect(project.exists('results.yaml')).toBe(false);
  });

  it('believes what a task of the plan made, also in a run before this one', async () => {
    const train = `  train: { uses: command, with: { run: "echo '{\\"loss\\": 0.25}' > m.json; touch -d '2001-01-01' m.json" }, outputs: [m.json] }`;
    const project = study(`${train}${results}`);
    const first = await project.run('exec');
    expect(first.code).toBe(0);
    expect(first.stdout).toContain('loss 0.25');
    expect(project.read('results.yaml')).toBe('runs:\n  - metrics:\n      loss: 0.25\n');
    expect(project.journal().find(({ type }) => type === 'metrics-recorded')).toMatchObject({
      metrics: { loss: 0.25 },
    });
    const again = await project.run('exec', '--new', '--force', 'results');
    expect(again.code).toBe(0);
    expect((await project.run('status')).stdout).toContain('results: loss 0.25');
    // Also where the task that made it is not asked for.
    const only = await project.run('exec', '--new', '--only', 'results', '--force', 'results');
    expect(only.code).toBe(0);
    // Nobody may put another number in its place.
    project.write('m.json', '{"loss": 0.01}');
    utimesSync(join(project.dir, 'm.json'), 1e9, 1e9);
    const replaced = await project.run('exec', '--only', 'results', '--force', 'results');
    expect(replaced.code).toBe(1);
    expect(replaced.stdout).toContain('m.json is older than the run');
  });

  it('leaves out what a value made that the matrix has lost since, in the same run too', async () => {
    const config = (seeds: string, each = '[1, 2]') => `name: study
stages:
  train:
    uses: command
    matrix: { seed: ${seeds} }
    with: { run: "sh train.sh {{matrix.seed}}" }
    inputs: [train.sh]
    outputs: ["m-{{matrix.seed}}.json"]
  results:
    uses: extract
    with: { each: { seed: ${each} }, metrics: { loss: { from: "m-{seed}.json", value: loss } }, to: results.yaml }
    outputs: [results.yaml]
    gate: human
`;
    const script = (loss: number) => `echo "{\\"loss\\": ${loss}}" > m-$1.json
`;
    const project = new Project({ 'autoresearch.config.yaml': config('[1, 2]'), 'train.sh': script(0.9) });
    expect((await project.run('exec')).code).toBe(3);
    project.write('train.sh', script(0.1));
    project.write('autoresearch.config.yaml', config('[1]'));
    const { code, stdout } = await project.run('exec');
    expect(code).toBe(1);
    expect(stdout).toContain('loss: m-2.json was made by train:seed=2, which is no task of the study any more');
    project.write('autoresearch.config.yaml', config('[1]', '[1]'));
    expect((await project.run('exec')).code).toBe(3);
    expect(project.read('results.yaml')).toContain('loss: 0.1');
  });

  it('does not take what the plan before has left behind for its own, where nobody says who made it', async () => {
    const config = (more: string) => `name: study
stages:
  train: { uses: command, with: { run: "echo '{\\"loss\\": 0.9}' > m.json; true ${more}" } }
  after: { uses: command, needs: [train], with: { run: 'test -e go' } }
  results:
    uses: extract
    needs: [after]
    with: { metrics: { loss: { from: m.json, value: loss } }, to: results.yaml }
    outputs: [results.yaml]
`;
    const project = new Project({ 'autoresearch.config.yaml': config('') });
    expect((await project.run('exec')).code).toBe(1);
    project.write('go', '');
    // Going on as it was: it is a file of this run.
    const copy = new Project({ 'autoresearch.config.yaml': config(''), go: '' });
    expect((await copy.run('exec')).code).toBe(0);
    project.write('autoresearch.config.yaml', config('').replace("run: 'test -e go'", "run: 'test -e ./go'"));
    const { code, stdout } = await project.run('exec');
    expect(code).toBe(1);
    expect(stdout).toContain('m.json is older than the run or its plan');
  });

  it('a last step that diverged is not quietly the step before it: pandas leaves the cell empty, an expression passes it over', async () => {
    const table = (given: string) => `  train: { uses: command, with: { run: cp made/* . } }
  results:
    uses: extract
    needs: [train]
    with: { metrics: { loss: ${given} }, to: results.yaml }
    outputs: [results.yaml]`;
    const logs = { 'made/log.csv': 'step,loss\n1,0.9\n2,\n', 'made/run.log': 'step 1 loss 0.9\nstep 2 loss nan\n' };
    const csv = await study(table('{ from: log.csv, value: loss }'), logs).run('exec');
    expect(csv.code).toBe(1);
    expect(csv.stdout).toContain(
      'loss: loss is empty in log.csv:3, where a NaN may have been left out: choose the records',
    );
    const log = study(table("{ from: run.log, pattern: 'loss (?<loss>[0-9.]+)', value: loss }"), logs);
    const { code, stdout } = await log.run('exec');
    expect(code).toBe(1);
    expect(stdout).toContain('loss: loss is "nan" in run.log:2, not a finite number');
    expect(log.exists('results.yaml')).toBe(false);
  });

  it('a training that is not healthy fails, with every sign of it', async () => {
    const log = `  smoke: { uses: command, with: { run: 'for i in 1 2 3; do echo "step $i loss $i.5"; done > smoke.log' } }
  health:
    uses: extract
    needs: [smoke]
    with: { health: [{ from: smoke.log, pattern: 'step (?<step>\\d+) loss (?<loss>\\S+)', step: step, loss: loss, minSteps: 5 }] }`;
    const { code, stdout } = await study(log).run('exec');
    expect(code).toBe(1);
    expect(stdout).toContain('2 of 3 checks failed: smoke.log: 5 steps reached: 3 of 5 (and 1 more)');
  });
});
