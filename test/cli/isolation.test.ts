import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ended, Project } from '../support/project.js';
import { until } from '../support/until.js';

const exec = (project: Project, ...args: string[]) => project.run('exec', '--reporter', 'plain', ...args);

describe('a mirror', () => {
  const study = (run: string): Project =>
    new Project({
      'autoresearch.config.json': JSON.stringify({
        name: 'study',
        stages: { patch: { uses: 'command', with: { run }, mirror: [['env/src', 'installed']] } },
      }),
      'env/src/a.py': 'a = 1\n',
      'installed/a.py': 'a = 1\n',
    });

  it('that is kept passes', async () => {
    expect(await exec(study('echo "a = 2" | tee env/src/a.py > installed/a.py'))).toMatchObject({ code: 0 });
  });

  it('of which only one side was changed is a failure, until sync is asked for', async () => {
    const project = study('echo "a = 2" > env/src/a.py');
    const { code, stdout } = await exec(project);
    expect(stdout).toMatch(/left a difference between a source and its copy: .*a\.py/);
    expect(code).toBe(1);
    expect((await project.run('sync')).stdout).toBe('installed is like env/src\n');
    expect(project.read('installed/a.py')).toBe('a = 2\n');
    expect(await exec(project)).toMatchObject({ code: 0 });
  });

  it('is looked at after an attempt that failed, too, and told of before the next', async () => {
    const project = study('if [ -e tried ]; then exit 0; fi; touch tried; echo "a = 2" > installed/a.py; exit 3');
    const config = JSON.parse(project.read('autoresearch.config.json'));
    config.stages.patch.retry = {
      attempts: 2,
      backoff: '0s',
      fix: { run: 'cp "$AUTORESEARCH_STDOUT" said; echo "a = 1" > installed/a.py' },
    };
    project.write('autoresearch.config.json', JSON.stringify(config));
    const { code, stdout } = await exec(project);
    expect(code).toBe(0);
    const what =
      'left a difference between a source and its copy: installed/a.py has another content than env/src/a.py';
    expect(stdout).toContain(`patch  ${what}`);
    expect(project.journal().map(({ type }) => type)).toEqual(expect.arrayContaining(['mirror-differed']));
    expect(project.journal().filter(({ type }) => type === 'mirror-differed')).toMatchObject([
      { task: 'patch', attempt: 1, count: 1, lines: ['installed/a.py has another content than env/src/a.py'] },
    ]);
    expect(project.read('logs/errors.log')).toContain(what);
    expect(project.read('said')).toContain(what);
    expect(project.read(`.autoresearch/default/runs/${project.journal()[0]!.run}/execution.md`)).toContain(
      `exited with code 3, and ${what}`,
    );
  });
});

describe('external locks', () => {
  const study = (repo: string, run: string): Project =>
    new Project({
      'autoresearch.config.json': JSON.stringify({
        name: 'study',
        stages: { use: { uses: 'command', with: { run }, locks: [repo] } },
      }),
    });

  it('are held against all other runs on the machine, and free when the holder dies', async () => {
    const repo = mkdtempSync(join(tmpdir(), 'autoresearch-repo-'));
    const first = study(repo, 'touch started; sleep 1000');
    const second = study(repo, 'touch started');
    const holder = first.start(['exec', '--reporter', 'silent']);
    const held = ended(holder);
    await until(() => first.exists('started'));
    const waiter = second.start(['exec', '--reporter', 'plain']);
    let told = '';
    waiter.stdout!.on('data', (text) => (told += text));
    const waited = ended(waiter);
    await until(() => told.includes('use waits: '));
    expect(second.exists('started')).toBe(false);
    holder.kill('SIGKILL');
    await held;
    expect(await waited).toMatchObject({ code: 0 });
  });

  it('of a folder that is not there are a failure', async () => {
    const { code, stdout } = await exec(study('../no-such-repository', 'true'));
    expect(code).toBe(1);
    expect(stdout).toContain('there is no such folder');
  });

  it('waiting can be stopped', async () => {
    const repo = mkdtempSync(join(tmpdir(), 'autoresearch-repo-'));
    writeFileSync(join(repo, 'x'), '');
    const first = study(repo, 'touch started; sleep 1000');
    const holder = first.start(['exec', '--reporter', 'silent']);
    const held = ended(holder);
    await until(() => first.exists('started'));
    const waiter = study(repo, 'true').start(['exec', '--reporter', 'plain']);
    let told = '';
    waiter.stdout!.on('data', (text) => (told += text));
    const waited = ended(waiter);
    await until(() => told.includes('use waits: '));
    waiter.kill('SIGINT');
    expect(await waited).toMatchObject({ code: 130 });
    holder.kill('SIGINT');
    await held;
  });
});
