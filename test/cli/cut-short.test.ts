import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  lstatSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Project } from '../support/project.js';
import { until } from '../support/until.js';

/** Each is cut short for real, by kill -9 of the runner while its agent is at work. */
const done = `mkdir -p src; echo x >> src/a.py; echo '{"outcome":"done","summary":"ok"}'`;
/** In the scope: the test waits for it. */
const atWork = 'mkdir -p src; echo 1 > src/at-work; sleep 300';

function study(trick: string, more: object = {}): Project {
  const config = {
    name: 'study',
    agents: { coder: { backend: 'command', run: './agent.sh', limits: { timeout: '400s' } } },
    stages: {
      work: {
        uses: 'agent',
        agent: 'coder',
        with: { instructions: 'x' },
        outputs: ['src/a.py'],
        scope: ['src/**'],
        retry: { attempts: 1 },
      },
      next: { uses: 'command', needs: ['work'], with: { run: 'cp eval/score.py used' }, outputs: ['used'] },
    },
    ...more,
  };
  const project = new Project({
    'autoresearch.config.json': JSON.stringify(config),
    'eval/score.py': 'score = 0.5\n',
    'src/keep': 'x\n',
    'agent.sh': `#!/bin/sh\nif test -e .autoresearch/honest; then ${done}; else ${trick}; ${atWork}; fi\n`,
  });
  chmodSync(join(project.dir, 'agent.sh'), 0o755);
  return project;
}

const exec = (project: Project, ...args: string[]) => project.run('exec', '--reporter', 'plain', ...args);

async function cutShort(project: Project): Promise<void> {
  const child = project.start(['exec', '--reporter', 'plain']);
  const ended = new Promise((resolve) => child.on('close', resolve));
  await until(() => project.exists('src/at-work'));
  child.kill('SIGKILL');
  await ended;
  writeFileSync(join(project.dir, '.autoresearch/honest'), '');
}

const notesOf = (project: Project): readonly string[] => {
  const vaults = join(project.stateHome, 'autoresearch/vaults');
  return readdirSync(vaults, { recursive: true, encoding: 'utf8' })
    .filter((path) => /\/notes\/[0-9a-f]+\.json$/.test(path))
    .map((path) => join(vaults, path));
};

describe('what an agent wrote outside of its scope before its runner was killed', () => {
  it.each([
    ['an edit', 'echo 1 > eval/score.py', 'eval/score.py'],
    ['a deletion', 'rm -r eval', 'eval/score.py'],
    ['a new file', 'echo 1 > eval/new.py', 'eval/new.py'],
    ['a folder that became a link', 'mv eval src/moved; ln -s src/moved eval', 'eval'],
    ['the study itself', `sed -i 's/cp eval/cat eval/' autoresearch.config.json`, 'autoresearch.config.json'],
    ['the study, so that it is none', 'echo "{" > autoresearch.config.json', 'autoresearch.config.json'],
    ['the study, so that there is none', 'rm autoresearch.config.json', 'autoresearch.config.json'],
    ['an installed package', 'echo "exit 0" > node_modules/.bin/pytest', 'node_modules/.bin/pytest'],
  ])('is put back by the next exec, which ends with exit code 4: %s', async (_, trick, file) => {
    const project = study(trick);
    project.write('node_modules/.bin/pytest', 'exit 1\n');
    const read = (path: string): string | undefined => {
      const at = join(project.dir, path);
      if (lstatSync(at, { throwIfNoEntry: false })?.isSymbolicLink()) return 'a link';
      if (lstatSync(at, { throwIfNoEntry: false })?.isDirectory()) return 'a folder';
      return project.exists(path) ? readFileSync(at).toString('latin1') : undefined;
    };
    const paths = ['eval', 'eval/score.py', 'eval/new.py', 'autoresearch.config.json', 'node_modules/.bin/pytest'];
    const before = paths.map(read);
    await cutShort(project);
    expect(paths.map(read)).not.toEqual(before);
    const { code, stderr } = await exec(project);
    expect(stderr).toContain(file);
    expect(code).toBe(4);
    expect(paths.map(read)).toEqual(before);
    expect(project.journal().slice(-3)).toMatchObject([
      { type: 'agent-validation-failed', task: 'work', again: false },
      { type: 'task-failed', task: 'work', failure: { code: 'scope-violated', agent: 'coder', problems: [] } },
      { type: 'run-finished', outcome: 'violated' },
    ]);
    expect(notesOf(project)).toEqual([]);
    expect(JSON.parse((await project.run('status', '--json')).stdout)).toMatchObject({ outcome: 'violated' });
    // Everything is as it was, so the study goes on.
    expect(await exec(project)).toMatchObject({ code: 0 });
    expect(project.read('used')).toBe('score = 0.5\n');
    expect((await project.run('verify')).code).toBe(0);
  });

  it('is not accepted either with --new', async () => {
    const project = study('echo 1 > eval/score.py');
    await cutShort(project);
    expect(await exec(project, '--new')).toMatchObject({ code: 4 });
    expect(project.read('eval/score.py')).toBe('score = 0.5\n');
    expect(await exec(project, '--new')).toMatchObject({ code: 0 });
  });

  it('is put back and tried again where the study says so', async () => {
    const project = study('echo 1 > eval/score.py', { onViolation: 'retry' });
    await cutShort(project);
    const { code, stderr } = await exec(project);
    expect(stderr).toMatch(
      /^agent coder changed eval\/score\.py, which it may not \(or somebody did, .*\); it was put back$/m,
    );
    expect(code).toBe(0);
    expect(project.read('used')).toBe('score = 0.5\n');
  });

  it('leaves alone what people change later', async () => {
    const project = study('echo 1 > eval/score.py');
    await cutShort(project);
    // As if it had happened an hour ago.
    const then = Date.now() / 1000 - 3600;
    for (const note of notesOf(project)) utimesSync(note, then, then);
    project.write('eval/score.py', 'score = 0.7\n');
    expect(await exec(project)).toMatchObject({ code: 0 });
    expect(project.read('used')).toBe('score = 0.7\n');
    expect(notesOf(project)).toEqual([]);
  });

  it('goes on where the agent kept to its scope', async () => {
    const project = study('true');
    await cutShort(project);
    expect(notesOf(project).length).toBeGreaterThan(0);
    expect(await exec(project)).toMatchObject({ code: 0 });
  });

  it.each([
    ['is gone', (note: string) => rmSync(note)],
    [
      'says something else',
      (note: string) => writeFileSync(note, readFileSync(note, 'utf8').replace('"kept":["', '"kept":["0')),
    ],
  ])('is not forgotten because the note of it %s', async (_, spoil) => {
    const project = study('echo 1 > eval/score.py');
    await cutShort(project);
    for (const note of notesOf(project)) spoil(note);
    const { code, stderr } = await exec(project);
    expect(stderr).toContain('nobody knows what');
    expect(code).toBe(4);
    expect(project.exists('used')).toBe(false);
  });

  it('is not forgotten by clean', async () => {
    const project = study('echo 1 > eval/score.py');
    await cutShort(project);
    await project.run('clean');
    expect(await exec(project)).toMatchObject({ code: 4 });
    expect(project.read('eval/score.py')).toBe('score = 0.5\n');
  });
});

describe('what an agent did to git before its runner was killed', () => {
  it.each([
    ['checked out another branch', 'git checkout -q spare', 'HEAD'],
    ['deleted a branch', 'git branch -qD spare', 'refs/heads/spare'],
    ['rewound the branch', 'git reset -q --hard HEAD~1', 'refs/heads/main'],
    ['set a hook', 'echo "exit 0" > .git/hooks/pre-commit', '.git/hooks/pre-commit'],
  ])('is put back by the next exec: %s', async (_, trick, name) => {
    const project = study(`export GIT_CONFIG_GLOBAL=/dev/null; ${trick}`);
    const git = (...args: string[]): string =>
      execFileSync('git', ['-c', 'user.name=x', '-c', 'user.email=x@y', '-c', 'init.defaultBranch=main', ...args], {
        cwd: project.dir,
        encoding: 'utf8',
      });
    project.write('.gitignore', '.autoresearch\nlogs\n');
    git('init', '-q');
    git('commit', '-q', '--allow-empty', '-m', 'empty');
    git('branch', 'spare');
    git('add', '.');
    git('commit', '-qm', 'all');
    const state = (): string =>
      `${git('symbolic-ref', 'HEAD')}${git('for-each-ref', 'refs/heads')}${git('status', '--short', '--', 'eval', 'agent.sh')}`;
    const before = state();
    await cutShort(project);
    const { code, stderr } = await exec(project);
    expect(stderr).toContain(name);
    expect(code).toBe(4);
    expect(state()).toBe(before);
    expect(existsSync(join(project.dir, '.git/hooks/pre-commit'))).toBe(false);
    expect(await exec(project)).toMatchObject({ code: 0 });
  });
});
