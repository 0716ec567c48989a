import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { LoopProject } from '../support/loop-project.js';

const plain = ['exec', '--reporter', 'plain'] as const;

const branches = (project: LoopProject): string[] =>
  project.git('for-each-ref', '--format=%(refname:short)', 'refs/heads/auto').split('\n').filter(Boolean);

describe('every iteration has a branch', () => {
  it('where nothing is put back: with what its tasks made, and nothing of the checkout moves', async () => {
    const project = new LoopProject(['0.9', '0.7'], { iterate: { max: 2, keep: 'all', files: undefined } });
    project.write('mine.txt', 'in no commit\n');
    const head = project.git('rev-parse', 'HEAD');
    project.write('staged.txt', 'x\n');
    project.git('add', 'staged.txt');
    expect(await project.run(...plain)).toMatchObject({ code: 0, stderr: '' });
    expect(branches(project)).toEqual(['auto/default-iter-1-1', 'auto/default-iter-2-1']);
    const shown = (number: number) => project.git('show', `auto/default-iter-${number}-1:value.txt`);
    expect([shown(1), shown(2), project.read('value.txt')]).toEqual(['0.9', '0.7', '0.7\n']);
    // What is the person's, and what git ignores, is not the work of an iteration.
    expect(project.git('diff', '--name-only', head, 'auto/default-iter-2-1')).toBe('value.txt');
    expect(project.git('status', '--porcelain').split('\n')).toEqual(['A  staged.txt', ' M value.txt', '?? mine.txt']);
    expect([project.git('rev-parse', 'HEAD'), project.git('symbolic-ref', 'HEAD')]).toEqual([head, 'refs/heads/main']);
    expect(project.read('insights.md')).toContain('- Branch: auto/default-iter-2-1\n');
    expect((await project.run('verify')).code).toBe(0);
  });

  it('where nothing was changed: it leads to where the iteration was', async () => {
    const project = new LoopProject(['1.0', '0.9'], { iterate: { max: 2 } });
    expect((await project.run(...plain)).code).toBe(0);
    expect(project.verdicts()).toEqual(['0 kept', '1 discarded', '2 kept']);
    expect(branches(project)).toEqual(['auto/default-iter-1-1', 'auto/default-iter-2-1']);
    expect(project.git('rev-parse', 'auto/default-iter-1-1')).toBe(project.git('rev-parse', 'main~1'));
  });

  it('but where there is no repository, or no commit in it: a loop that puts nothing back needs none', async () => {
    for (const how of ['none', 'empty']) {
      const project = new LoopProject(['0.9'], { iterate: { max: 1, keep: 'all', files: undefined } });
      rmSync(join(project.dir, '.git'), { recursive: true });
      if (how === 'empty') project.git('init', '-q', '-b', 'main');
      expect(await project.run(...plain)).toMatchObject({ code: 0, stderr: '' });
      expect(project.verdicts()).toEqual(['1 kept']);
    }
  });
});
