import { cpSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Project } from '../support/project.js';

const example = resolve(import.meta.dirname, '../../examples/comparison');

function copy(): Project {
  const project = new Project();
  const made = ['.autoresearch', 'runs', 'logs', 'results.yaml', 'comparison.json', 'comparison.md'];
  cpSync(example, project.dir, {
    recursive: true,
    filter: (path) => !made.some((name) => path.startsWith(join(example, name))),
  });
  return project;
}

const change = (project: Project, file: string, from: string, to: string): void => {
  const text = project.read(file);
  expect(text).toContain(from);
  project.write(file, text.replace(from, to));
};

const exec = (project: Project) => project.run('exec', '--reporter', 'plain');

describe('the example of a fair comparison', () => {
  it('comes to a verdict, and has nothing to do again but to look', async () => {
    const project = copy();
    const { code, stdout } = await exec(project);
    expect(stdout).toContain('momentum supported');
    expect(code).toBe(0);
    expect(project.read('comparison.md')).toContain('## momentum: supported');
    const again = await exec(project);
    expect(again.stdout).toMatch(/1 passed, 18 cached/);
  });

  it.each([
    [
      'another learning rate in one arm',
      'configs/sgd.json',
      '0.02',
      '0.03',
      'optimizer.learningRate: 0.02 in momentum, 0.03 in sgd (different values)',
    ],
    ['the same one as text', 'configs/sgd.json', '0.02', '"0.02"', 'a number and text are never equal'],
    [
      'a parameter that one arm lacks',
      'configs/sgd.json',
      '"batch": 8, ',
      '',
      'batch: 8 in momentum, (missing) in sgd (missing in sgd)',
    ],
  ])('%s: nothing is trained', async (_name, file, from, to, words) => {
    const project = copy();
    change(project, file, from, to);
    const { code, stdout } = await exec(project);
    expect(code).toBe(1);
    expect(stdout).toContain(words);
    expect(project.exists('runs')).toBe(false);
  });

  it('one run of one seed that does not use what its file says: nothing is compared', async () => {
    const project = copy();
    change(
      project,
      'train.mjs',
      'let state = seed;',
      "if (arm === 'sgd' && seed === 4) optimizer.learningRate = 0.001;\nlet state = seed;",
    );
    const { code, stdout } = await exec(project);
    expect(code).toBe(1);
    expect(stdout).toContain('sgd ran with 0.001, its file says 0.02');
    expect(project.exists('comparison.json')).toBe(false);
  });

  it.each([
    ['NaN', 'loss }));', "loss: 'NaN' }).replace('\"NaN\"', 'NaN'));", 'is "NaN" in runs/'],
    [
      'the numbers of another seed',
      'JSON.stringify({ arm, seed, loss })',
      'JSON.stringify({ arm, seed: 1, loss })',
      'it is of another run: seed is 1, not 2',
    ],
    [
      'a loss that does not fall',
      'JSON.stringify({ step, loss, time',
      'JSON.stringify({ step, loss: step, time',
      'loss falling: it went from',
    ],
  ])('%s in a run: nothing is compared', async (_name, from, to, words) => {
    const project = copy();
    change(project, 'train.mjs', from, to);
    const { code, stdout } = await exec(project);
    expect(code).toBe(1);
    expect(stdout).toContain(words);
    expect(project.exists('comparison.json')).toBe(false);
  });

  it('too few seeds, and another seed alone, are no win', async () => {
    const few = copy();
    change(few, 'autoresearch.config.yaml', '[1, 2, 3, 4, 5]', '[1, 2, 3]');
    expect((await exec(few)).stdout).toContain('momentum inconclusive');
    const lucky = copy();
    change(lucky, 'configs/momentum.json', '"momentum": 0.9', '"momentum": 0');
    change(lucky, 'configs/momentum.json', '"seed": 1', '"seed": 7');
    // Numbers as they would come from another seed.
    change(lucky, 'train.mjs', 'let state = seed;', "let state = arm === 'sgd' ? seed : seed + 100;");
    const { stdout } = await exec(lucky);
    expect(stdout).toContain('momentum not supported');
    expect(lucky.read('comparison.md')).toContain('only seed differs from the baseline, which is no change');
  });
});
