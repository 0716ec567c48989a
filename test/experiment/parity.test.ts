import { cpSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Project } from '../support/project.js';

const root = resolve(import.meta.dirname, '../..');

/** The example research with short trainings, and one change. */
function study(file: string, from: string, to: string): Project {
  const project = new Project();
  cpSync(join(root, 'experiment'), join(project.dir, 'experiment'), {
    recursive: true,
    filter: (path) => !path.startsWith(join(root, 'experiment/results')),
  });
  cpSync(join(root, 'autoresearch.config.ts'), join(project.dir, 'autoresearch.config.ts'));
  for (const arm of ['constant', 'cosine'])
    change(project, `experiment/arms/${arm}.json`, '"steps": 4000', '"steps": 500');
  change(project, file, from, to);
  return project;
}

function change(project: Project, file: string, from: string, to: string): void {
  const text = project.read(file);
  expect(text).toContain(from);
  project.write(file, text.replace(from, to));
}

const exec = (project: Project) => project.run('exec', '--reporter', 'plain', '--set', 'smokeSteps=500');

describe('the example research asks twice whether its arms are alike', () => {
  it('of the files, before anything else starts', async () => {
    const project = study('experiment/arms/cosine.json', '"learningRate": 0.1', '"learningRate": 0.2');
    const { code, stdout } = await exec(project);
    expect(code).toBe(1);
    expect(stdout).toContain('settings.learningRate: 0.1 in constant, 0.2 in cosine (different values)');
    const started = project.journal().flatMap(({ type, task }) => (type === 'task-started' ? [task] : []));
    expect(started).toEqual(['parity-schedules']);
    expect(project.exists('experiment/results/data')).toBe(false);
  });

  it('of what every run says it used: a default that was changed elsewhere, for one arm and one seed', async () => {
    const project = study(
      'experiment/model/training.mjs',
      'const random = createRandom(seed);',
      "if (arm === 'cosine' && seed === 14) fixed.momentum = 0.95;\n  const random = createRandom(seed);",
    );
    const { code, stdout } = await exec(project);
    expect(code).toBe(1);
    expect(stdout).toContain('as-run:seed=14  the arms of schedules are not alike in 1 of 7 parameters');
    expect(stdout).toContain('settings.momentum: 0.9 in constant, 0.95 in cosine (different values)');
    expect(stdout).toContain('as-run:seed=15');
    expect(project.exists('experiment/results/results.yaml')).toBe(false);
  });

  it('of what every run says it used: another length than its file says, in both arms', async () => {
    const project = study(
      'experiment/train.mjs',
      '...(fewer === undefined ? {} : { steps: fewer })',
      'steps: 300 + 200 * (seed % 2)',
    );
    const { code, stdout } = await exec(project);
    expect(code).toBe(1);
    expect(stdout).toContain('constant ran with 300, its file says 500; cosine ran with 300, its file says 500');
    expect(project.exists('experiment/results/results.yaml')).toBe(false);
  });
});
