import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { LoopProject } from '../support/loop-project.js';

const plain = ['exec', '--reporter', 'plain'] as const;

interface More {
  readonly files?: readonly string[];
  readonly keep?: 'best' | 'all';
  readonly outputs?: readonly string[];
  readonly head?: Readonly<Record<string, unknown>>;
  /** What measures, instead of the file in the submodule. */
  readonly measure?: string;
}

/** A loop whose number is what stands in `src/sm/a` where that is there, and else in `src/model`. */
function loopOf(doing: string, { files = ['src/**'], keep = 'best', outputs = [], head = {}, measure }: More = {}) {
  return new LoopProject([], {
    iterate: { max: 1, files: keep === 'all' ? undefined : files, keep },
    head,
    stages: {
      edit: {
        uses: 'command',
        with: { run: `sh edit.sh; echo {{iteration.number}} > src/turn` },
        outputs: ['src/turn'],
      },
      train: {
        uses: 'command',
        needs: ['edit'],
        outputs: ['log.txt', ...outputs],
        with: { run: measure ?? 'echo "loss=$(cat src/sm/a 2>/dev/null || cat src/model)" > log.txt' },
      },
    },
    files: { 'src/model': '5\n', 'edit.sh': `${doing}\n`, 'src/turn': '0\n' },
  });
}

/** Puts a submodule there, as `git submodule add` does. */
function addSubmodule(project: LoopProject, path = 'src/sm'): void {
  const from = join(project.stateHome, 'sub');
  const git = (...args: string[]) =>
    execFileSync('git', args, { env: { PATH: process.env.PATH!, HOME: project.stateHome }, stdio: 'pipe' });
  git('init', '-q', from);
  execFileSync('sh', ['-c', `echo 5 > ${from}/a`]);
  git('-C', from, 'add', 'a');
  git('-C', from, '-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '-qm', 'a');
  project.git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', from, path);
  project.commit('a submodule');
}

const commitInside = 'git -C src/sm -c user.name=a -c user.email=a@b commit -qam x';

describe('a submodule among the files of a loop', () => {
  it.each([
    ['an edit in it', 'echo 1 > src/sm/a'],
    ['a commit in it', `echo 1 > src/sm/a; ${commitInside}`],
  ])('is refused before anything runs, whatever would become of it: %s', async (_, doing) => {
    const project = loopOf(doing);
    addSubmodule(project);
    const { code, stderr } = await project.run(...plain);
    expect(stderr).toContain(
      'AR344 src/sm is a submodule, into which the files of the loop or outputs of its stages lead: git would keep nothing of what is written there',
    );
    expect(code).toBe(2);
    expect(project.exists('.autoresearch/default/iterations.jsonl')).toBe(false);
    expect((await project.run('plan')).stdout).toContain('AR344 src/sm is a submodule');
  });

  it('is refused where it is not checked out', async () => {
    const project = loopOf('true');
    addSubmodule(project);
    project.git('submodule', '--quiet', 'deinit', '-f', 'src/sm');
    expect(existsSync(join(project.dir, 'src/sm/a'))).toBe(false);
    const { code, stderr } = await project.run(...plain);
    expect(stderr).toContain('AR344 src/sm is a submodule');
    expect(code).toBe(2);
  });

  it('is refused where an output of a stage leads into it', async () => {
    const project = loopOf('true', { files: ['src/*'], outputs: ['src/sm/out'] });
    addSubmodule(project);
    const { code, stderr } = await project.run(...plain);
    expect(stderr).toContain('AR344 src/sm is a submodule');
    expect(code).toBe(2);
  });

  it('beside the loop is in the way of nobody; what is written in it is put back, and counts for nothing', async () => {
    const quiet = loopOf('echo 4 > src/model', { measure: 'echo "loss=$(cat src/model)" > log.txt' });
    addSubmodule(quiet, 'lib');
    expect(await quiet.run(...plain)).toMatchObject({ code: 0, stderr: '' });
    expect(quiet.verdicts()).toEqual(['0 kept', '1 kept']);

    const loud = loopOf('echo 1 > lib/a', { measure: 'echo "loss=$(cat lib/a)" > log.txt' });
    addSubmodule(loud, 'lib');
    const { code, stderr } = await loud.run(...plain);
    expect(stderr).toContain('lib/a: written in an iteration');
    expect(code).toBe(4);
    expect(readFileSync(join(loud.dir, 'lib/a'), 'utf8')).toBe('5\n');
    expect(loud.verdicts()).toEqual(['0 kept', '1 failed']);
  });

  it('is left alone where it is protected', async () => {
    const project = loopOf('echo 4 > src/model', {
      head: { protect: ['src/sm/**'] },
      measure: 'echo "loss=$(cat src/model)" > log.txt',
    });
    addSubmodule(project);
    expect(await project.run(...plain)).toMatchObject({ code: 0, stderr: '' });
    expect(project.verdicts()).toEqual(['0 kept', '1 kept']);
  });

  it.each([
    ['with files in its place', 'mkdir src/sm; echo 1 > src/sm/a'],
    ['with nothing in its place', 'echo 4 > src/model'],
  ])('that an iteration has committed makes it fail, %s', async (_, more) => {
    const link = '160000,0123456789012345678901234567890123456789,src/sm';
    const project = loopOf(
      `git update-index --add --cacheinfo ${link}; git -c user.name=a -c user.email=a@b commit -qm x; ${more}`,
    );
    const { code, stderr } = await project.run(...plain);
    expect(stderr).toBe('');
    expect(code).toBe(0);
    expect(project.verdicts()).toEqual(['0 kept', '1 failed']);
    expect(project.read('insights.md')).toContain(
      'src/sm: a submodule among the files of the loop, which no commit can hold; it was moved to ',
    );
    expect(project.git('ls-tree', '-r', '--name-only', 'HEAD', 'src')).toBe('src/model\nsrc/turn');
    expect(project.git('status', '--short', 'src')).toBe('');
    expect(existsSync(join(project.dir, 'src/sm'))).toBe(false);
    expect(project.read('src/model')).toBe('5\n');
    expect((await project.run('verify')).code).toBe(0);
  });

  it('that an iteration has added is moved away, and makes it fail', async () => {
    const project = loopOf(
      'git init -q src/sm; echo 1 > src/sm/a; git -C src/sm add a; git -C src/sm -c user.name=a -c user.email=a@b commit -qm x; git add src/sm',
    );
    const { code, stderr } = await project.run(...plain);
    expect(stderr).not.toContain('bug');
    expect(code).toBe(0);
    expect(project.verdicts()).toEqual(['0 kept', '1 failed']);
    expect(existsSync(join(project.dir, 'src/sm'))).toBe(false);
  });

  it('is in the way of nobody where nothing is put back', async () => {
    const project = loopOf(`echo 1 > src/sm/a; ${commitInside}`, { keep: 'all' });
    addSubmodule(project);
    expect(await project.run(...plain)).toMatchObject({ code: 0, stderr: '' });
    expect((await project.run('verify')).code).toBe(0);
  });
});
