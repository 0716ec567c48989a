import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ended } from '../support/project.js';
import { until } from '../support/until.js';
import { isolated, nothingLeft, type TreeSketch, TreeStudy } from './tree-study.js';

const slow = { timeout: 180_000 };
const main = '"${PWD%%/.autoresearch/*}"';

/** One task whose agent writes its output, plays its trick, and is checked. */
const study = (trick: string, verify: string | string[], more: Partial<TreeSketch> & { stage?: object } = {}) => {
  const { stage, ...rest } = more;
  return new TreeStudy({
    agents: { a: `echo a > a.txt; ${trick}` },
    stages: { a: isolated({ with: { instructions: 'x', verify }, outputs: ['a.txt'], ...stage }) },
    files: { 'src/main.sh': 'true\n' },
    ignored: 'build/\n*.bin\nnode_modules/\n.venv/\n',
    ...rest,
  });
};

const tree = (own: TreeStudy): string => join(own.trees, 'default-iter-1-a');

describe('a check that passes only with what no commit keeps', slow, () => {
  const tricks: readonly (readonly [string, string, string, string, { readonly scope?: readonly string[] }])[] = [
    ['an ignored folder', 'mkdir build; echo x > build/x', 'cat build/x', 'build/', {}],
    ['an ignored file among others', 'echo x > src/x.bin', 'cat src/x.bin', 'src/x.bin', {}],
    [
      'a folder that it tells git to ignore',
      'mkdir lib; echo "*" > lib/.gitignore; echo x > lib/x',
      'cat lib/x',
      'lib/',
      {},
    ],
    [
      'a file that the repository is told to ignore',
      'echo hidden >> "$(git rev-parse --git-common-dir)/info/exclude"; echo x > hidden',
      'cat hidden',
      'hidden',
      {},
    ],
    ['a link to an ignored file', 'mkdir build; echo x > build/x; ln -s build/x x', 'cat x', 'build/', {}],
    [
      'a planted package',
      'mkdir -p node_modules/p; echo x > node_modules/p/x',
      'cat node_modules/p/x',
      'node_modules/',
      {},
    ],
    ['an empty folder', 'mkdir -p data/empty', 'test -d data/empty', 'data/', {}],
    ['an empty folder among files', 'mkdir src/empty', 'test -d src/empty', 'src/empty/', {}],
    ['a folder that it has emptied', 'rm src/main.sh', 'test -d src', 'src/', {}],
    ['a repository inside', 'git init -q inner; echo x > inner/x', 'cat inner/x', 'inner/', {}],
    ['what is called .git', 'mkdir src/.git; echo x > src/.git/x', 'cat src/.git/x', 'src/.git/', {}],
    [
      'what is called like our state',
      'mkdir -p .autoresearch; echo x > .autoresearch/x',
      'cat .autoresearch/x',
      '.autoresearch/',
      {},
    ],
    ['a pipe', 'mkfifo pipe', 'test -p pipe', 'pipe', {}],
    ['a name that is no text', 'echo x > "$(printf \'n\\377\')"', 'ls | grep -aq "^n"', 'n\ufffd', {}],
    ['a mode', 'chmod 604 src/main.sh', 'test "$(stat -c %a src/main.sh)" = 604', 'src/main.sh (mode 604)', {}],
    ['a mode of a folder', 'chmod 705 src', 'test "$(stat -c %a src)" = 705', 'src (mode 705)', {}],
    ['a folder that nobody may write', 'mkdir build; echo x > build/x; chmod 555 build', 'cat build/x', 'build/', {}],
    ['a file in its scope', 'echo x > src/x.bin', 'cat src/x.bin', 'src/x.bin', { scope: ['src/**', 'a.txt'] }],
    ['an empty folder outside of its scope', 'mkdir void', 'test -d void', 'void/', { scope: ['src/**', 'a.txt'] }],
  ];
  it.each(tricks)('%s: fails, and is told', async (_, trick, verify, what, stage) => {
    const own = study(`umask 022; ${trick}`, verify, { stage });
    const { code, stdout } = await own.exec();
    expect(stdout).toMatch(/\n✗ a {2}exited with code \d+ \(it was checked without .*, which no commit would keep\)\n/);
    expect(stdout).toContain(`(it was checked without ${what}, which no commit would keep)`);
    expect(code).toBe(1);
    expect(own.events('worktree-merged')).toEqual([]);
    expect(own.filesOf('main')).not.toContain('a.txt');
    // Nothing is lost: what its agent made is where it made it.
    expect(own.treeFolders()).toEqual(['default-iter-1-a']);
  });

  it('a file that it needs only when it meets the work of others', async () => {
    const verify = 'test ! -e b.txt || cat build/x';
    const own = new TreeStudy({
      agents: {
        a: `echo a > a.txt; mkdir build; echo x > build/x; while ! [ -e ${main}/b.txt ]; do sleep 0.05; done`,
        b: 'echo b > b.txt',
      },
      stages: {
        a: isolated({ with: { instructions: 'x', verify }, outputs: ['a.txt'] }),
        b: isolated({ outputs: ['b.txt'] }),
      },
      ignored: 'build/\n',
    });
    const { code, stdout } = await own.exec('--jobs', '2');
    expect(stdout).toContain('✗ a  exited with code 1 (it was checked without build/, which no commit would keep)\n');
    expect(code).toBe(1);
    expect(own.filesOf('main')).not.toContain('a.txt');
    expect(readFileSync(join(tree(own), 'build/x'), 'utf8')).toBe('x\n');
  });

  it('a file that whoever mends has left', async () => {
    const stage = { uses: 'command', isolation: 'worktree', with: { run: 'cat build/x > a.txt' }, outputs: ['a.txt'] };
    const own = new TreeStudy({
      agents: { a: 'mkdir -p build; echo x > build/x' },
      stages: { a: { ...stage, retry: { attempts: 2, fix: 'coder' } } },
      ignored: 'build/\n',
    });
    const { code, stdout } = await own.exec();
    expect(stdout).toContain(
      '✗ a  exited with code 1 (it was checked without build/, which no commit would keep) (attempt 2)\n',
    );
    expect(code).toBe(1);
  });

  it('what must be there, in a task file', async () => {
    const own = study('mkdir -p build; echo x > build/x', 'true', {
      agents: { 'impl:one': 'mkdir -p src; echo x > src/x.bin; echo y > src/y' },
      stages: {
        impl: {
          uses: 'tasks',
          agent: 'coder',
          isolation: 'worktree',
          with: { from: 'tasks.yaml', verify: 'cat src/x.bin' },
        },
      },
      files: { 'tasks.yaml': 'tasks:\n  - id: one\n    title: One\n    files: [src/**]\n' },
    } as never);
    const { code, stdout } = await own.exec();
    expect(stdout).toContain('exited with code 1 (it was checked without src/x.bin, which no commit would keep)');
    expect(code).toBe(1);
  });
});

describe('a check is not disturbed by what was set up on purpose', slow, () => {
  it('by packages and environments of the project, which the worktree sees from inside', async () => {
    const own = study('true', [`node -e "require('dep')"`, `cat ${main}/.venv/bin/x`]);
    own.put('node_modules/dep/index.js', '');
    own.put('.venv/bin/x', 'x\n');
    const { code, stdout } = await own.exec();
    expect(`${code} ${stdout}`).toMatch(/^0 /);
    expect(own.left()).toEqual(nothingLeft);
  });

  it('by what is lent, though git ignores it; as the project has it, whatever the agent made of it', async () => {
    const own = study(
      'cat build/in > a.txt; echo y > build/in; rm build/more',
      ['grep x build/in', 'grep z build/more'],
      {
        stage: { inputs: ['build/in', 'build/more'] },
      },
    );
    own.put('build/in', 'x\n');
    own.put('build/more', 'z\n');
    const { code, stdout } = await own.exec();
    expect(`${code} ${stdout}`).toMatch(/^0 /);
    expect(own.read('a.txt')).toBe('x\n');
    expect(own.read('build/in')).toBe('x\n');
    // What it wrote there is nowhere else.
    expect(stdout).toContain('a  its worktree stays: ');
    expect(readFileSync(join(tree(own), 'build/in'), 'utf8')).toBe('y\n');
    expect(existsSync(join(tree(own), 'build/more'))).toBe(false);
  });

  it('by outputs that git ignores, which are copied to the project', async () => {
    const own = study('mkdir build; echo x > build/out; echo y > build/spare', 'cat build/out; test ! -e build/spare', {
      stage: { outputs: ['a.txt', 'build/out'] },
    });
    const { code, stdout } = await own.exec();
    expect(`${code} ${stdout}`).toMatch(/^0 /);
    expect(own.read('build/out')).toBe('x\n');
  });

  it('by what the checks themselves make, which is newer than what the agent left', async () => {
    const own = study('mkdir build; echo old > build/x; echo more > build/more', [
      'test ! -e build && mkdir build && echo new > build/x',
      'grep new build/x',
    ]);
    const { code, stdout } = await own.exec();
    expect(`${code} ${stdout}`).toMatch(/^0 /);
    expect(stdout).toMatch(
      /\na {2}its worktree stays: .* has ignored files that are nowhere else: build\/more, build\/x/,
    );
    expect(readFileSync(join(tree(own), 'build/x'), 'utf8')).toBe('new\n');
    expect(readFileSync(join(tree(own), 'build/more'), 'utf8')).toBe('more\n');
  });

  it('the next attempt has what the last one left, modes of its folders included', async () => {
    const own = study(
      'if [ -e build/x ]; then echo 2 > done; else mkdir -p build/void; echo x > build/x; chmod 500 build; fi',
      'cat done',
      {
        stage: { retry: { attempts: 2 } },
      },
    );
    const { code, stdout } = await own.exec();
    expect(`${code} ${stdout}`).toMatch(/^0 /);
    expect(own.timesAsked()).toEqual(['a', 'a']);
    expect(statSync(join(tree(own), 'build')).mode & 0o777).toBe(0o500);
    expect(existsSync(join(tree(own), 'build/void'))).toBe(true);
  });

  it('a runner that is killed while they run loses nothing: the next one puts it back', async () => {
    const own = study(
      'mkdir -p build; echo x >> build/x',
      'test -e ../../../on || { touch ../../../begun; sleep 60; }',
    );
    const child = own.start(['exec', '--reporter', 'plain']);
    const end = ended(child);
    await until(() => own.exists('.autoresearch/begun'));
    expect(existsSync(join(tree(own), 'build'))).toBe(false);
    child.kill('SIGKILL');
    await end;
    expect(readFileSync(join(own.trees, '.away/default-iter-1-a/build/x'), 'utf8')).toBe('x\n');
    own.write('.autoresearch/on', '');
    const { code, stdout } = await own.exec();
    expect(`${code} ${stdout}`).toMatch(/^0 /);
    expect(readFileSync(join(tree(own), 'build/x'), 'utf8')).toBe('x\nx\n');
    expect(own.treeFolders()).toEqual(['default-iter-1-a']);
  });
});
