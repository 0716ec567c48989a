import { execFileSync } from 'node:child_process';
import { rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ended } from '../support/project.js';
import { isolated, nothingLeft, TreeStudy } from './tree-study.js';

const slow = { timeout: 180_000 };
const studyOf = (more: object = {}): TreeStudy =>
  new TreeStudy({ agents: { a: 'echo a > a.txt' }, files: { seen: 'x\n', other: 'x\n' }, ...more });

/** The whole text of a refusal; nothing has run. */
async function refused(study: TreeStudy, ...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await study.exec(...args);
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(study.timesAsked()).toEqual([]);
  expect(study.treeFolders()).toEqual([]);
  return stderr;
}

describe('a checkout with changes that are in no commit', slow, () => {
  it('is refused before anything runs', async () => {
    const study = studyOf();
    study.write('seen', 'changed\n');
    study.write('new', 'x\n');
    const lines = study.read('autoresearch.config.json').split('\n');
    const line = lines.findIndex((text) => text.includes('"isolation"')) + 1;
    const text = lines[line - 1]!;
    const column = text.indexOf('"worktree"') + 1;
    expect(await refused(study)).toBe(
      [
        `autoresearch.config.json:${line}:${column} AR509 your checkout has changes that are in no commit, so an agent in a worktree would not have them: seen, new`,
        ` ${line} | ${text}`,
        `    | ${' '.repeat(column - 1)}^~~~~~~~~~`,
        '    hint: Commit them, or put them aside with autoresearch exec --stash',
        '',
        '1 problem. Run autoresearch explain AR509 for more.',
        '',
      ].join('\n'),
    );
    expect(study.git('diff', '--stat')).toContain('seen');
    // Plan says so, too, instead of what to type next.
    const { code, stdout } = await study.run('plan');
    expect(code).toBe(0);
    expect(stdout).toContain(`autoresearch.config.json:${line}:${column} AR509 your checkout has changes`);
    expect(stdout).toMatch(/\nexec would refuse this plan until the notice above is dealt with\.\n$/);
  });

  it('--stash puts them aside, says where, and nothing is lost', async () => {
    const study = studyOf({ more: { protect: ['seen'] } });
    study.write('seen', 'changed\n');
    study.write('staged', 'staged\n');
    study.git('add', 'staged');
    study.git('rm', '-q', 'other');
    study.write('new/file', 'new\n');
    study.write('with space [x]*', 'odd\n');
    const { code, stdout, stderr } = await study.exec('--stash');
    expect(`${code} ${stdout}${stderr}`).toMatch(/^0 /);
    const stash = study.git('rev-parse', 'refs/stash');
    expect(stderr).toBe(`Your changes are put aside in ${stash.slice(0, 12)}; git stash pop brings them back.\n`);
    expect(study.events('checkout-stashed')).toMatchObject([{ commit: stash }]);
    expect(study.left()).toEqual({ ...nothingLeft, refs: ['refs/heads/main', 'refs/stash'] });
    study.git('stash', 'pop', '-q');
    expect(study.read('seen')).toBe('changed\n');
    expect(study.read('staged')).toBe('staged\n');
    expect(study.read('new/file')).toBe('new\n');
    expect(study.read('with space [x]*')).toBe('odd\n');
    expect(study.exists('other')).toBe(false);
    expect(study.read('a.txt')).toBe('a\n');
  });

  it('--stash leaves what stages have made, and does nothing when there is nothing to do', async () => {
    const study = new TreeStudy({
      agents: { a: 'cat made.txt > a.txt' },
      stages: {
        make: { uses: 'command', with: { run: 'date +%N > made.txt' }, outputs: ['made.txt'] },
        a: isolated({ needs: ['make'], inputs: ['made.txt'], outputs: ['a.txt'] }),
      },
    });
    await study.exec('--only', 'make');
    const made = study.read('made.txt');
    study.write('new', 'x\n');
    const { code, stdout } = await study.exec('--stash');
    expect(`${code} ${stdout}`).toMatch(/^0 /);
    expect(study.read('a.txt')).toBe(made);
    expect(study.exists('new')).toBe(false);
    study.git('stash', 'pop', '-q');
    expect((await study.exec('--stash')).code).toBe(0);
    expect(study.exists('new')).toBe(true);
    expect((await study.exec('--dry-run', '--stash', '--force', 'a')).code).toBe(0);
    expect(study.exists('new')).toBe(true);
  });

  it('--stash does not put the config aside that is run', async () => {
    const study = studyOf();
    study.put('autoresearch.config.json', `${study.get('autoresearch.config.json')}\n`);
    const stderr = await refused(study, '--stash');
    expect(stderr).toContain(
      'AR509 your config autoresearch.config.json has changes that are in no commit: put aside, they would not be what is run',
    );
    expect(stderr).toContain('hint: Commit it first');
    expect(study.status()).toBe(' M autoresearch.config.json');
  });

  it('files that were only touched are no changes, nor are outputs of stages', async () => {
    const study = studyOf();
    study.write('seen', 'x\n');
    study.write('a.txt', 'a\n');
    expect((await study.exec()).code).toBe(1);
    // What lies where the work is to go is not written over.
    const [{ failure }] = study.events('task-failed') as [{ failure: object }];
    expect(failure).toMatchObject({ code: 'worktree-failed', files: ['a.txt'] });
    rmSync(join(study.dir, 'a.txt'));
    const { code, stdout } = await study.exec();
    expect(`${code} ${stdout}`).toMatch(/^0 /);
    expect(study.timesAsked()).toEqual(['a']);
    expect(study.left()).toEqual(nothingLeft);
  });
});

describe('a repository that can have no worktrees', slow, () => {
  it.each<[string, (study: TreeStudy) => void, string, string]>([
    [
      'none at all',
      (study) => rmSync(join(study.dir, '.git'), { recursive: true }),
      'is in no git repository, so there can be no worktrees',
      'Run git init and make a first commit, or set isolation to none',
    ],
    [
      'no commit',
      (study) => {
        rmSync(join(study.dir, '.git'), { recursive: true });
        study.git('init', '-q', '-b', 'main');
      },
      'the repository has no commit yet, so there is nothing a worktree could begin with',
      'Commit your project first',
    ],
    [
      'no branch checked out',
      (study) => study.git('checkout', '-q', '--detach'),
      'a commit is checked out without a branch, so there is nothing to merge into',
      'Check out a branch',
    ],
    [
      'a merge that has begun',
      (study) => {
        study.git('checkout', '-q', '-b', 'side');
        study.write('seen', 'side\n');
        study.commit('side');
        study.git('checkout', '-q', 'main');
        study.git('merge', '-q', '--no-ff', '--no-commit', 'side');
      },
      'your checkout is in the middle of a merge',
      'Finish or abort it first',
    ],
  ])('%s: refused, with and without --stash', async (_, make, words, hint) => {
    const study = studyOf();
    make(study);
    for (const args of [[], ['--stash']]) {
      const stderr = await refused(study, ...args);
      expect(stderr).toContain(words);
      expect(stderr).toContain(`    hint: ${hint}\n`);
      expect(stderr).toContain(' AR509 ');
    }
  });

  it.each<[string, (study: TreeStudy) => void, string]>([
    [
      'a submodule',
      (study) => {
        execFileSync('git', ['clone', '-q', study.dir, `${study.dir}/sub`], { env: { PATH: process.env.PATH } });
        study.git('add', 'sub');
        study.git('commit', '-qm', 'sub');
      },
      'the repository has a submodule (sub), which worktrees of agents do not support',
    ],
    [
      'LFS',
      (study) => {
        study.write('.gitattributes', '*.bin filter=lfs diff=lfs merge=lfs -text\n');
        study.commit('lfs');
      },
      'the repository has a filter for files, such as LFS (.gitattributes), which worktrees of agents do not support',
    ],
  ])('%s: refused before anything runs', async (_, make, words) => {
    const study = studyOf();
    make(study);
    expect(await refused(study)).toContain(words);
  });
});

describe('a project that is not the top of its repository', slow, () => {
  it('works, commits and is merged there', async () => {
    const study = new TreeStudy({
      agents: { a: 'pwd > a.txt; cat eval/x >> a.txt; echo up > ../beside' },
      inside: 'studies/one',
      more: { protect: ['eval/**'] },
      files: { 'eval/x': '1\n' },
    });
    const { code, stdout, stderr } = await study.exec();
    expect(`${code} ${stdout}${stderr}`).toMatch(/^0 /);
    expect(study.get('a.txt')).toBe(`${study.trees}/default-iter-1-a/studies/one\n1\n`);
    expect(study.filesOf()).toContain('studies/one/a.txt');
    expect(study.read('studies/beside')).toBe('up\n');
    expect(study.left()).toEqual(nothingLeft);
  });

  it('without a line about the state folder in .gitignore', async () => {
    const study = new TreeStudy({ agents: { a: 'echo a > a.txt' }, inside: 'sub' });
    study.write('.gitignore', '');
    study.commit('nothing is ignored');
    const { code, stdout } = await study.exec();
    expect(`${code} ${stdout}`).toMatch(/^0 /);
    expect(study.events('worktree-committed')).toMatchObject([{ files: ['sub/a.txt'] }]);
  });

  it('that is the home of the person', async () => {
    const study = new TreeStudy({
      agents: { a: 'mkdir -p src; echo a > src/a' },
      inside: 'sub',
      more: { protect: ['eval/**'] },
      files: { 'eval/x': '1\n' },
      stage: { scope: ['src/**'], outputs: ['src/a'] },
    });
    const home = { HOME: study.dir };
    const { code, stdout, stderr } = await ended(study.start(['exec', '--reporter', 'plain', ...study.folder], home));
    expect(`${code} ${stdout}${stderr}`).toMatch(/^0 /);
    expect(study.left()).toEqual(nothingLeft);
  });

  it('writes in another part of the checkout are found', async () => {
    const study = new TreeStudy({
      agents: { a: 'echo a > a.txt; echo x > "${PWD%%/.autoresearch/*}/../else"' },
      inside: 'sub',
    });
    const { code, stdout } = await study.exec();
    expect(stdout).toContain('wrote in your checkout instead of in its worktree: ../else;');
    expect(code).toBe(4);
  });

  it('reached through a link', async () => {
    const study = new TreeStudy({ agents: { a: 'echo a > a.txt' }, inside: 'sub' });
    const link = `${study.dir}.link`;
    symlinkSync(study.dir, link);
    const config = join(link, 'sub/autoresearch.config.json');
    const { code, stdout } = await ended(study.start(['exec', '--reporter', 'plain', '--config', config]));
    rmSync(link);
    expect(`${code} ${stdout}`).toMatch(/^0 /);
    expect(study.get('a.txt')).toBe('a\n');
    expect(study.left()).toEqual(nothingLeft);
  });
});
