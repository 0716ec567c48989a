import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ended, Project } from '../support/project.js';

/** Attacks on branches, tags and HEAD by an agent that works in the checkout. Each is done for real. */
function studyOf(trick: string, stage: object = {}): { readonly project: Project; git(...args: string[]): string } {
  const config = {
    name: 'study',
    agents: { coder: { backend: 'command', run: './agent.sh', limits: { timeout: '120s' } } },
    stages: { work: { uses: 'agent', agent: 'coder', with: { instructions: 'x' }, outputs: ['src/a.py'], ...stage } },
  };
  const project = new Project({
    'autoresearch.config.json': JSON.stringify(config),
    'src/keep': 'x\n',
    'eval/score.py': 'score = 0.5\n',
    '.gitignore': '.autoresearch\nlogs\n',
    'agent.sh': `#!/bin/sh\nexport GIT_CONFIG_GLOBAL=/dev/null\n${trick}\nmkdir -p src; echo x >> src/a.py; echo '{"outcome":"done","summary":"ok"}'\n`,
  });
  chmodSync(join(project.dir, 'agent.sh'), 0o755);
  const git = (...args: string[]): string =>
    execFileSync('git', ['-c', 'user.name=x', '-c', 'user.email=x@y', '-c', 'init.defaultBranch=main', ...args], {
      cwd: project.dir,
      encoding: 'utf8',
    });
  git('init', '-q');
  git('commit', '-q', '--allow-empty', '-m', 'empty');
  git('branch', 'spare');
  git('add', '.');
  git('commit', '-qm', 'all');
  git('tag', 'v1');
  return { project, git };
}

const who = '-c user.name=x -c user.email=x@y';

describe('an agent in the checkout, without protect and without a scope,', () => {
  it.each([
    ['deletes a branch', 'git branch -qD spare', 'refs/heads/spare'],
    ['moves a branch', 'git branch -qf spare main', 'refs/heads/spare'],
    ['deletes a tag', 'git tag -d v1 > /dev/null', 'refs/tags/v1'],
    ['makes the last commit anew', `git ${who} commit -q --amend -m other`, 'refs/heads/main'],
    ['checks out a new branch', 'git checkout -qb mine', 'HEAD'],
    ['leaves all branches', 'git checkout -q --detach', 'HEAD'],
  ])('%s: put back, exit code 4, and the task does not pass', async (_, trick, name) => {
    const { project, git } = studyOf(trick);
    const names = (): string =>
      `${git('symbolic-ref', 'HEAD')}${git('for-each-ref', 'refs/heads/main', 'refs/heads/spare', 'refs/tags')}`;
    const before = names();
    const { code, stdout } = await project.run('exec', '--reporter', 'plain');
    expect(stdout).toContain(`agent coder changed what is protected: ${name}; it has been put back`);
    expect(code).toBe(4);
    expect(names()).toBe(before);
    expect(project.journal().some(({ type }) => type === 'task-finished')).toBe(false);
  });

  it('commits its work, makes branches and tags: that is nobody else’s', async () => {
    const { project, git } = studyOf(
      `echo 1 > src/b; git add src/b; git ${who} commit -qm b; git branch own; git tag v2`,
    );
    expect(await project.run('exec', '--reporter', 'plain')).toMatchObject({ code: 0 });
    expect(git('log', '--format=%s', '-1')).toBe('b\n');
  });
});

describe('an agent with a scope, and without protect,', () => {
  it.each([
    ['sets a hook', 'echo "exit 0" > .git/hooks/pre-commit', '.git/hooks/pre-commit'],
    ['changes a setting', 'git config core.pager evil', '.git/config'],
  ])('%s: put back, exit code 4', async (_, trick, name) => {
    const { project, git } = studyOf(trick, { scope: ['src/**'] });
    const { code, stdout } = await project.run('exec', '--reporter', 'plain');
    expect(stdout).toContain(name);
    expect(code).toBe(4);
    expect(existsSync(join(project.dir, '.git/hooks/pre-commit'))).toBe(false);
    expect(git('config', '--local', '--list')).not.toContain('evil');
  });

  it('hides a change from git in another worktree of the person: put back, exit code 4', async () => {
    const hide =
      '(cd "$PWD.own" && git update-index --assume-unchanged eval/score.py && echo "score = 1" > eval/score.py)';
    const { project, git } = studyOf(hide, { scope: ['src/**'] });
    git('worktree', 'add', '-q', `${project.dir}.own`, '-b', 'own');
    try {
      const { code, stdout } = await project.run('exec', '--reporter', 'plain');
      const name = `../${basename(project.dir)}.own/eval/score.py`;
      expect(stdout).toContain(`agent coder changed what is protected: ${name}; it has been put back`);
      expect(code).toBe(4);
      expect(git('-C', `${project.dir}.own`, 'ls-files', '-v', 'eval')).toBe('H eval/score.py\n');
      expect(git('-C', `${project.dir}.own`, 'status', '--porcelain')).toBe(' M eval/score.py\n');
    } finally {
      rmSync(`${project.dir}.own`, { recursive: true, force: true });
    }
  });

  it('hides a change from git in a submodule: put back, exit code 4', async () => {
    const hide = '(cd lib && git update-index --skip-worktree x && echo y > x)';
    const { project, git } = studyOf(hide, { scope: ['src/**', 'lib/**'] });
    git('clone', '-q', '--branch', 'spare', project.dir, 'lib');
    project.write('lib/x', 'x\n');
    for (const args of [
      ['add', 'x'],
      ['commit', '-qm', 'x'],
    ])
      git('-C', 'lib', ...args);
    git('-c', 'advice.addEmbeddedRepo=false', 'add', 'lib');
    git('commit', '-qm', 'lib');
    const { code, stdout } = await project.run('exec', '--reporter', 'plain');
    expect(stdout).toContain('agent coder changed what is protected: lib/x; it has been put back');
    expect(code).toBe(4);
    expect(git('-C', 'lib', 'ls-files', '-v')).toBe('H x\n');
  });

  it('checks out another branch, so that all files are others: everything is put back', async () => {
    const { project, git } = studyOf('git checkout -q spare', { scope: ['src/**'] });
    expect((await project.run('exec', '--reporter', 'plain')).code).toBe(4);
    expect(git('symbolic-ref', 'HEAD')).toBe('refs/heads/main\n');
    expect(project.read('eval/score.py')).toBe('score = 0.5\n');
    expect(git('status', '--short', '--', 'eval', 'agent.sh', '.gitignore')).toBe('');
  });
});

describe('a tree that is too large to be put back', () => {
  it('keeps an agent with a scope from being asked, with what to do about it', async () => {
    const { project } = studyOf('echo asked > src/asked', { scope: ['src/**'], retry: { attempts: 3 } });
    execFileSync('truncate', ['-s', '2G', 'weights.bin'], { cwd: project.dir });
    const { code, stdout } = await project.run('exec', '--reporter', 'plain');
    expect(stdout).toContain(
      'there is more outside of its scope than could be put back: 1 files, 2.1 GB (at most 50000, 1.0 GB), most of it in weights.bin; the agent was not asked',
    );
    expect(stdout).toContain('Move weights.bin out of the project and put a link in its place');
    expect(code).toBe(1);
    expect(project.exists('src/asked')).toBe(false);
    expect(project.journal().filter(({ type }) => type === 'task-started')).toHaveLength(1);
  });
});

describe('caches', () => {
  it('that an agent forged are not what its tests run', async () => {
    const { project } = studyOf('mkdir -p eval/__pycache__; echo forged > eval/__pycache__/score.pyc', {
      scope: ['src/**'],
      with: { instructions: 'x', verify: 'test ! -e eval/__pycache__/score.pyc' },
    });
    expect(await project.run('exec', '--reporter', 'plain')).toMatchObject({ code: 0 });
  });
});

describe('programs that an agent puts where npx looks first', () => {
  it('are not the git and the bash of the runner', async () => {
    const plant = (name: string): string =>
      `printf '#!/bin/sh\\ntouch %s/ran-${name}\\nexec /usr/bin/${name} "$@"\\n' "$PWD" > node_modules/.bin/${name}; chmod +x node_modules/.bin/${name}`;
    const { project, git } = studyOf(`mkdir -p node_modules/.bin; ${plant('git')}; ${plant('bash')}`, {
      protect: ['eval/**'],
    });
    const bin = join(project.dir, 'node_modules/.bin');
    const exec = (...args: string[]) =>
      ended(
        project.start(['exec', '--reporter', 'plain', ...args], {
          PATH: `${bin}:${dirname(process.execPath)}:${process.env.PATH}`,
        }),
      );
    expect(await exec()).toMatchObject({ code: 0 });
    // The traps are there, also for a run that begins with them.
    expect(await exec('--new', '--force', 'work')).toMatchObject({ code: 0 });
    expect(['git', 'bash'].map((name) => project.exists(`ran-${name}`))).toEqual([false, false]);
    expect(git('status', '--short', '--', 'eval')).toBe('');
    execFileSync(join(bin, 'git'), ['--version']);
    expect(project.exists('ran-git')).toBe(true);
  });
});
