import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { LoopProject } from '../support/loop-project.js';

const plain = ['exec', '--reporter', 'plain'] as const;

/** A loop whose agent does, in each iteration, what one of these lines says. */
const loopOf = (doing: readonly string[], more: { train?: string; ignore?: string } = {}): LoopProject =>
  new LoopProject([], {
    head: { agents: { coder: { backend: 'command', run: 'sh agent.sh', family: 'coders' } } },
    iterate: { max: doing.length, files: ['src/**'], patience: 9 },
    stages: {
      edit: {
        uses: 'agent',
        agent: 'coder',
        with: { instructions: 'this is number {{iteration.number}}.', verify: 'test -s src/model.sh' },
        scope: ['src/**'],
      },
      train: {
        uses: 'command',
        needs: ['edit'],
        inputs: ['src/**'],
        outputs: ['log.txt'],
        with: { run: more.train ?? 'echo "loss=$(sh src/model.sh)" > log.txt' },
      },
    },
    files: {
      'src/model.sh': 'echo 5\n',
      'agent.sh': [
        'n=$(sed -n "s/.*this is number \\([0-9]*\\)\\..*/\\1/p" | head -n 1)',
        ...doing.map((line, at) => `[ "$n" != ${at + 1} ] || { ${line}; }`),
        `echo '{"outcome":"done","summary":"did it","usd":0}'`,
        '',
      ].join('\n'),
      '.gitignore': `.autoresearch/\nlog.txt\nresult.json\nlogs/\niterations/\ninsights.md\n${more.ignore ?? ''}`,
    },
  });

const rows = (project: LoopProject) =>
  project.rows().map(({ number, verdict, value }) => [number, verdict, value ?? null]);

describe('what git ignores among the files of a loop', () => {
  it('does not help the iteration that wrote it: what is kept would be without it', async () => {
    const project = loopOf([`echo '*' > src/.gitignore; echo 0.5 > src/helper; echo 'cat src/helper' > src/model.sh`]);
    expect((await project.run(...plain)).stderr).toBe('');
    expect(rows(project)).toEqual([
      [0, 'kept', 5],
      [1, 'failed', null],
    ]);
    expect(project.read('src/model.sh')).toBe('echo 5\n');
    expect(existsSync(join(project.dir, 'src/helper'))).toBe(false);
    expect(existsSync(join(project.dir, 'src/.gitignore'))).toBe(false);
    const words =
      'git ignores src/.gitignore and src/helper, which stood among the files of the loop when the number was measured: what is kept would be without it';
    expect(project.read('insights.md')).toContain(words);
  });

  it('nor the next one, also when the number was no better', async () => {
    const project = loopOf(
      [`echo 0.5 > src/helper.bin; echo 'echo 9.9' > src/model.sh`, `echo 'cat src/helper.bin' > src/model.sh`],
      { ignore: '*.bin\n' },
    );
    expect((await project.run(...plain)).stderr).toBe('');
    expect(rows(project).map(([number, verdict]) => [number, verdict])).toEqual([
      [0, 'kept'],
      [1, 'failed'],
      [2, 'failed'],
    ]);
    expect(project.read('src/model.sh')).toBe('echo 5\n');
  });

  it('nor when it was staged: that is in no commit either', async () => {
    const doing = `echo 0.5 > src/helper.bin; git add -f src/helper.bin; echo 'cat src/helper.bin' > src/model.sh`;
    const project = loopOf([doing], { ignore: '*.bin\n' });
    expect((await project.run(...plain)).stderr).toBe('');
    expect(rows(project)).toEqual([
      [0, 'kept', 5],
      [1, 'failed', null],
    ]);
    expect(existsSync(join(project.dir, 'src/helper.bin'))).toBe(false);
  });

  it('is taken away, and nobody blamed, when a command makes it while it runs what was written', async () => {
    const train = 'sh src/model.sh > src/built.bin; echo "loss=$(cat src/built.bin)" > log.txt';
    const project = loopOf([`echo 'echo 4' > src/model.sh`], { train, ignore: '*.bin\n' });
    expect(await project.run(...plain)).toMatchObject({ code: 0 });
    expect(rows(project)).toEqual([
      [0, 'kept', 5],
      [1, 'kept', 4],
    ]);
    expect(existsSync(join(project.dir, 'src/built.bin'))).toBe(false);
  });
});
