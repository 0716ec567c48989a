import { describe, expect, it } from 'vitest';
import { configYaml, ended, Project } from '../support/project.js';
import { until } from '../support/until.js';

const waits = (then: string): string => `touch began; while ! test -e go; do sleep 0.02; done; ${then}`;
const study = configYaml(`
train: { uses: command, with: { run: '${waits('cat params.txt > model.txt')}' }, inputs: [params.txt], outputs: [model.txt] }
after: { uses: command, with: { run: 'cat model.txt > after.txt' }, inputs: [model.txt], outputs: [after.txt] }`);

/** Edits while the task runs, then lets it end. */
async function edited(edit: (project: Project) => void): Promise<{ project: Project; stdout: string; code: unknown }> {
  const project = new Project({ 'autoresearch.config.yaml': study, 'params.txt': 'lr=1\n' });
  const run = ended(project.start(['exec']));
  await until(() => project.exists('began'));
  edit(project);
  project.write('go', '');
  return { project, ...(await run) };
}

const words =
  'params.txt was changed while it ran: what it has read may be the old or the new one, so the next exec does it again';

describe('an input that is edited while its task runs', () => {
  it('is told, and what was made from it holds for neither: not for the new content, not for the old one', async () => {
    const { project, stdout, code } = await edited((project) => project.write('params.txt', 'lr=2\n'));
    expect([code, stdout]).toEqual([0, expect.stringContaining(`⚠ train  ${words}\n`)]);
    expect(project.read('logs/errors.log')).toContain(words);
    for (const content of ['lr=2\n', 'lr=1\n']) {
      project.write('params.txt', content);
      const { stdout } = await project.run('plan');
      expect(stdout).toContain('input: params.txt was changed while it ran');
      const verified = await project.run('verify');
      expect(verified.code).toBe(1);
      expect(verified.stdout).toContain('train: params.txt was changed while it ran');
    }
    expect((await project.run('exec', '--quiet')).code).toBe(0);
    expect(project.read('after.txt')).toBe('lr=1\n');
    expect((await project.run('verify')).code).toBe(0);
    expect((await project.run('exec')).stdout).toContain('nothing to do');
  });

  it('is what it was when only its dates are others', async () => {
    const { project, stdout } = await edited((project) => project.write('params.txt', 'lr=1\n'));
    expect(stdout).not.toContain('while it ran');
    expect((await project.run('exec')).stdout).toContain('nothing to do');
  });
});
