import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ended, Project } from '../support/project.js';
import { until } from '../support/until.js';

const study = (name: string, run: string): string =>
  `name: ${name}\nstages:\n  a: { uses: command, with: { run: 'echo 1 >> a; echo a' } }\n  b: { uses: command, needs: [a], with: { run: '${run}' }, retry: { attempts: 2 } }\n`;

const runsOf = (project: Project): number => readdirSync(join(project.dir, '.autoresearch/default/runs')).length;

describe('exec after a run that failed', () => {
  it('says what is done again, and what has changed on the disk, also where the config is as it was', async () => {
    const project = new Project({
      'autoresearch.config.yaml': `name: study
stages:
  train:
    uses: command
    matrix: { seed: [1, 2] }
    inputs: [train.sh]
    with: { run: "sh train.sh > m-{{matrix.seed}}" }
    outputs: ["m-{{matrix.seed}}"]
  table: { uses: command, inputs: ["m-*"], with: { run: "cat m-* > table.md" }, outputs: [table.md] }
  last: { uses: command, needs: [table], with: { run: "test -e ok" } }
`,
      'train.sh': 'echo one\n',
    });
    expect((await project.run('exec')).code).toBe(1);
    const opening = async (): Promise<string[]> => {
      const lines = (await project.run('exec')).stdout.split('\n');
      return lines.slice(
        0,
        lines.findIndex((line) => !/^study:|^ {2}(changed|stale):/.test(line)),
      );
    };
    expect(await opening()).toEqual([expect.stringMatching(/; 3 of 4 tasks done /)]);
    project.write('train.sh', 'echo two\n');
    expect(await opening()).toEqual([
      expect.stringMatching(/^study: going on with run 1-\w{4}; 0 of 4 tasks done /),
      '  changed: train.sh (train)',
      '  stale: train:seed=1, train:seed=2 and table',
    ]);
    project.write('table.md', 'better numbers\n');
    expect(await opening()).toEqual([
      expect.stringMatching(/; 2 of 4 tasks done /),
      '  changed: table.md was changed after the task wrote it (table)',
      '  stale: table',
    ]);
    rmSync(join(project.dir, 'm-1'));
    expect(await opening()).toEqual([
      expect.stringMatching(/; 1 of 4 tasks done /),
      '  changed: m-1 is gone (train, table)',
      '  stale: train:seed=1 and table',
    ]);
  });

  it('goes on with it, with new tries, and what passed is kept', async () => {
    const project = new Project({ 'autoresearch.config.yaml': study('study', 'test -e ok') });
    expect((await project.run('exec')).code).toBe(1);
    const second = await project.run('exec');
    expect(second.code).toBe(1);
    expect(second.stdout).toMatch(/^study: going on with run 1-\w{4}; 1 of 2 tasks done/);
    expect(project.journal().filter(({ type }) => type === 'task-failed')).toHaveLength(4);
    project.write('ok', '');
    expect((await project.run('exec')).code).toBe(0);
    expect({ runs: runsOf(project), a: project.read('a') }).toEqual({ runs: 1, a: '1\n' });
  });

  it('--new starts another', async () => {
    const project = new Project({ 'autoresearch.config.yaml': study('study', 'exit 1') });
    await project.run('exec');
    await project.run('exec', '--new');
    expect(runsOf(project)).toBe(2);
  });

  it('a study with another name has runs of its own', async () => {
    const project = new Project({ 'autoresearch.config.yaml': study('study', 'exit 1') });
    await project.run('exec');
    project.write('autoresearch.config.yaml', study('other', 'true'));
    expect((await project.run('exec')).code).toBe(0);
    expect(runsOf(project)).toBe(2);
  });

  it('two studies in one folder go on with their own runs, whichever ran last, and nothing is done twice', async () => {
    const of = (name: string): string => `name: ${name}
stages:
  a: { uses: command, with: { run: 'echo ${name} >> ran; echo 1 > a-${name}' }, outputs: [a-${name}] }
  b: { uses: command, needs: [a], with: { run: 'test -e go && echo ${name} >> ran' } }
`;
    const project = new Project({ 'one.yaml': of('one'), 'two.yaml': of('two') });
    const exec = async (name: string, ...args: string[]) =>
      (await project.run('exec', '--config', `${name}.yaml`, ...args)).code;
    expect([await exec('one'), await exec('two')]).toEqual([1, 1]);
    project.write('go', '');
    expect([await exec('one'), await exec('two'), await exec('one'), await exec('two')]).toEqual([0, 0, 0, 0]);
    expect(project.read('ran')).toBe('one\ntwo\none\ntwo\n');
    expect(runsOf(project)).toBe(2);
    const { stdout } = await project.run('status', '--config', 'one.yaml');
    expect(stdout).toMatch(/^✓ one passed .*\n {2}2 tasks: 2 passed\n/);
    expect(stdout).toContain('\nNext: autoresearch plan --config one.yaml\n');
  });
});

describe('exec after a run that was interrupted', () => {
  it('still does what it was forced to, once', async () => {
    const project = new Project({
      'autoresearch.config.yaml': `name: study
stages:
  a: { uses: command, with: { run: 'echo 1 > a; echo a >> ran; test -e go || { touch waits; sleep 600; }' }, outputs: [a] }
  b: { uses: command, with: { run: 'cp a b; echo b >> ran' }, inputs: [a], outputs: [b] }
`,
      go: '',
    });
    expect((await project.run('exec')).code).toBe(0);
    rmSync(join(project.dir, 'go'));
    const child = project.start(['exec', '--force', 'a,b']);
    const end = ended(child);
    await until(() => project.exists('waits'));
    child.kill('SIGKILL');
    await end;
    project.write('go', '');
    expect((await project.run('exec')).code).toBe(0);
    // What a makes is the same as before, so that nothing but the order to do so makes b run.
    expect(project.read('ran')).toBe('a\nb\na\na\nb\n');
    expect((await project.run('exec')).code).toBe(0);
    expect(project.read('ran')).toBe('a\nb\na\na\nb\n');
  });
});
