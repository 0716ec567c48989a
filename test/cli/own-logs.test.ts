import { spawn } from 'node:child_process';
import { chmodSync, existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { LoopProject } from '../support/loop-project.js';
import { ended, Project } from '../support/project.js';
import { until } from '../support/until.js';
import { isolated, TreeStudy } from './tree-study.js';

const bin = resolve(import.meta.dirname, '../../dist/bin.cjs');

/** As a person types it: `$exec` is the command. Answers with its exit code; what it printed is where they sent it. */
function shell(project: Project, line: string): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const exec = `"${process.execPath}" "${bin}" exec --reporter plain`;
  return ended(
    spawn('bash', ['-o', 'pipefail', '-c', line.replaceAll('$exec', exec)], {
      cwd: project.dir,
      env: { PATH: process.env.PATH ?? '', HOME: project.dir, XDG_STATE_HOME: project.stateHome, LANG: 'C.UTF-8' },
      stdio: ['ignore', 'pipe', 'pipe'],
    }),
  );
}

/** One agent with a scope, which does this after it has seen that the log has grown. */
function study(does = 'true', more: object = {}): Project {
  const project = new Project({
    'autoresearch.config.json': JSON.stringify({
      name: 'study',
      agents: { coder: { backend: 'command', run: './coder.sh', limits: { timeout: '60s' } } },
      stages: {
        first: { uses: 'command', with: { run: 'echo x > first.txt' }, outputs: ['first.txt'] },
        edit: {
          ...{ uses: 'agent', agent: 'coder', needs: ['first'], scope: ['src/**'], outputs: ['src/a.txt'] },
          with: { instructions: 'x' },
        },
        beside: { uses: 'command', needs: ['first'], with: { run: 'sleep 0.5; echo y > b.txt' }, outputs: ['b.txt'] },
      },
      ...more,
    }),
    'coder.sh': `#!/bin/sh\ncat > /dev/null\nmkdir -p src\necho a > src/a.txt\nwhile ! [ -e b.txt ]; do sleep 0.05; done; sleep 0.3\n${does}\nprintf '%s\\n' '{"outcome":"done","summary":"did it"}'\n`,
    'run.log': '',
  });
  chmodSync(join(project.dir, 'coder.sh'), 0o755);
  return project;
}

describe('a log of the run itself, inside of the project', () => {
  it.each([
    ['stdout', '$exec > run.log', 'run.log'],
    ['stdout, added to what is there', 'echo before > run.log; $exec >> run.log', 'run.log'],
    ['stderr too', '$exec > run.log 2> err.txt', 'run.log'],
    ['both', '$exec > deep.d/run.log 2>&1', 'deep.d/run.log'],
    ['under a name with odd characters', '$exec > "[run] *.log"', '[run] *.log'],
  ])('%s: nobody is blamed, and it is whole', async (_, line, file) => {
    const project = study();
    const { code, stderr } = await shell(project, `mkdir -p deep.d; ${line}`);
    const log = project.read(file);
    expect([code, stderr], log).toEqual([0, '']);
    expect(log).toMatch(/study: run 1-\w+, 3 tasks.*✓ beside.*✓ edit.*study passed/s);
  });

  it('what is protected around it is watched all the same', async () => {
    const project = study('echo easy > eval/rules.txt', { protect: ['eval/**'] });
    project.write('eval/rules.txt', 'hard\n');
    const { code } = await shell(project, '$exec > eval/run.log');
    const log = project.read('eval/run.log');
    expect([code, project.read('eval/rules.txt')], log).toEqual([4, 'hard\n']);
    expect(log).toContain('agent coder changed eval/rules.txt, which it may not');
    expect(log).toContain('study was violated');
    expect(log).not.toContain('run.log');
  });

  it('another file in its place is the work of whoever put it there', async () => {
    const project = study('rm run.log; echo hidden > run.log');
    const { code } = await shell(project, '$exec > run.log 2> "$HOME.state.err"');
    expect(code).toBe(4);
    const [journal] = [project.journal().filter(({ type }) => type === 'task-failed')];
    expect(journal).toMatchObject([{ task: 'edit', failure: { code: 'scope-violated', files: ['run.log'] } }]);
  });

  it('goes on after a kill with another log, and the old one is nobody’s change either', async () => {
    const project = study('test -e src/go || { touch src/begun; sleep 60; }');
    const child = spawn('bash', ['-c', `exec "${process.execPath}" "${bin}" exec --reporter plain > one.log 2>&1`], {
      cwd: project.dir,
      env: { PATH: process.env.PATH ?? '', HOME: project.dir, XDG_STATE_HOME: project.stateHome },
      stdio: 'ignore',
    });
    const end = ended(child);
    await until(() => project.exists('src/begun') || child.exitCode !== null);
    child.kill('SIGKILL');
    await end;
    project.write('src/go', '');
    const { code } = await shell(project, '$exec > two.log 2>&1');
    expect(code, project.read('two.log')).toBe(0);
    expect([project.read('one.log'), existsSync(join(project.dir, 'two.log'))]).toEqual([
      expect.stringContaining('study: run 1-'),
      true,
    ]);
  });

  it('that tee writes cannot be told from the work of an agent: the message says so, and where to write it', async () => {
    const project = study();
    const { code, stdout } = await shell(project, '$exec 2>&1 | tee run.log');
    expect(code).toBe(4);
    expect(stdout).toContain('agent coder changed run.log, which it may not');
    expect(stdout).toContain(
      'a log of this run that tee or the like writes into the project looks the same: write it outside of the project, or with autoresearch exec > FILE, which is known',
    );
    const outside = study();
    expect((await shell(outside, '$exec 2>&1 | tee ../"$(basename "$PWD")".state.log')).code).toBe(0);
  });
});

describe('a log of the run itself, with git', () => {
  it('does not keep worktrees from beginning, and is no writing in the checkout', async () => {
    const own = new TreeStudy({
      agents: { a: 'echo a > a.txt', b: 'echo b > b.txt' },
      stages: { a: isolated({ outputs: ['a.txt'] }), b: isolated({ needs: ['a'], outputs: ['b.txt'] }) },
    });
    const { code, stderr } = await shell(own, '$exec > run.log');
    expect([code, stderr], own.read('run.log')).toEqual([0, '']);
    expect(own.read('run.log')).toContain('study passed');
    expect([own.status(), own.filesOf().includes('run.log')]).toEqual(['?? run.log', false]);
  });

  it.each([
    ['beside its files', ['value.txt']],
    ['among its files', ['value.txt', '*.log']],
  ])('does not keep a loop from beginning, and is neither kept nor put back: %s', async (_, files) => {
    const project = new LoopProject(['0.9', '0.95', '0.5'], { iterate: { max: 3, files } });
    const { code, stderr } = await shell(project, '$exec > run.log');
    expect([code, stderr], project.read('run.log')).toEqual([0, '']);
    expect(project.verdicts()).toEqual(['0 kept', '1 kept', '2 discarded', '3 kept']);
    const log = project.read('run.log');
    for (const number of [1, 2, 3]) expect(log).toContain(`iteration ${number} of 3`);
    expect([
      project.git('status', '--porcelain'),
      project.git('ls-tree', '-r', '--name-only', 'HEAD', 'run.log'),
    ]).toEqual(['?? run.log', '']);
    expect(readFileSync(join(project.dir, 'insights.md'), 'utf8')).not.toContain('run.log');
  });
});
