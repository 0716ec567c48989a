import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { LoopProject } from '../support/loop-project.js';
import { ended } from '../support/project.js';
import { until } from '../support/until.js';

const plain = ['exec', '--reporter', 'plain'] as const;

interface More {
  readonly model?: string;
  /** Of the stage that measures; the preset lists the files of the loop here, and nobody has to. */
  readonly inputs?: readonly string[];
  readonly files?: Readonly<Record<string, string>>;
  readonly train?: string;
}

/** A loop over src whose edits are these lines, one in each iteration; `src/model.sh` prints the number. */
const loopOf = (doing: readonly string[], { model = 'echo 5', inputs, files, train }: More = {}): LoopProject =>
  new LoopProject([], {
    iterate: { max: doing.length, files: ['src/**'] },
    stages: {
      edit: {
        uses: 'command',
        with: { run: 'sh edit.sh {{iteration.number}}; echo {{iteration.number}} > src/turn' },
        outputs: ['src/turn'],
      },
      train: {
        uses: 'command',
        needs: ['edit'],
        ...(inputs ? { inputs } : {}),
        outputs: ['log.txt'],
        with: { run: train ?? 'echo "loss=$(sh src/model.sh)" > log.txt' },
      },
    },
    files: {
      'src/model.sh': `${model}\n`,
      'src/turn': '0\n',
      'edit.sh': doing.map((line, at) => `[ "$1" != ${at + 1} ] || { ${line}; }\n`).join(''),
      ...files,
    },
  });

const rows = (project: LoopProject) =>
  project.rows().map(({ number, verdict, value }) => [number, verdict, value ?? null]);

/** Everything below src, folders with a slash. */
const treeOf = (project: LoopProject): string[] =>
  (readdirSync(join(project.dir, 'src'), { recursive: true, withFileTypes: true }) as import('node:fs').Dirent[])
    .filter(({ name }) => name !== 'turn')
    .map((one) => `${join(one.parentPath, one.name).slice(project.dir.length + 5)}${one.isDirectory() ? '/' : ''}`)
    .sort();

describe('empty folders among the files of a loop', () => {
  const better = (value: number, more = ':') => `echo "echo ${value}" > src/model.sh; ${more}`;

  it('are what they were in the best state after an iteration was put back: made, removed, filled, deep', async () => {
    const project = loopOf([
      better(9, 'mkdir -p src/new/deep; rmdir src/was/deep; rmdir src/was; echo x > src/filled/x; mkdir src/new2'),
    ]);
    for (const folder of ['src/was/deep', 'src/filled']) mkdirSync(join(project.dir, folder), { recursive: true });
    const before = treeOf(project);
    expect((await project.run(...plain)).stderr).toBe('');
    expect(rows(project)).toEqual([
      [0, 'kept', 5],
      [1, 'discarded', 9],
    ]);
    expect(treeOf(project)).toEqual(before);
  });

  it('of yours are there after every iteration, whatever became of it; those of iterations are not', async () => {
    const project = loopOf([
      better(4, 'mkdir -p src/kept/deep; rmdir src/was'),
      better(8, 'rm -r src/kept; echo x > src/was'),
      better(3, 'echo x > src/kept/deep/x; rm src/kept/deep/x'),
    ]);
    mkdirSync(join(project.dir, 'src/was'));
    expect((await project.run(...plain)).code).toBe(0);
    expect(rows(project).map(([, verdict]) => verdict)).toEqual(['kept', 'kept', 'discarded', 'kept']);
    expect(treeOf(project)).toEqual(['model.sh', 'was/']);
  });

  it('are no way to tell the next iteration anything: what is made while it is measured goes', async () => {
    // The number is better for whoever finds the folder of an earlier one.
    const cheat = 'if [ -d src/flag ]; then echo 0.1; else mkdir src/flag; echo $1; fi';
    const project = loopOf([
      `echo '${cheat.replace('$1', '4')}' > src/model.sh`,
      `echo '${cheat.replace('$1', '3')} # 2' > src/model.sh`,
    ]);
    expect((await project.run(...plain)).code).toBe(0);
    expect(rows(project)).toEqual([
      [0, 'kept', 5],
      [1, 'kept', 4],
      [2, 'kept', 3],
    ]);
    expect(treeOf(project)).toEqual(['model.sh']);
  });

  it('go also when only they were changed, when the baseline made them, and when a link leads out of the project', async () => {
    const outside = new LoopProject([]).dir;
    mkdirSync(join(outside, 'theirs'));
    const project = loopOf([`mkdir src/new; ln -s ${outside} src/link`], { model: 'mkdir -p src/by-baseline; echo 5' });
    expect((await project.run(...plain)).code).toBe(0);
    expect(rows(project).map(([, verdict]) => verdict)).toEqual(['kept', 'failed']);
    expect([treeOf(project), existsSync(join(outside, 'theirs'))]).toEqual([['model.sh'], true]);
  });

  it('also after a kill in the middle of the iteration', async () => {
    const hang = 'test "$(sh src/model.sh)" = 5 || test -e go || { touch begun; sleep 600; }';
    const project = loopOf([better(9, 'mkdir -p src/new; [ ! -e src/was ] || rmdir src/was')], {
      train: `${hang}; echo "loss=$(sh src/model.sh)" > log.txt`,
    });
    mkdirSync(join(project.dir, 'src/was'));
    const child = project.start([...plain]);
    const end = ended(child);
    await until(() => project.exists('begun') || child.exitCode !== null);
    child.kill('SIGKILL');
    await end;
    project.write('go', '');
    expect((await project.run(...plain)).code).toBe(0);
    expect(rows(project)[1]).toEqual([1, 'discarded', 9]);
    expect(treeOf(project)).toEqual(['model.sh', 'was/']);
  });
});

describe('code that changes itself while it is measured', () => {
  const reasonOf = (project: LoopProject): string => project.rows()[1]!.why;
  const words = (what: string) =>
    `${what} no longer what train was given: it was changed while the iteration was measured`;

  it.each([
    ['writes itself anew', `echo "echo 1" > src/model.sh; echo 1`, words('src/model.sh is')],
    [
      'puts another file into its place',
      'echo "echo 1" > src/n; mv src/n src/model.sh; echo 1',
      words('src/model.sh is'),
    ],
    [
      'keeps size and date',
      'touch -r src/model.sh r; sed -i s/2/3/ src/data; touch -r r src/data; rm r; echo 1',
      words('src/data is'),
    ],
    ['removes a file', 'rm src/data; echo 1', words('src/data is')],
    ['makes itself a program', 'chmod +x src/model.sh; echo 1', words('src/model.sh is')],
    [
      'leaves a file for the next one',
      'echo x > src/helper; echo 1',
      'src/helper is new since train began: it was written while the iteration was measured, and would be kept unmeasured',
    ],
    [
      'becomes a link',
      'cp src/model.sh src/m; ln -sf m src/model.sh; echo 1',
      'src/m and src/model.sh are no longer what train was given: they were changed while the iteration was measured',
    ],
  ])('and %s is put back, without inputs of the stage', async (_what, model, why) => {
    const project = loopOf(['cp next.sh src/model.sh'], { files: { 'src/data': '2\n', 'next.sh': `${model}\n` } });
    const { code, stderr } = await project.run(...plain);
    expect([code, stderr, rows(project), reasonOf(project)]).toEqual([
      0,
      '',
      [
        [0, 'kept', 5],
        [1, 'failed', null],
      ],
      why,
    ]);
    expect([treeOf(project), project.read('src/model.sh'), project.read('src/data')]).toEqual([
      ['data', 'model.sh'],
      'echo 5\n',
      '2\n',
    ]);
    expect(project.git('status', '--porcelain')).toBe('');
  });

  it('is put back where the stage lists its inputs, too', async () => {
    const project = loopOf([`echo 'echo "echo 1" > src/model.sh; echo 1' > src/model.sh`], { inputs: ['src/**'] });
    expect((await project.run(...plain)).code).toBe(0);
    expect([rows(project)[1], reasonOf(project)]).toEqual([[1, 'failed', null], words('src/model.sh is')]);
  });

  it('is put back where what runs it does the changing', async () => {
    const project = loopOf(['echo "echo 4" > src/model.sh'], {
      train: 'echo "loss=$(sh src/model.sh)" > log.txt; echo "# more" >> src/model.sh',
    });
    expect((await project.run(...plain)).code).toBe(0);
    expect([rows(project)[1], reasonOf(project)]).toEqual([[1, 'failed', null], words('src/model.sh is')]);
  });
});

describe('a repository inside of the files of a loop', () => {
  const init = (where: string) =>
    `git init -q ${where}; git -C ${where} -c user.name=x -c user.email=x@y commit -q --allow-empty -m x`;

  it.each([
    ['in a folder of its own', `mkdir src/inner; ${init('src/inner')}; echo x > src/inner/f`, 'src/inner/.git'],
    ['around tracked files', init('src'), 'src/.git'],
    ['as a file that leads elsewhere', 'echo "gitdir: /nowhere" > src/.git', 'src/.git'],
  ])('%s fails the iteration, is moved away, and the loop goes on', async (_what, run, name) => {
    const project = loopOf([`echo "echo 1" > src/model.sh; ${run}`, 'echo "echo 4" > src/model.sh']);
    const { code, stderr } = await project.run(...plain);
    expect([code, stderr, rows(project)]).toEqual([
      0,
      '',
      [
        [0, 'kept', 5],
        [1, 'failed', null],
        [2, 'kept', 4],
      ],
    ]);
    const why = project.rows()[1]!.why;
    expect(why).toMatch(
      new RegExp(
        `^${name.replaceAll('.', '\\.')}: a repository of its own among the files of the loop, which no commit can hold; it was moved to /`,
      ),
    );
    const evidence = why.slice(why.indexOf(' moved to ') + ' moved to '.length);
    expect(existsSync(join(evidence, '1/left', name))).toBe(true);
    expect(treeOf(project)).toEqual(['model.sh']);
    expect(project.git('status', '--porcelain')).toBe('');
  });

  it('is not hidden by a name that is no text', async () => {
    const project = loopOf([
      `echo "echo 1" > src/model.sh; touch "$(printf 'src/\\377')"`,
      'echo "echo 4" > src/model.sh',
    ]);
    const { code, stderr } = await project.run(...plain);
    expect([code, stderr, rows(project).map(([, verdict]) => verdict)]).toEqual([0, '', ['kept', 'failed', 'kept']]);
    expect(project.rows()[1]!.why).toContain('src/%ff: a repository of its own or a name that is no text');
    expect(treeOf(project)).toEqual(['model.sh']);
  });

  it('that was there before stays, if git ignores it', async () => {
    const project = loopOf(['echo "echo 4" > src/model.sh', 'echo "echo 9" > src/model.sh'], {
      files: { '.gitignore': '.autoresearch/\nlog.txt\nresult.json\nlogs/\niterations/\ninsights.md\nsrc/mine/\n' },
    });
    mkdirSync(join(project.dir, 'src/mine'));
    project.git('init', '-q', 'src/mine');
    expect((await project.run(...plain)).code).toBe(0);
    expect(rows(project).map(([, verdict]) => verdict)).toEqual(['kept', 'kept', 'discarded']);
    expect(project.exists('src/mine/.git/HEAD')).toBe(true);
  });
});
