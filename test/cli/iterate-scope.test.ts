import { describe, expect, it } from 'vitest';
import { LoopProject } from '../support/loop-project.js';

const plain = ['exec', '--reporter', 'plain'] as const;

interface Sketch {
  readonly files: readonly string[];
  readonly scope: readonly string[];
  /** What the agent does in each iteration, in shell; $1 is its number. */
  readonly does: string;
  readonly stages?: object;
  readonly more?: Readonly<Record<string, string>>;
}

const loopOf = ({ files, scope, does, stages = {}, more = {} }: Sketch): LoopProject => {
  const asks = { instructions: 'Number {{iteration.number}}.', verify: 'true' };
  return new LoopProject([], {
    head: { agents: { coder: { backend: 'command', run: 'sh coder.sh' } } },
    iterate: { max: 2, files },
    stages: {
      edit: { uses: 'agent', agent: 'coder', with: asks, scope },
      train: { uses: 'command', needs: ['edit'], with: { run: 'sh train.sh' }, outputs: ['log.txt', 'ran'] },
      ...stages,
    },
    files: {
      'coder.sh': `set -- $(sed -n 's/^Number \\([0-9]*\\).*/\\1/p')\n${does}\necho '{"outcome":"done","summary":"tried"}'\n`,
      'src/a.py': 'a\n',
      'docs/a.md': 'a\n',
      'train.sh': 'echo train >> ran; echo "loss=$(cat value.txt)" > log.txt\n',
      ...more,
    },
  });
};

const rows = (project: LoopProject) =>
  project.rows().map(({ number, verdict, value }) => [number, verdict, value ?? null]);
const words = (files: string, is = 'is', was = 'it was') =>
  `${files} ${is} in the scope of a stage, and neither among iterate.files nor an output, so nothing of that would be kept: ${was} put back (what stood there is in /`;

describe('a scope that is wider than the files of the loop', () => {
  it.each([
    ['a new file', 'echo x > docs/x.md', 'docs/x.md', 'is', 'it was'],
    ['a file that was there', 'echo x > docs/a.md', 'docs/a.md', 'is', 'it was'],
    [
      'one that is gone, and another',
      'rm docs/a.md; echo x > docs/x.md',
      'docs/a.md and docs/x.md',
      'are',
      'they were',
    ],
  ])('%s: undone and said, the iteration is a dead end, and the loop goes on', async (_, trick, files, is, was) => {
    const project = loopOf({
      files: ['value.txt'],
      scope: ['{value.txt,docs/**}'],
      does: `if [ "$1" = 1 ]; then echo 0.1 > value.txt; ${trick}; else echo 0.5 > value.txt; fi`,
    });
    const { code, stderr } = await project.run(...plain);
    expect([code, stderr, rows(project)]).toEqual([
      0,
      '',
      [
        [0, 'kept', 1],
        [1, 'failed', null],
        [2, 'kept', 0.5],
      ],
    ]);
    expect(project.rows()[1]!.why).toContain(words(files, is, was));
    expect(project.read('insights.md')).toContain('nothing of that would be kept');
    expect([project.read('docs/a.md'), project.exists('docs/x.md')]).toEqual(['a\n', false]);
    expect(project.git('status', '--porcelain')).toBe('');
  });

  it('where nothing of the loop was changed at all: it is not left lying about for the next one', async () => {
    const project = loopOf({ files: ['src/*.py', 'value.txt'], scope: ['src/**'], does: 'echo x > src/x.txt' });
    const { code, stderr } = await project.run(...plain);
    expect([code, stderr, rows(project).map(([, verdict]) => verdict)]).toEqual([0, '', ['kept', 'failed', 'failed']]);
    expect(project.rows()[1]!.why).toContain(words('src/x.txt'));
    expect([project.exists('src/x.txt'), project.git('status', '--porcelain')]).toEqual([false, '']);
  });

  it('what git ignores there does not help the next iteration either', async () => {
    const project = loopOf({
      files: ['src/*.py', 'value.txt'],
      scope: ['src/**', 'value.txt'],
      does: 'if test -e src/ran; then echo 0.1 > value.txt; else echo 0.$((9 - $1)) > value.txt; echo x > src/ran; fi',
    });
    expect((await project.run(...plain)).code).toBe(0);
    expect(rows(project)).toEqual([
      [0, 'kept', 1],
      [1, 'kept', 0.8],
      [2, 'kept', 0.7],
    ]);
    expect([project.rows()[1]!.cleared, project.exists('src/ran')]).toEqual([['src/ran'], false]);
  });

  it('is refused before anything runs where the two have nothing in common', async () => {
    const project = loopOf({ files: ['value.txt'], scope: ['value.txt', 'docs/**'], does: 'echo 0.5 > value.txt' });
    const { code, stderr } = await project.run(...plain);
    expect([code, project.exists('ran'), project.exists('.autoresearch')]).toEqual([2, false, false]);
    expect(stderr).toContain(
      'AR342 stage "edit" may write docs/**, which is neither a file of the loop (value.txt) nor an output: what it changes there would not be kept',
    );
    expect(stderr.replace(/\s+/g, ' ')).toContain(
      'Name it under iterate.files or in outputs of the stage, or take it out of scope',
    );
  });

  it('of a command leads to outputs, whichever mistake one begins with, and with them the loop runs', async () => {
    const edit = { uses: 'command', with: { run: 'sh edit.sh {{iteration.number}}' } };
    const loopWith = (more: object, iterate: object) =>
      new LoopProject(['0.5'], {
        iterate: { max: 1, ...iterate },
        stages: {
          edit: { ...edit, ...more },
          train: {
            uses: 'command',
            needs: ['edit'],
            with: { run: 'sh train.sh' },
            inputs: ['value.txt'],
            outputs: ['log.txt', 'ran'],
          },
        },
      });
    const refused = async (project: LoopProject): Promise<string> => {
      const { code, stderr } = await project.run('exec');
      expect([code, project.exists('ran')]).toEqual([2, false]);
      return stderr.replace(/\s+/g, ' ');
    };
    const scoped = await refused(loopWith({ scope: ['value.txt'] }, {}));
    expect(scoped).toContain('AR701');
    expect(scoped).toContain('hint: Name what the stage writes under outputs instead');
    const unsaid = loopWith({}, { files: ['value.txt'] });
    const said = await refused(unsaid);
    expect(said).toContain('AR342 no stage changes value.txt');
    expect(said).toContain('hint: Add it to outputs of the stage that changes it ');
    expect(said).not.toContain('scope');
    // The caret is under the path.
    const [, line = '', column = ''] = /autoresearch\.config\.json:(\d+):(\d+) AR342/.exec(said) ?? [];
    const text = unsaid.read('autoresearch.config.json').split('\n')[Number(line) - 1]!;
    expect(text.slice(Number(column) - 1)).toMatch(/^"?value\.txt"/);
    const none = await refused(loopWith({}, { files: undefined }));
    expect(none).toContain('AR342 keep: best has no files to keep or put back');
    expect(none).toContain('hint: Name them under iterate.files, and in outputs of the stage that changes them');
    const right = loopWith({ outputs: ['value.txt'] }, { files: ['value.txt'] });
    expect((await right.run('exec')).code).toBe(0);
  });

  it('outputs, and the folder of the iteration, are no mistake', async () => {
    const project = loopOf({
      files: ['value.txt'],
      scope: ['value.txt', 'notes/**', 'iterations/**'],
      does: 'mkdir -p notes iterations/1/n; echo x > notes/plan.md; echo 0.$((9 - $1)) > value.txt',
      stages: {
        edit: {
          ...{ uses: 'agent', agent: 'coder', scope: ['value.txt', 'notes/**', 'iterations/**'] },
          with: { instructions: 'Number {{iteration.number}}.', verify: 'true' },
          outputs: ['notes/plan.md'],
        },
      },
    });
    const { code, stderr } = await project.run(...plain);
    expect([code, stderr, rows(project).map(([, verdict]) => verdict)]).toEqual([0, '', ['kept', 'kept', 'kept']]);
    expect(project.read('notes/plan.md')).toBe('x\n');
  });
});
