import { execFileSync } from 'node:child_process';
import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { LoopProject } from '../support/loop-project.js';
import { ended } from '../support/project.js';
import { until } from '../support/until.js';

const plain = ['exec', '--reporter', 'plain'] as const;

interface More {
  readonly attributes?: string;
  readonly settings?: readonly (readonly [string, string])[];
  readonly train?: string;
  readonly repeats?: number;
}

/** A loop over src whose edits are these lines, one in each iteration; `measure` prints the number. */
const loopOf = (doing: readonly string[], measure: string, more: More = {}): LoopProject => {
  const { attributes, settings = [], repeats, train = 'echo "loss=$(sh measure.sh)" > log.txt' } = more;
  const project = new LoopProject([], {
    iterate: { max: doing.length, files: ['src/**'], ...(repeats === undefined ? {} : { repeats }) },
    stages: {
      edit: {
        uses: 'command',
        with: { run: 'sh edit.sh {{iteration.number}}; echo {{iteration.number}} > src/turn' },
        outputs: ['src/turn'],
      },
      train: { uses: 'command', needs: ['edit'], outputs: ['log.txt'], with: { run: train } },
    },
    files: {
      'src/data.txt': '12345678\n',
      'src/turn': '0\n',
      'measure.sh': `${measure}\n`,
      'edit.sh': doing.map((line, at) => `[ "$1" != ${at + 1} ] || { ${line}; }\n`).join(''),
      ...(attributes === undefined ? {} : { '.gitattributes': `${attributes}\n` }),
    },
  });
  for (const [name, value] of settings) project.git('config', name, value);
  return project;
};

const rows = (project: LoopProject) =>
  project.rows().map(({ number, verdict, value }) => [number, verdict, value ?? null]);

/** What somebody measures who has a clone of the branch. */
function inClone(project: LoopProject, settings: More['settings'] = []): number {
  const clone = join(project.stateHome, 'clone');
  const given = settings.flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  project.git(...given, 'clone', '-q', project.dir, clone);
  return Number(execFileSync('sh', ['measure.sh'], { cwd: clone, encoding: 'utf8' }));
}

/** Of the newest run. */
const attempt = (project: LoopProject): string => {
  const [{ run } = {}] = project.journal() as { run?: string }[];
  return join(project.dir, `.autoresearch/default/runs/${run}/tasks/train/1`);
};

describe('what is measured is what a clone of its commit gives', () => {
  it.each<readonly [string, string, string, More]>([
    ['line ends that go', `printf 'x\\r\\n' > src/data.txt`, 'wc -c < src/data.txt', { attributes: '*.txt text' }],
    [
      'line ends that come',
      `printf 'a\\nb\\n' > src/data.txt`,
      'wc -c < src/data.txt',
      { attributes: '*.txt text eol=crlf' },
    ],
    [
      'line ends by a setting',
      `printf 'a\\nb\\n' > src/data.txt`,
      'wc -c < src/data.txt',
      { attributes: '*.sh -text', settings: [['core.autocrlf', 'true']] },
    ],
    [
      'an id',
      `printf '$Id: 1234567890 $' > src/data.txt`,
      'wc -c < src/data.txt | sed s/9/100/',
      { attributes: '*.txt ident' },
    ],
    [
      'a mode',
      'chmod +x src/data.txt; echo 1 >> src/data.txt',
      'test -x src/data.txt && echo 1 || echo 5',
      { settings: [['core.fileMode', 'false']] },
    ],
    ['an empty folder', 'mkdir -p src/a/b; echo 1 >> src/data.txt', 'test -d src/a && echo 1 || echo 5', {}],
  ])('%s', async (_, edit, measure, more) => {
    const project = loopOf([edit], measure, more);
    const { code, stderr } = await project.run(...plain);
    expect([code, stderr]).toEqual([0, '']);
    const row = project.rows()[1]!;
    project.git('checkout', '-q', '-B', 'main', row.changes!.commit);
    expect(row.value).toBe(inClone(project, more.settings));
  });

  it('and it is told: with the iteration, in insights.md, on the page; what was written is kept', async () => {
    const project = loopOf([`printf 'x\\r\\n' > src/data.txt`], 'wc -c < src/data.txt', { attributes: '*.txt text' });
    const { code } = await project.run(...plain);
    const said = 'git keeps src/data.txt otherwise than written';
    expect([code, rows(project)]).toEqual([
      0,
      [
        [0, 'kept', 9],
        [1, 'kept', 2],
      ],
    ]);
    expect(project.rows()[1]!.warnings).toEqual([expect.stringContaining(said)]);
    expect(project.read('insights.md')).toContain(`- Warning: train: ${said}`.replace('train: ', ''));
    expect(readFileSync(join(attempt(project), 'as-written/src/data.txt'), 'utf8')).toBe('x\r\n');
    expect(project.git('status', '--porcelain')).toBe('');
    const page = await project.run('report');
    expect(page.code).toBe(0);
    const file = page.stdout.trim().split('\n').at(-1)!;
    expect(readFileSync(file.startsWith('/') ? file : join(project.dir, file), 'utf8')).toContain(said);
  });

  it('and verify knows it again, with line ends that a checkout adds', async () => {
    const project = loopOf([`printf 'a\\n' > src/data.txt`, `printf 'aaa\\n' > src/data.txt`], 'wc -c < src/data.txt', {
      attributes: '*.txt text eol=crlf',
    });
    expect((await project.run(...plain)).code).toBe(0);
    expect(rows(project)).toEqual([
      [0, 'kept', 9],
      [1, 'kept', 3],
      [2, 'discarded', 5],
    ]);
    expect(project.read('src/data.txt')).toBe('a\r\n');
    const { code, stdout } = await project.run('verify');
    expect(`${code} ${stdout}`).toMatch(/^0 /);
    const older = await project.run('verify', '--run', project.rows()[1]!.run);
    expect(`${older.code} ${older.stdout}`).toMatch(/^0 /);
  });
});

describe('what no commit can hold fails the iteration, and the loop goes on', () => {
  it.each<readonly [string, string, RegExp, More]>([
    [
      'bytes in another encoding than the rules say',
      `printf abc > src/x.u16`,
      /^src\/x\.u16: content that git refuses to take in among the files of the loop, which no commit can hold; it was moved to \//,
      { attributes: '*.u16 text working-tree-encoding=UTF-16LE-BOM' },
    ],
    [
      'line ends that git is told not to lose',
      `printf 'x\\r\\ny\\n' > src/data.txt`,
      /^src\/data\.txt: content that git refuses to take in/,
      { attributes: '*.txt text', settings: [['core.safecrlf', 'true']] },
    ],
    [
      'an absolute link',
      'ln -s "$PWD/src/data.txt" src/link',
      /^train: src\/link: a link to .*\/src\/data\.txt, which leads elsewhere in any other checkout of what is kept; make it relative$/,
      {},
    ],
    [
      'a link that climbs out and comes back',
      'ln -s "../../$(basename "$PWD")/src/data.txt" src/link',
      /^train: src\/link: a link to .*make it relative$/,
      {},
    ],
  ])('%s', async (_, edit, why, more) => {
    const project = loopOf([`echo 1 > src/y; ${edit}`, 'echo 1 > src/data.txt'], 'wc -c < src/data.txt', more);
    const { code, stderr } = await project.run(...plain);
    expect([code, stderr, rows(project).map(([, verdict]) => verdict)]).toEqual([0, '', ['kept', 'failed', 'kept']]);
    expect(project.rows()[1]!.why).toMatch(why);
    expect(readdirSync(join(project.dir, 'src')).sort()).toEqual(['data.txt', 'turn']);
    expect([project.git('status', '--porcelain'), project.read('src/data.txt')]).toEqual(['', '1\n']);
  });
});

describe('a filter that this machine has a program for', () => {
  const settings = [
    ['filter.xx.clean', 'cat'],
    ['filter.xx.smudge', 'sed s/1/22222/'],
  ] as const;
  const words = 'its attributes make git run the filter "xx" on it, a program of this machine';

  it('that an iteration gives to its files makes it fail: a checkout would measure something else', async () => {
    const edit = `echo '*.txt filter=xx' > src/.gitattributes; echo 1 > src/data.txt`;
    const project = loopOf([edit, 'echo 1 > src/data.txt'], 'wc -c < src/data.txt', { settings });
    const { code, stderr } = await project.run(...plain);
    expect([code, stderr, rows(project).map(([, verdict]) => verdict)]).toEqual([0, '', ['kept', 'failed', 'kept']]);
    expect(project.rows()[1]!.why).toContain(`src/data.txt: ${words}`);
    expect(readdirSync(join(project.dir, 'src')).sort()).toEqual(['data.txt', 'turn']);
    expect(inClone(project, settings)).toBe(2);
  });

  it('and that it takes out of the settings until it has been measured', async () => {
    const edit = `echo '*.txt filter=xx' > src/.gitattributes; echo 1 > src/data.txt; git config --unset filter.xx.smudge; git config --unset filter.xx.clean`;
    const project = loopOf([edit], 'wc -c < src/data.txt', { settings });
    expect(await project.run(...plain)).toMatchObject({ code: 0 });
    expect(rows(project).map(([, verdict]) => verdict)).toEqual(['kept', 'failed']);
    expect(project.rows()[1]!.why).toContain(`src/data.txt: ${words}`);
    expect(project.read('src/data.txt')).toBe('12345678\n');
  });

  it('is refused ahead for files of the loop, and is in the way of nobody elsewhere', async () => {
    const project = loopOf(['echo 1 > src/data.txt'], 'wc -c < src/data.txt', { attributes: 'src/*.txt filter=xx' });
    for (const [name, value] of settings) project.git('config', name, value);
    const { code, stderr } = await project.run(...plain);
    expect(stderr).toContain('AR344 files of the loop go through a filter of git (xx), which is not run here');
    expect(code).toBe(2);
    const other = loopOf(['echo 1 > src/data.txt'], 'wc -c < src/data.txt', {
      attributes: '*.bin filter=xx',
      settings,
    });
    expect(await other.run(...plain)).toMatchObject({ code: 0 });
    expect(rows(other).at(-1)).toEqual([1, 'kept', 2]);
  });

  it('and one that nobody has a program for changes nothing', async () => {
    const edit = `echo '*.txt filter=yy' > src/.gitattributes; echo 1 > src/data.txt`;
    const project = loopOf([edit], 'wc -c < src/data.txt', { settings });
    expect(await project.run(...plain)).toMatchObject({ code: 0 });
    expect(rows(project).at(-1)).toEqual([1, 'kept', 2]);
  });
});

describe('empty folders', () => {
  it('are not there when the number is measured, and a failure says so', async () => {
    const project = loopOf(['mkdir -p src/a/b; echo 1 >> src/data.txt'], 'wc -c < src/data.txt', {
      train:
        'grep -q 1$ src/data.txt && ls src/a/b; test "$(wc -l < src/data.txt)" = 1 || ls src/a/b && echo loss=1 > log.txt',
    });
    expect((await project.run(...plain)).code).toBe(0);
    expect(project.rows()[1]!.why).toContain('(it was checked without src/a/b/, which no commit would keep)');
    expect(existsSync(join(project.dir, 'src/a'))).toBe(false);
  });

  it('of yours are not there for the baseline either, and are there again after it, after each repeat and after a failure', async () => {
    const seen = 'ls src >> .autoresearch/seen; wc -c < src/data.txt';
    const project = loopOf(['echo 1 > src/data.txt'], seen, { repeats: 2 });
    mkdirSync(join(project.dir, 'src/mine/deep'), { recursive: true });
    expect((await project.run(...plain)).code).toBe(0);
    expect(rows(project).map(([, verdict]) => verdict)).toEqual(['kept', 'kept']);
    expect([project.read('.autoresearch/seen'), existsSync(join(project.dir, 'src/mine/deep'))]).toEqual([
      'data.txt\nturn\n'.repeat(3),
      true,
    ]);

    const failing = loopOf(['true'], 'exit 1', { train: 'exit 1' });
    mkdirSync(join(failing.dir, 'src/mine'));
    expect((await failing.run(...plain)).code).toBe(1);
    expect(existsSync(join(failing.dir, 'src/mine'))).toBe(true);
  });

  it('of yours are there again when you stop it', async () => {
    const project = loopOf(['echo 1 > src/data.txt'], 'wc -c < src/data.txt', {
      train: 'grep -q 12 src/data.txt || { touch begun; sleep 600; }; echo "loss=$(sh measure.sh)" > log.txt',
    });
    mkdirSync(join(project.dir, 'src/mine'));
    const child = project.start([...plain]);
    const end = ended(child);
    await until(() => project.exists('begun') || child.exitCode !== null);
    expect(existsSync(join(project.dir, 'src/mine'))).toBe(false);
    child.kill('SIGINT');
    expect((await end).code).toBe(130);
    expect(lstatSync(join(project.dir, 'src/mine')).isDirectory()).toBe(true);
  });
});
