import { execFileSync, spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { delimiter, dirname, join, resolve } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { GitProject, TreeDriver } from '../support/git-project.js';
import { configYaml, ended, Project } from '../support/project.js';
import { until } from '../support/until.js';

const driver = new TreeDriver();
afterAll(() => driver.close());

const passing = `a: { uses: command, with: { run: 'mkdir -p out && echo a > out/a.txt' }, outputs: [out/a.txt] }`;

/** Versions, sizes and times differ from machine to machine; what holds agents in here is a test of its own. */
const normal = (text: string, project: Project): string =>
  text
    .replaceAll(project.dir, '~')
    .replace(/^(✓ Node +)\d+\.\d+\.\d+$/m, '$1N.N.N')
    .replace(/^(✓ git +)\d.*$/m, '$1N.N.N')
    .replace(/^.* sandbox .*\n( .*\n)?/m, '')
    .replace(/ on (ext4|overlay|xfs|btrfs|tmpfs: gone.*|zfs|0x\w+)$/m, ' on DISK')
    .replace(/^(. disk +).* free/m, '$1N GB free')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME')
    .replaceAll(/process \d+ on/g, 'process PID on')
    .replaceAll(/\d+ kB/g, 'N kB')
    .replaceAll(/\b(\d+)-[a-z0-9]{4}\b/g, '$1-xxxx')
    // After the names of runs, in which a short one may stand by chance.
    .replaceAll(`on ${hostname()}`, 'on lab');

/** A coding CLI as npm lays it out. Who starts it leaves a trace. */
function fakeCli(project: Project, name: string, { from, version }: { from: string; version: string }): void {
  const folder = `npm/lib/${from}`;
  project.write(`${folder}/package.json`, JSON.stringify({ name: from, version }));
  project.write(`${folder}/cli.js`, `#!/bin/sh\ntouch ${project.dir}/started\n`);
  chmodSync(join(project.dir, folder, 'cli.js'), 0o755);
  mkdirSync(join(project.dir, 'npm/bin'), { recursive: true });
  symlinkSync(join(project.dir, folder, 'cli.js'), join(project.dir, 'npm/bin', name));
}

const hasTmux = spawnSync('tmux', ['-V']).status === 0;

const doctor = (project: Project, env: Record<string, string> = {}, ...args: string[]) =>
  ended(project.start(['doctor', ...args], env));

const pathOf = (project: Project): string => `${join(project.dir, 'npm/bin')}${delimiter}${process.env.PATH}`;

const asking = `
${passing}
b: { uses: agent, agent: coder, passEnv: [WANDB_PROJECT], with: { instructions: do it, verify: 'true' }, needs: [a] }
c: { uses: agent, agent: writer, with: { instructions: do it, verify: 'true' }, needs: [b] }`;

describe('doctor', () => {
  it('of a healthy project: everything with a tick, and nothing is changed or started', async () => {
    const project = new GitProject({
      'autoresearch.config.yaml': configYaml(
        asking,
        'name: study\nagents:\n  coder: { backend: claude, model: opus }\n  writer: { backend: claude, model: sonnet }',
      ),
      '.claude/.credentials.json': '{}',
      '.gitignore': '.autoresearch/\nnpm/\n.claude/\n',
    });
    fakeCli(project, 'claude', { from: '@anthropic-ai/claude-code', version: '2.1.3' });
    const before = project.snapshot();
    const { code, stdout, stderr } = await doctor(project, { PATH: pathOf(project), WANDB_PROJECT: 'x' });
    expect(normal(stdout, project)).toBe(`✓ Node        N.N.N
✓ git         N.N.N
✓ repository  on main
✓ commits     git knows who you are
✓ config      autoresearch.config.yaml: 3 stages, 3 tasks
✓ variables   WANDB_PROJECT is set
✓ agents      coder and writer: claude 2.1.3 (~/npm/bin/claude), a login is there
✓ state       .autoresearch/default (not yet made), on DISK
✓ disk        N GB free
✓ lock        free
✓ runs        none yet
✓ leftovers   none: no process, session, worktree or stash of an earlier run

All is well here.
`);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(project.snapshot()).toEqual(before);
    expect(existsSync(project.stateHome)).toBe(false);
    const quiet = await doctor(project, { PATH: pathOf(project), WANDB_PROJECT: 'x' }, '--quiet');
    expect(quiet).toEqual({ code: 0, stdout: '', stderr: '' });
  });

  it('of a sick project: each line with the fix, exit 1, and nothing is changed', async () => {
    const sleeping = `a: { uses: command, with: { run: 'mkdir -p out; echo $$ > out/pid; exec sleep 600' }, outputs: [out/a.txt] }`;
    const project = new GitProject({ 'autoresearch.config.yaml': configYaml(sleeping), '.gitignore': 'logs/\nout/\n' });
    // A runner that was killed without its helper, so that what it ran runs on.
    const child = project.start(['exec', '--quiet'], { AUTORESEARCH_RUNNER: 'direct' });
    const end = ended(child);
    await until(() => project.exists('out/pid') && project.read('out/pid') !== '');
    const pid = Number(project.read('out/pid'));
    try {
      child.kill('SIGKILL');
      await end;
      const name = 'default-iter-1-a';
      await driver.drive(project, [{ op: 'create', name }]);
      rmSync(join(project.dir, '.git/worktrees', name, 'autoresearch.json'));
      const ahead = 'default-iter-1-b';
      await driver.drive(project, [
        { op: 'create', name: ahead },
        { op: 'write', name: ahead, files: { 'new.txt': 'work\n' } },
        { op: 'commit', name: ahead },
      ]);
      project.write('a.txt', 'changed\n');
      project.git('stash', 'push', '-q', '-m', 'autoresearch: changes of the checkout');
      const vault = join(project.stateHome, 'autoresearch/vaults', 'a'.repeat(24));
      mkdirSync(vault, { recursive: true });
      writeFileSync(join(vault, 'project.json'), JSON.stringify({ root: join(project.dir, 'no/such/study') }));
      project.git('config', '--unset', 'user.email');
      project.write(
        'autoresearch.config.yaml',
        configYaml(
          asking,
          `name: study
agents:
  coder: { backend: codex, model: gpt-9, path: ./no/codex }
  writer: { backend: claude, path: npm/bin/claude }`,
        ),
      );
      fakeCli(project, 'claude', { from: '@anthropic-ai/claude-code', version: '2.1.3' });
      const before = project.snapshot();
      const { code, stdout, stderr } = await doctor(project);
      expect(normal(stdout, project).replaceAll(String(pid), 'PID')).toBe(`✓ Node        N.N.N
✓ git         N.N.N
✓ repository  on main
! commits     user.email is not set, so commits bear the name autoresearch
              → git config user.email you@example.org
! .gitignore  git does not ignore .autoresearch, so runs could be committed
              → echo .autoresearch/ >> .gitignore
! stashes     1 stash of your changes, made by autoresearch
              → git stash list
✓ config      autoresearch.config.yaml: 3 stages, 3 tasks
✗ variables   WANDB_PROJECT is to be passed on, but not set
              → export WANDB_PROJECT=…
! prices      nobody says what gpt-9 costs: give prices or limits.usd
              → autoresearch explain AR310
✗ agent       coder: ./no/codex is not there
              → npm install -g @openai/codex
! agent       writer: claude 2.1.3 (~/npm/bin/claude), but nothing says that somebody is logged in
              → claude /login
✓ state       .autoresearch/default, on DISK
✓ disk        N GB free
! lock        left behind by run 1-xxxx, process PID on lab, since TIME
              → autoresearch unlock
! runs        1; the newest, 1-xxxx: stopped
              → autoresearch exec
! processes   1 process of a run that was killed still runs: PID
              → autoresearch exec   (ends them and goes on), or: kill -9 PID
! worktrees   1 left behind with nothing in it, 1 with work that is nowhere else
              → autoresearch clean
! kept        1 vault in ~.state/autoresearch, N kB; 1 that nobody needs
              → autoresearch clean

2 things do not work here, 10 things to know about.
`);
      expect({ code, stderr }).toEqual({ code: 1, stderr: '' });
      expect(project.snapshot()).toEqual(before);
      expect(() => process.kill(pid, 0)).not.toThrow();
      const json = JSON.parse((await doctor(project, {}, '--json')).stdout);
      expect(json.outcome).toBe('failed');
      expect(json.checks.find(({ check }: { check: string }) => check === 'processes')).toMatchObject({
        standing: 'odd',
        pids: [pid],
      });
      // What it says to type mends it.
      expect((await project.run('unlock')).code).toBe(0);
      expect((await project.run('clean')).stdout).toContain('Removed 1 worktree\n');
      const after = (await doctor(project)).stdout;
      expect(after).toMatch(/✓ lock +free/);
      expect(after).toMatch(/! worktrees +1 with work that is nowhere else\n.*→ autoresearch clean --dry-run/);
      expect(after).not.toContain('kept  ');
    } finally {
      process.kill(pid, 'SIGKILL');
    }
  });

  it('works without a config and outside of a repository', async () => {
    const project = new Project();
    const { code, stdout } = await doctor(project, {
      GIT_CEILING_DIRECTORIES: dirname(project.dir),
      PATH: `${resolve(import.meta.dirname, '../support/bin')}:/usr/bin:/bin`,
    });
    // Which of them a machine has is its own affair.
    const here = normal(stdout, project).replace(/^✓ schedulers .*$/m, '✓ schedulers  THOSE');
    expect(here).toBe(`✓ Node        N.N.N
✓ git         N.N.N
! repository  ~ is in none
              → git init
! config      none here or above
              → autoresearch init
✓ agents      no coding CLI is here; a study with agents needs one: npm install -g @anthropic-ai/claude-code
✓ schedulers  THOSE
✓ state       .autoresearch/default (not yet made), on DISK
✓ disk        N GB free
✓ lock        free
✓ runs        none yet
✓ leftovers   none: no process, session, worktree or stash of an earlier run

2 things to know about.
`);
    expect(code).toBe(0);
    expect(readdirSync(project.dir)).toEqual([]);
  });

  it('without a config it says which agents and schedulers a study could use', async () => {
    const project = new Project();
    fakeCli(project, 'claude', { from: '@anthropic-ai/claude-code', version: '2.1.3' });
    fakeCli(project, 'codex', { from: '@openai/codex', version: '0.9.0' });
    for (const name of ['sbatch', 'squeue', 'sacct', 'scancel', 'kubectl'])
      project.write(`npm/bin/${name}`, '#!/bin/sh\n');
    for (const name of ['sbatch', 'squeue', 'sacct', 'scancel']) chmodSync(join(project.dir, 'npm/bin', name), 0o755);
    const PATH = `${join(project.dir, 'npm/bin')}:/bin`;
    const lines = async (env: Record<string, string>) =>
      (await doctor(project, { PATH, ...env })).stdout.match(/^. (agents|schedulers) .*\n( .*\n)?/gm);
    expect(await lines({})).toEqual([
      '! agents      claude 2.1.3 without a login and codex 0.9.0 without a login\n              → claude /login\n',
      expect.stringMatching(/^✓ schedulers {2}slurm(?: and kubernetes)?, and this machine\n/),
    ]);
    expect((await lines({ CODEX_API_KEY: 'x' }))?.[0]).toBe(
      '✓ agents      claude 2.1.3 without a login and codex 0.9.0 with a login\n',
    );
    expect(project.exists('started')).toBe(false);
  });

  it('of a broken config says how many problems it has, and still looks at its agents', async () => {
    const project = new GitProject({
      'autoresearch.config.yaml': configYaml(
        `${asking}\nd: { uses: command, with: { run: 'true' }, needs: [nobody, none] }`,
        'name: study\nagents:\n  coder: { backend: codex, path: ./no/codex, limits: { usd: 1 } }\n  writer: { backend: command, run: ./no.sh }',
      ),
    });
    const { code, stdout } = await doctor(project);
    expect(code).toBe(1);
    expect(stdout).toContain(
      '✗ config      autoresearch.config.yaml has 2 problems\n              → autoresearch plan\n',
    );
    expect(stdout).toContain('✗ agent       coder: ./no/codex is not there\n');
    expect(stdout).toContain('✗ agent       writer: ./no.sh is not there\n              → ls -l ./no.sh\n');
    project.write('autoresearch.config.yaml', 'stages: [not, right');
    const worse = await doctor(project);
    expect(worse.code).toBe(1);
    expect(worse.stdout).toContain('✗ config      autoresearch.config.yaml has 1 problem\n');
    const named = await doctor(project, {}, '--config', 'no.yaml', '--json');
    expect(named.code).toBe(1);
    expect(JSON.parse(named.stdout).checks.find(({ check }: { check: string }) => check === 'config')).toEqual({
      check: 'config',
      standing: 'wrong',
      kind: 'invalid',
      problems: 1,
      says: 'it has 1 problem',
      fix: 'autoresearch plan --config no.yaml',
    });
  });

  it('a config that exec would refuse is none that works', async () => {
    const project = new GitProject({
      'autoresearch.config.yaml': configYaml(
        `a: { uses: command, with: { run: 'cat in.txt > out.txt' }, inputs: [in.txt], outputs: [out.txt] }`,
      ),
    });
    expect((await project.run('exec')).code).toBe(2);
    const { code, stdout } = await doctor(project);
    expect(code).toBe(1);
    expect(stdout).toContain(
      '1 stage, 1 task, but exec would refuse it for 1 reason\n              → autoresearch plan\n',
    );
  });

  it('of repositories: bare, shallow, without a commit, of somebody else', async () => {
    const project = new GitProject({ 'autoresearch.config.yaml': configYaml(passing) });
    const folder = mkdtempSync(join(tmpdir(), 'autoresearch-doctor-'));
    try {
      const git = (...args: string[]) => execFileSync('git', args, { cwd: folder, stdio: 'ignore' });
      git('clone', '-q', '--bare', project.dir, 'bare');
      git('init', '-q', '-b', 'main', 'new');
      const told = async (name: string): Promise<string> =>
        (await project.run('doctor', '--cwd', join(folder, name))).stdout;
      expect(await told('bare')).toContain(
        `! repository  bare: it has no files to work on\n              → git clone ${folder}/bare\n`,
      );
      project.git('commit', '-q', '--allow-empty', '-m', 'second');
      git('clone', '-q', '--depth', '1', `file://${project.dir}`, 'cut');
      expect(await told('cut')).toContain(
        '! repository  on main, but shallow: its history is cut off\n              → git fetch --unshallow\n',
      );
      expect(await told('new')).toContain(
        '! repository  without a commit\n              → git add . && git commit -m "first"\n',
      );
      // Only root can give a folder away.
      if (process.getuid?.() === 0) {
        for (const part of ['new', 'new/.git']) chownSync(join(folder, part), 12_345, 12_345);
        expect(await told('new')).toMatch(
          new RegExp(
            `✗ repository {2}git cannot read it: fatal: detected dubious ownership.*\n +→ git config --global --add safe.directory ${folder}/new\n`,
          ),
        );
      }
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  it('a journal that was tampered with, and a folder of worktrees that is a link, are named', async () => {
    const project = new GitProject({ 'autoresearch.config.yaml': configYaml(passing) });
    expect((await project.run('exec', '--quiet')).code).toBe(0);
    const [run] = readdirSync(join(project.dir, '.autoresearch/default/runs'));
    const journal = `.autoresearch/default/runs/${run}/journal.jsonl`;
    project.write(journal, project.read(journal).replace('"passed"', '"failed"'));
    symlinkSync(project.dir, join(project.dir, '.autoresearch/default/worktrees'));
    const { code, stdout } = await doctor(project);
    expect(code).toBe(1);
    expect(stdout).toMatch(new RegExp(`✗ runs +run ${run} cannot be trusted: .*\n +→ autoresearch exec --new\n`));
    expect(stdout).toContain(`${project.dir}/.autoresearch/default/worktrees is a link or no folder\n`);
  });

  it('while a run goes on, nothing of it is a leftover', async () => {
    const waiting = `a: { uses: command, with: { run: 'mkdir -p out; touch out/started; while [ ! -e out/go ]; do sleep 0.05; done; echo > out/a.txt' }, outputs: [out/a.txt] }`;
    const project = new GitProject({ 'autoresearch.config.yaml': configYaml(waiting) });
    const child = project.start(['exec', '--quiet']);
    const end = ended(child);
    await until(() => project.exists('out/started'));
    await driver.drive(project, [{ op: 'create', name: 'default-iter-1-a' }]);
    const { code, stdout } = await doctor(project);
    project.write('out/go', '');
    expect((await end).code).toBe(0);
    expect(code).toBe(0);
    expect(normal(stdout, project)).toContain('✓ lock        held by run 1-xxxx, process PID on lab, since TIME\n');
    expect(stdout).toContain('✓ worktrees   1, while a run goes on\n');
    expect(stdout).not.toContain('processes');
  });

  it.skipIf(!hasTmux)('names terminals of agents that are still open, and how to get into one', async () => {
    const project = new GitProject({ 'autoresearch.config.yaml': configYaml(passing) });
    expect((await project.run('exec', '--quiet')).code).toBe(0);
    const socket = join(project.dir, '.autoresearch/default/tmux.sock');
    const env = { PATH: process.env.PATH!, HOME: project.dir, LANG: 'C.UTF-8' };
    execFileSync('tmux', ['-S', socket, 'new-session', '-d', '-s', 'study-coder', 'sleep 600'], { env });
    try {
      const { code, stdout } = await doctor(project);
      expect(code).toBe(0);
      expect(stdout).toContain(
        `! sessions    1 terminal of agents is open: study-coder; look: tmux -S ${socket} attach -t study-coder
              → autoresearch clean --sessions\n`,
      );
      expect((await project.run('clean', '--sessions')).stdout).toBe('Ended 1 session: study-coder\n');
      expect((await doctor(project)).stdout).toContain('✓ leftovers');
    } finally {
      try {
        execFileSync('tmux', ['-S', socket, 'kill-server'], { env, stdio: 'ignore' });
      } catch {
        // It has ended with its last session.
      }
    }
  });

  it('says which level of the sandbox is in force, and 2 for a wrong option', async () => {
    const project = new GitProject({
      'autoresearch.config.yaml': configYaml(
        `a: { uses: agent, agent: coder, with: { instructions: do it, verify: 'true' } }`,
        'name: study\nsandbox: bwrap\nagents:\n  coder: { backend: command, run: "true" }',
      ),
    });
    const plan = (await project.run('plan')).stdout;
    const { code, stdout } = await doctor(project);
    if (plan.includes('AR329')) {
      expect(stdout).toMatch(/✗ sandbox +bwrap is asked for, but /);
      expect(code).toBe(1);
    } else {
      expect(stdout).toContain('✓ sandbox     bubblewrap: agents can write only what they may\n');
      expect(code).toBe(0);
    }
    expect((await doctor(project, {}, '--fix')).code).toBe(2);
  });
});
