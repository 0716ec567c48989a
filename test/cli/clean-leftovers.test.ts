import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { GitProject, TreeDriver } from '../support/git-project.js';
import { configYaml, ended, Project } from '../support/project.js';
import { until } from '../support/until.js';

/** Git starts many processes, and others may be at work on this machine. */
const slow = { timeout: 180_000 };

const study = configYaml(`a: { uses: command, with: { run: 'echo a > out/a.txt' }, outputs: [out/a.txt] }`);
const driver = new TreeDriver();
const tmp = mkdtempSync(join(tmpdir(), 'autoresearch-clean-'));
afterAll(() => {
  driver.close();
  rmSync(tmp, { recursive: true, force: true });
});

const inRepository = (): GitProject => new GitProject({ 'autoresearch.config.yaml': study });

/** Where the tests' branches come from: `auto/` and this. */
const [done, ahead, dirty] = ['default-iter-1-done', 'default-iter-1-ahead', 'default-iter-1-dirty'];

describe('clean, of worktrees', slow, () => {
  it('removes what is clean and merged, and names what holds work that is nowhere else', async () => {
    const project = inRepository();
    const make = (name: string) => [
      { op: 'create' as const, name },
      { op: 'write' as const, name, files: { [`${name}.txt`]: 'work\n' } },
    ];
    await driver.drive(project, [
      ...make(done),
      { op: 'commit', name: done },
      { op: 'merge', name: done },
      ...make(ahead),
      { op: 'commit', name: ahead },
      ...make(dirty),
    ]);
    const refs = project.git('for-each-ref');
    const dry = await project.run('clean', '--dry-run');
    const text = `No run to remove (asked for: all but the newest 10)
Would remove 1 worktree
  ✗ auto/${done}  nothing in it that is not merged
  ≡ auto/${ahead}  kept: 1 commit that is not merged; look: git log -p HEAD..auto/${ahead}
  ≡ auto/${dirty}  kept: ${project.tree(dirty)} has changes that are in no commit: ${dirty}.txt; look: git -C ${project.tree(dirty)} status --ignored
`;
    expect(dry).toEqual({ code: 0, stderr: '', stdout: text });
    expect(project.git('for-each-ref')).toBe(refs);
    expect(existsSync(project.tree(done))).toBe(true);
    const real = await project.run('clean');
    expect(real).toEqual({ code: 0, stderr: '', stdout: text.replace('Would remove', 'Removed') });
    expect(readdirSync(project.tree('.')).sort()).toEqual([ahead, dirty].sort());
    expect(project.git('branch', '--list', 'auto/*')).not.toContain(done);
    expect(project.git('show', `auto/${ahead}:${ahead}.txt`)).toBe('work');
    expect(project.git('worktree', 'list')).not.toContain(done);
    // The commands that it names work.
    expect(project.git('log', '-p', `HEAD..auto/${ahead}`)).toContain('+work');
    expect(project.git('-C', project.tree(dirty), 'status', '--ignored')).toContain(`${dirty}.txt`);
  });

  it('a kill -9 at each step of making one leaves nothing that clean does not get rid of', {
    timeout: 240_000,
  }, async () => {
    const whole = inRepository();
    const log = join(whole.dir, 'out.log');
    await driver.drive(whole, [{ op: 'create', name: done }], { KILL_LOG: log });
    const steps = whole.read('out.log').trimEnd().split('\n');
    const moments = steps.flatMap((step, at) => [
      { KILL_AT: String(at), KILL_HOW: 'before' },
      ...(/^git (update-ref|worktree)/.test(step) ? [{ KILL_AT: String(at), KILL_HOW: 'after' }] : []),
    ]);
    expect(moments.length).toBeGreaterThan(15);
    let left = 0;
    for (const moment of moments) {
      const project = inRepository();
      const refs = project.git('for-each-ref');
      expect(await driver.drive(project, [{ op: 'create', name: done }], moment)).toBe('SIGKILL');
      const { stdout } = await project.run('clean');
      left += stdout.includes('Removed 1 worktree') ? 1 : 0;
      expect({ moment, stdout, refs: project.git('for-each-ref') }).toMatchObject({ refs });
      expect({ moment, stdout, is: existsSync(project.tree(done)) }).toMatchObject({ is: false });
      expect(project.git('worktree', 'list').split('\n')).toHaveLength(1);
    }
    expect(left).toBeGreaterThan(4);
  });

  it.each([[['bases']], [['bases', 'tips']]])(
    'a git that died between the refs of one, after %j: they go',
    async (moved) => {
      const project = inRepository();
      const refs = project.git('for-each-ref');
      for (const what of moved) project.git('update-ref', `refs/autoresearch/${what}/auto/${done}`, 'HEAD');
      expect((await project.run('clean')).stdout).toContain('Removed 1 worktree');
      expect(project.git('for-each-ref')).toBe(refs);
    },
  );

  it('a half-made one with a file that is in no commit stays', async () => {
    const project = inRepository();
    await driver.drive(project, [{ op: 'create', name: done }]);
    const mark = join(project.dir, '.git/worktrees', done, 'autoresearch.json');
    rmSync(mark);
    writeFileSync(join(project.tree(done), 'mine.txt'), 'mine');
    const { stdout } = await project.run('clean');
    expect(stdout).toContain(`≡ auto/${done}  kept: ${project.tree(done)} was never made to the end`);
    expect(existsSync(join(project.tree(done), 'mine.txt'))).toBe(true);
    rmSync(join(project.tree(done), 'mine.txt'));
    expect((await project.run('clean')).stdout).toContain('Removed 1 worktree\n');
    expect(existsSync(project.tree(done))).toBe(false);
  });

  it("leaves those of another agent id, and a person's own, alone", async () => {
    const project = inRepository();
    const [other, like] = ['other-iter-1-x', 'default-iter-1-iter-2-x'];
    await driver.drive(project, [{ op: 'create', name: done }]);
    mkdirSync(join(project.dir, '.autoresearch/other/worktrees'), { recursive: true });
    mkdirSync(join(project.dir, '.autoresearch/default-iter-1'), { recursive: true });
    // Branches without a folder, as a kill leaves them; the second looks as if it were ours.
    for (const name of [other, like])
      for (const kind of ['autoresearch/tips', 'autoresearch/bases', 'heads'])
        project.git('update-ref', `refs/${kind}/auto/${name}`, 'HEAD');
    project.git('worktree', 'add', '-q', join(`${project.dir}.state`, 'mine'), '-b', 'auto/default-iter-1-mine');
    const { stdout } = await project.run('clean');
    expect(stdout).toContain('Removed 1 worktree\n');
    expect(project.git('branch', '--format=%(refname:short)').split('\n')).toEqual([
      'auto/default-iter-1-iter-2-x',
      'auto/default-iter-1-mine',
      'auto/other-iter-1-x',
      'main',
    ]);
    expect((await project.run('clean', '--agent-id', 'other')).stdout).toContain(`✗ auto/${other}`);
  });

  it.each(['worktrees', 'worktrees/.trash', 'worktrees/.aside'])('follows no link at %s', async (place) => {
    const project = inRepository();
    await driver.drive(project, [{ op: 'create', name: done }]);
    const precious = join(project.dir, 'precious');
    const path = join(project.dir, '.autoresearch/default', place);
    if (existsSync(path)) renameSync(path, precious);
    // What lies behind the link looks as a tree that was half removed does: nothing but files of the commit.
    else mkdirSync(join(precious, done, 'src'), { recursive: true });
    writeFileSync(join(precious, done, 'a.txt'), 'a\n');
    symlinkSync(precious, path);
    const { code, stdout } = await project.run('clean');
    expect(code).toBe(0);
    expect(stdout).toContain(`Worktrees were left alone
  ≡ .autoresearch/default/${place}  kept: it is a link or no folder; look: ls -ld ${path}\n`);
    expect(existsSync(join(precious, done, 'a.txt'))).toBe(true);
  });

  it('a tree that became a link is not followed', async () => {
    const project = inRepository();
    await driver.drive(project, [{ op: 'create', name: done }]);
    const precious = join(project.dir, 'precious');
    renameSync(project.tree(done), precious);
    symlinkSync(precious, project.tree(done));
    const { stdout } = await project.run('clean');
    expect(stdout).toContain(`≡ auto/${done}  kept: ${project.tree(done)} is no folder any more`);
    expect(existsSync(join(precious, 'a.txt'))).toBe(true);
  });
});

const guarded = configYaml(
  `a: { uses: command, with: { run: 'sh a.sh' }, inputs: [a.sh], outputs: [a.txt] }`,
  'name: study\nprotect: [eval/**]',
);
const violate = 'echo 1.0 > eval/score.txt; echo a > a.txt';

/** Three runs: one that violated, and two that passed. */
async function violated(): Promise<Project> {
  const project = new Project({ 'autoresearch.config.yaml': guarded, 'eval/score.txt': '0.5\n', 'a.sh': violate });
  expect((await project.run('exec', '--quiet')).code).toBe(4);
  for (const count of [1, 2]) {
    project.write('a.sh', `echo ${count} > a.txt`);
    expect((await project.run('exec', '--quiet', '--new')).code).toBe(0);
  }
  return project;
}

const kept = (project: Project, kind: string): string => join(project.stateHome, 'autoresearch', kind);
const evidenceOf = (project: Project): string[] => {
  const folder = join(kept(project, 'evidence'), project.dir.split('/').at(-1)!);
  return existsSync(folder) ? readdirSync(folder) : [];
};

describe('clean, of vaults and evidence', slow, () => {
  it('keeps those of runs that stay, and takes evidence along with its run', async () => {
    const project = await violated();
    const [run] = evidenceOf(project);
    expect(run).toMatch(/^1-/);
    expect((await project.run('clean')).stdout).toBe('Nothing to remove (asked for: all but the newest 10)\n');
    const dry = await project.run('clean', '--keep', '1', '--dry-run');
    expect(evidenceOf(project)).toEqual([run]);
    const { stdout } = await project.run('clean', '--keep', '1');
    expect(dry.stdout.replaceAll('Would remove', 'Removed')).toBe(stdout);
    expect(stdout).toContain('Removed 1 piece of evidence, ');
    expect(stdout).toContain(`/evidence/${project.dir.split('/').at(-1)}/${run}/1  run ${run} is gone\n`);
    expect(evidenceOf(project)).toEqual([]);
    expect(readdirSync(kept(project, 'vaults'))).toHaveLength(1);
    // Of the run that stays its end is noted.
    expect(readdirSync(kept(project, 'ends'))).toHaveLength(1);
    expect(readdirSync(join(project.stateHome, 'autoresearch')).sort()).toEqual(['ends', 'evidence', 'vaults']);
  });

  it('keeps evidence that is younger than the runs that are left, or has none to be compared with', async () => {
    const project = await violated();
    const [run] = evidenceOf(project);
    const folder = join(kept(project, 'evidence'), project.dir.split('/').at(-1)!, run!, '1');
    // Somebody made the run vanish.
    rmSync(join(project.dir, '.autoresearch/default/runs', run!), { recursive: true });
    const later = new Date(Date.now() + 60_000);
    utimesSync(folder, later, later);
    expect((await project.run('clean')).stdout).toContain(
      `kept: run ${run} is gone, but this is younger than the runs that are left\n`,
    );
    rmSync(join(project.dir, '.autoresearch'), { recursive: true });
    const { stdout } = await project.run('clean');
    expect(stdout).toContain(`kept: run ${run} is gone, and no run is left; --older lets it go\n`);
    expect(stdout).toContain('no run is left that it belongs to');
    expect(readdirSync(kept(project, 'vaults'))).toEqual([]);
    expect(existsSync(folder)).toBe(true);
    const past = new Date(Date.now() - 86_400_000);
    utimesSync(folder, past, past);
    await project.run('clean', '--older', '1h');
    expect(existsSync(folder)).toBe(false);
  });

  it('removes those of projects that are gone, not those of a disk that may only not be mounted, nor strangers', async () => {
    const project = await violated();
    const [gone, away, there] = ['0', '1', '2'].map((digit) => join(kept(project, 'vaults'), digit.repeat(24)));
    const unknown = join(kept(project, 'vaults'), '3'.repeat(24));
    mkdirSync(join(project.dir, 'mountpoint'));
    const mark = (vault: string, root: string): void => {
      mkdirSync(join(vault, 'copies'), { recursive: true });
      writeFileSync(join(vault, 'project.json'), JSON.stringify({ root }));
    };
    mark(gone!, join(project.dir, 'no/such/study'));
    mark(away!, join(project.dir, 'mountpoint/study'));
    mark(there!, project.dir);
    mkdirSync(unknown);
    mkdirSync(join(kept(project, 'vaults'), 'notes'));
    const { stdout } = await project.run('clean');
    expect(stdout.replaceAll(project.dir, '~').replaceAll(/\d+ kB/g, '? kB')).toBe(
      `No run to remove (asked for: all but the newest 10)
Removed 1 vault, ? kB
  ✗ ~.state/autoresearch/vaults/${'0'.repeat(24)}  what it belongs to is gone: ~/no/such/study
  ≡ ~.state/autoresearch/vaults/${'1'.repeat(24)}  kept: ~/mountpoint/study is gone, or its disk is not mounted
  ≡ ~.state/autoresearch/vaults/${'3'.repeat(24)}  kept: nothing says whose it is; look at it and remove it by hand
  ≡ ~.state/autoresearch/vaults/notes  kept: autoresearch did not make it, or it is a link
`,
    );
    expect([gone!, away!, there!, unknown].map((path) => existsSync(path))).toEqual([false, true, true, true]);
  });

  it('ends a removal that was cut short', async () => {
    const project = await violated();
    const trash = join(project.stateHome, 'autoresearch/trash');
    mkdirSync(join(trash, '4711-0/copies'), { recursive: true });
    await project.run('clean', '--dry-run');
    expect(existsSync(trash)).toBe(true);
    await project.run('clean');
    expect(existsSync(trash)).toBe(false);
  });

  it.each(['none', 'worktree'])(
    'a killed run goes on as before, isolation %s: what it protects stays',
    async (isolation) => {
      const run = 'sh a.sh';
      const stages = { a: { uses: 'command', with: { run }, outputs: ['a.txt'], isolation } };
      const project = new GitProject({
        'autoresearch.config.json': JSON.stringify({ name: 'study', protect: ['eval/**'], stages }),
        'eval/score.txt': '0.5\n',
        'a.sh': `touch ${tmp}/started; while [ ! -e ${tmp}/go ]; do sleep 0.05; done; echo > a.txt`,
      });
      const [started, go] = [join(tmp, 'started'), join(tmp, 'go')];
      for (const file of [started, go]) rmSync(file, { force: true });
      const child = project.start(['exec', '--quiet']);
      const end = ended(child);
      await until(() => existsSync(started));
      child.kill('SIGKILL');
      await end;
      const { stdout } = await project.run('clean', '--keep', '0');
      const tree = 'auto/default-iter-1-a';
      expect(stdout.includes(`≡ ${tree}  kept: the unfinished run goes on in it\n`)).toBe(isolation === 'worktree');
      const told = (await project.run('doctor')).stdout;
      expect(told).toMatch(/! runs +1; the newest, 1-\w+: stopped/);
      expect(told).not.toContain('worktrees  ');
      expect(told).toMatch(new RegExp(`✓ kept +${isolation === 'worktree' ? 2 : 1} vaults? in `));
      writeFileSync(go, '');
      expect(await project.run('exec', '--quiet')).toMatchObject({ code: 0, stderr: '' });
      expect(project.journal().filter(({ type }) => type === 'run-started')).toHaveLength(2);
      expect((await project.run('clean')).stdout).not.toContain('vault');
    },
  );

  it.each(['autoresearch', 'autoresearch/vaults', 'autoresearch/evidence', 'autoresearch/trash'])(
    'follows no link at %s',
    async (place) => {
      const project = await violated();
      const precious = join(project.dir, 'precious');
      const path = join(project.stateHome, place);
      if (existsSync(path)) renameSync(path, precious);
      else mkdirSync(precious);
      // Behind the link is what looks like a vault of a project that is gone.
      for (const inside of ['', 'vaults', 'evidence/study/1-aaaa', 'study/1-aaaa']) {
        const vault = join(precious, inside, inside.includes('study') ? '1' : 'f'.repeat(24));
        mkdirSync(vault, { recursive: true });
        writeFileSync(join(vault, 'project.json'), JSON.stringify({ root: '/no/such/study' }));
      }
      const before = readdirSync(precious, { recursive: true }).sort();
      symlinkSync(precious, path);
      if (place === 'autoresearch/trash') {
        mkdirSync(join(kept(project, 'vaults'), 'e'.repeat(24)));
        writeFileSync(join(kept(project, 'vaults'), 'e'.repeat(24), 'project.json'), '{"root":"/no/such/study"}');
      }
      const { code, stdout } = await project.run('clean');
      expect(code).toBe(0);
      expect(stdout.includes('Removed 1 vault')).toBe(place === 'autoresearch/trash');
      expect(readdirSync(precious, { recursive: true }).sort()).toEqual(before);
    },
  );

  it('a link in the place of a vault, or in one, is not followed', async () => {
    const project = await violated();
    const precious = join(project.dir, 'precious');
    mkdirSync(precious);
    writeFileSync(join(precious, 'project.json'), JSON.stringify({ root: '/no/such/study' }));
    const vault = (digit: string): string => join(kept(project, 'vaults'), digit.repeat(24));
    symlinkSync(precious, vault('a'));
    mkdirSync(vault('b'));
    writeFileSync(join(vault('b'), 'project.json'), JSON.stringify({ root: '/no/such/study' }));
    symlinkSync(precious, join(vault('b'), 'copies'));
    // A mark that is a link says nothing.
    mkdirSync(vault('c'));
    symlinkSync(join(precious, 'project.json'), join(vault('c'), 'project.json'));
    const { stdout } = await project.run('clean', '--json');
    const { places } = JSON.parse(stdout);
    expect(places.removed.map(({ path }: { path: string }) => path)).toEqual([vault('b')]);
    expect(places.kept.map(({ path, why }: { path: string; why: string }) => [path, why])).toEqual([
      [vault('c'), 'unmarked'],
    ]);
    expect(places.strange).toEqual([vault('a')]);
    expect(readdirSync(precious)).toEqual(['project.json']);
  });
});
