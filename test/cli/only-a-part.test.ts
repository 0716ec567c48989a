import { describe, expect, it } from 'vitest';
import { Project } from '../support/project.js';

const command = (run: string, more: object = {}): object => ({ uses: 'command', with: { run }, ...more });
const good = command('echo 1 > a.txt', { outputs: ['a.txt'] });

const studyOf = (stages: object, top: object = {}, files: Record<string, string> = {}): Project =>
  new Project({ 'autoresearch.config.json': JSON.stringify({ name: 'study', ...top, stages }), ...files });

const exec = (project: Project, ...args: string[]) => project.run('exec', '--reporter', 'plain', ...args);

async function afterwards(project: Project): Promise<unknown> {
  const { outcome } = JSON.parse((await project.run('status', '--json')).stdout);
  const { stdout } = await project.run('report', '--text');
  return { outcome, status: /^STATUS: .*$/m.exec(stdout)?.[0], reason: /^REASON: .*$/m.exec(stdout)?.[0] };
}

/** Asking for a part makes nothing undone that the run has seen. */
describe('exec --only', () => {
  it('leaves a run failed that has failed', async () => {
    const project = studyOf({ good, bad: command('exit 3') });
    expect((await exec(project)).code).toBe(1);
    expect((await exec(project, '--only', 'good')).code).toBe(1);
    expect(await afterwards(project)).toMatchObject({ outcome: 'failed', status: 'STATUS: PARTIAL' });
    expect((await project.run('verify')).code).toBe(1);
  });

  it('leaves a run violated in which something protected was changed', async () => {
    const cheat = command('echo 2 >> eval.txt; echo 1 > b.txt', { needs: ['good'], outputs: ['b.txt'] });
    const project = studyOf({ good, cheat }, { protect: ['eval.txt'] }, { 'eval.txt': 'score\n' });
    expect((await exec(project)).code).toBe(4);
    expect((await exec(project, '--only', 'good')).code).toBe(4);
    expect(await afterwards(project)).toMatchObject({ outcome: 'violated', status: 'STATUS: FAILED' });
    expect((await project.run('verify')).code).toBe(4);
  });

  it('leaves a gate rejected that has rejected, and asks nobody', async () => {
    const gated = command('echo 1 > b.txt', { outputs: ['b.txt'], gate: 'human' });
    const project = studyOf({ good, gated });
    expect((await exec(project)).code).toBe(3);
    expect((await project.run('reject', 'gated', '--reason', 'no')).code).toBe(0);
    expect((await exec(project)).code).toBe(1);
    expect((await exec(project, '--only', 'good')).code).toBe(1);
    expect(await afterwards(project)).toMatchObject({ outcome: 'failed' });
  });

  it('of a new study has run a part, and says so', async () => {
    const project = studyOf({ good, other: command('true') });
    expect((await exec(project, '--only', 'good')).code).toBe(0);
    expect(await afterwards(project)).toEqual({
      outcome: 'passed',
      status: 'STATUS: PARTIAL',
      reason: 'REASON: 1 of 2 tasks passed, not all were asked for',
    });
  });

  it('and a failure is got over by doing the work again', async () => {
    const project = studyOf({ good, bad: command('test -e mended') });
    expect((await exec(project)).code).toBe(1);
    project.write('mended', '');
    expect((await exec(project, '--only', 'bad')).code).toBe(0);
    expect(await afterwards(project)).toMatchObject({ outcome: 'passed', status: 'STATUS: SUCCESS' });
  });
});
