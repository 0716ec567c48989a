import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Project } from '../support/project.js';
import { sha256 } from '../support/sha256.js';

/** Git starts many processes, and others may be at work on this machine. */
const slow = { timeout: 180_000 };

/** An agent that writes what its task is called like, and notes outside of the repository that it was asked. */
const writer = `id=\${AUTORESEARCH_TASK#*:}; echo "$id $(pwd)" >> "$NOTES"; echo "made by $id" > src/$id.txt
echo '{"outcome":"done","summary":"wrote '$id'"}'`;

const tasksYaml = `tasks:
  - { id: T1, title: First, files: [src/T1.txt], verify: test -s src/T1.txt }
  - { id: T2, title: Second, files: [src/T2.txt], verify: test -s src/T2.txt }
  - { id: T3, title: Third, depends_on: [T1, T2], files: [src/T3.txt], verify: cat src/T1.txt src/T2.txt }
`;

interface Sketch {
  readonly agent?: string;
  readonly files?: Readonly<Record<string, string>>;
  readonly stage?: object;
  readonly stages?: object;
  readonly with?: object;
}

class Study extends Project {
  /** Outside: nobody may write in the checkout while agents work in worktrees. */
  readonly #notes = join(mkdtempSync(join(tmpdir(), 'autoresearch-notes-')), 'notes');

  constructor({ agent = writer, files = {}, stage, stages, with: options }: Sketch = {}) {
    super();
    const config = {
      name: 'study',
      agents: { coder: { backend: 'command', run: './agent.sh', limits: { timeout: '120s' } } },
      stages: {
        ...stages,
        build: {
          uses: 'tasks',
          agent: 'coder',
          with: { from: 'design/tasks.yaml', ...options },
          retry: { attempts: 2 },
          ...stage,
        },
      },
    };
    const all = {
      'autoresearch.config.json': JSON.stringify(config),
      '.gitignore': '.autoresearch/\nlogs/\n',
      'src/.keep': 'x\n',
      ...files,
    };
    for (const [path, content] of Object.entries(all)) this.write(path, content);
    this.write('agent.sh', `#!/bin/sh\nNOTES=${this.#notes}\ncat > /dev/null\n${agent}\n`);
    chmodSync(join(this.dir, 'agent.sh'), 0o755);
    this.git('init', '-q', '-b', 'main');
    this.commit('first');
  }

  git(...args: string[]): string {
    const identity = ['-c', 'user.name=a', '-c', 'user.email=a@b.c'];
    return execFileSync('git', [...identity, ...args], {
      cwd: this.dir,
      encoding: 'utf8',
      env: { ...process.env, HOME: this.dir },
    });
  }

  commit(message: string): void {
    this.git('add', '.');
    this.git('commit', '-qm', message);
  }

  get notes(): string {
    return readFileSync(this.#notes, 'utf8');
  }

  /** The tasks that an agent was asked about, in order. */
  get asked(): string[] {
    return existsSync(this.#notes)
      ? this.notes
          .trim()
          .split('\n')
          .map((line) => line.split(' ')[0]!)
      : [];
  }

  exec(...args: string[]) {
    return this.run('exec', '--reporter', 'plain', ...args);
  }
}

const withFile = (own: Sketch = {}): Study =>
  new Study({ ...own, files: { 'design/tasks.yaml': tasksYaml, ...own.files } });

const making = {
  design: {
    uses: 'command',
    with: { run: 'mkdir -p design; cp tasks.tmpl design/tasks.yaml' },
    inputs: ['tasks.tmpl'],
    outputs: ['design/tasks.yaml'],
    commit: 'Design',
  },
};

const plan = (n: string, more: string, isAutonomous = true): string =>
  `---\nphase: 01-x\nplan: ${n}\ntype: execute\n${more}files_modified: [src/01-${n}.txt]\nautonomous: ${isAutonomous}\nmust_haves:\n  truths: ["it is there"]\n  artifacts:\n    - path: src/01-${n}.txt\n      provides: "words"\n      contains: "made by"\n  key_links: []\n---\n\n<objective>\nWrite ${n}\n</objective>\n\n<tasks>\n<task type="auto">\n  <name>Task 1: write</name>\n  <files>src/01-${n}.txt</files>\n  <action>Write it.</action>\n  <verify>test -s src/01-${n}.txt</verify>\n  <done>written</done>\n</task>\n</tasks>\n`;

describe('a file of tasks', slow, () => {
  it('is carried out in the order its tasks depend on each other, each in a worktree of its own', async () => {
    const study = withFile();
    const { code, stdout } = await study.exec();
    expect([code, stdout]).toEqual([0, expect.stringContaining('✓ build ')]);
    expect([...study.asked].sort()).toEqual(['T1', 'T2', 'T3']);
    expect(study.asked[2]).toBe('T3');
    expect(study.notes).toMatch(/^T3 .*\/\.autoresearch\/default\/worktrees\/default-iter-1-build-T3$/m);
    expect(study.git('status', '--porcelain')).toBe('');
    expect(study.git('branch', '--list', 'auto/*')).toBe('');
    expect(study.read('design/T3-SUMMARY.md')).toBe(`---
task: "T3"
status: complete
source: "design/tasks.yaml"
agent: "coder"
---

# Third

## Files

- \`src/T3.txt\` ${sha256('made by T3\n').slice(0, 16)}

## Checks that passed

- \`cat src/T1.txt src/T2.txt\`

## What the agent says

> wrote T3
`);
    expect(study.git('log', '--no-merges', '--format=%s', '--', 'src/T3.txt').trim()).toBe('build:T3: wrote T3');
    const again = await study.exec();
    expect([again.code, study.asked.length]).toEqual([0, 3]);
    expect((await study.run('verify')).code).toBe(0);
  });

  it('redoes the one that was edited, and what depends on it', async () => {
    const study = withFile();
    await study.exec();
    study.write('design/tasks.yaml', tasksYaml.replace('title: Second', 'title: Two'));
    study.commit('edit');
    expect((await study.exec()).code).toBe(0);
    expect(study.asked.slice(3)).toEqual(['T2', 'T3']);
  });

  it('may be made by an earlier stage: planned when it is there, and written down', async () => {
    const study = new Study({ stages: making, files: { 'tasks.tmpl': tasksYaml } });
    const { stdout } = await study.run('plan');
    expect(stdout).toContain('reads design/tasks.yaml; its tasks are planned when it is there');
    expect(stdout).toMatch(/on top of that come the tasks of files\s+that are not there yet/);
    const plan = JSON.parse((await study.run('plan', '--json')).stdout);
    expect(plan.worstCase).toMatchObject({ usd: null, timeMs: null, pending: true });
    expect((await study.exec()).code).toBe(0);
    expect(study.asked.length).toBe(3);
    const extended = study.journal().filter(({ type }) => type === 'plan-extended');
    expect(extended).toMatchObject([{ task: 'build:tasks', tasks: 6, added: ['build:T1', 'build:T2', 'build:T3'] }]);
    const status = JSON.parse((await study.run('status', '--json')).stdout);
    expect(status.tasks.map(({ id }: { id: string }) => id)).toContain('build:T2');
    expect((await study.exec()).stdout).toContain('nothing to do, all 6 tasks still hold');
  });

  it('that an earlier stage writes anew is planned anew in the same run', async () => {
    const study = new Study({ stages: making, files: { 'tasks.tmpl': tasksYaml } });
    await study.exec();
    study.write(
      'tasks.tmpl',
      `${tasksYaml}  - { id: T4, title: Fourth, files: [src/T4.txt], verify: test -s src/T4.txt }\n`,
    );
    study.commit('one more');
    expect((await study.exec()).code).toBe(0);
    expect(study.asked.slice(3)).toEqual(['T4']);
    expect(study.journal().filter(({ type }) => type === 'plan-extended')).toMatchObject([{ added: ['build:T4'] }]);
  });

  it('counts as it is when its turn comes, not as it was when the plan was made', async () => {
    const study = new Study({ stages: making, files: { 'tasks.tmpl': tasksYaml } });
    await study.exec();
    study.write('design/tasks.yaml', tasksYaml.replace('title: First', 'title: Something else'));
    study.commit('edited by hand, though a stage makes it');
    expect((await study.exec()).code).toBe(0);
    // The stage has made it anew, so nothing is left of what the plan began with.
    expect(study.asked.length).toBe(3);
    expect(study.read('design/T1-SUMMARY.md')).toContain('# First');
  });

  it('that a stage made wrong does not keep the stage from making it anew', async () => {
    const bad = tasksYaml.replace('[T1, T2]', '[T1, T9]');
    const study = new Study({ stages: making, files: { 'tasks.tmpl': bad } });
    expect((await study.exec()).code).toBe(1);
    study.write('tasks.tmpl', tasksYaml);
    study.commit('mended');
    expect((await study.exec()).code).toBe(0);
    expect(study.asked.length).toBe(3);
  });

  it('runs a stage that needs it only when all of its tasks are done', async () => {
    const after = {
      uses: 'command',
      needs: ['build'],
      with: { run: 'cat src/T1.txt src/T2.txt src/T3.txt > all.txt' },
      outputs: ['all.txt'],
    };
    const study = new Study({ stages: { ...making, after }, files: { 'tasks.tmpl': tasksYaml } });
    expect((await study.exec()).code).toBe(0);
    expect(study.read('all.txt')).toBe('made by T1\nmade by T2\nmade by T3\n');
  });

  it('also reads plans with frontmatter', async () => {
    const study = new Study({
      with: { from: '.planning/*-PLAN.md' },
      files: {
        '.planning/01-01-PLAN.md': plan('01', 'wave: 1\ndepends_on: []\n'),
        '.planning/01-02-PLAN.md': plan('02', 'wave: 2\ndepends_on: ["01-01"]\n'),
      },
    });
    const { code, stdout, stderr } = await study.exec();
    expect([code, stdout + stderr]).toEqual([0, expect.stringContaining('✓ build ')]);
    expect(study.asked).toEqual(['01-01', '01-02']);
    expect(study.exists('.planning/01-02-SUMMARY.md')).toBe(true);
    expect((await study.exec()).stdout).toContain('nothing to do');
  });
});

describe('a plan that is not autonomous', slow, () => {
  it('is followed by a person, and nothing goes on before they have answered', async () => {
    const study = new Study({
      with: { from: '.planning/*-PLAN.md' },
      files: {
        '.planning/01-01-PLAN.md': plan('01', 'wave: 1\ndepends_on: []\n', false),
        '.planning/01-02-PLAN.md': plan('02', 'wave: 2\ndepends_on: ["01-01"]\n'),
      },
    });
    expect(await study.exec()).toMatchObject({ code: 3, stdout: expect.stringContaining('waits at its gate') });
    expect(study.asked).toEqual(['01-01']);
    expect((await study.run('approve', 'build:01-01')).code).toBe(0);
    expect((await study.exec()).code).toBe(0);
    expect(study.asked).toEqual(['01-01', '01-02']);
  });
});

describe('what is wrong with a file of tasks', slow, () => {
  it('is shown before anything runs, at its place', async () => {
    const study = withFile({ files: { 'design/tasks.yaml': tasksYaml.replace('[T1, T2]', '[T1, T9]') } });
    const { code, stderr } = await study.exec();
    expect(code).toBe(2);
    expect(stderr).toContain(`design/tasks.yaml:4:46 AR511 "T3" depends on "T9", which is not a task`);
    expect(study.asked).toEqual([]);
  });

  it('ends the run when a stage has made it', async () => {
    const bad = tasksYaml.replace('files: [src/T2.txt]', 'files: [src/T1.txt]');
    const study = new Study({ stages: making, files: { 'tasks.tmpl': bad } });
    const { code, stdout } = await study.exec();
    expect([code, study.asked]).toEqual([1, []]);
    expect(stdout).toContain(
      `✗ build:tasks  its tasks cannot be planned: design/tasks.yaml:3:38: "T1" and "T2" may run at the same time, and both write "src/T1.txt"`,
    );
  });

  it.each([
    ['a file outside of the scope of the stage', tasksYaml, { scope: ['lib/**'] }, 'AR513'],
    ['two names that are one', 'tasks:\n  - { id: tasks, title: a, files: [a], verify: "true" }\n', {}, 'AR512'],
    ['a matrix beside it', tasksYaml, { matrix: { seed: [1] } }, 'AR512'],
    ['a way out of the project', tasksYaml.replace('src/T1.txt]', '../T1.txt]'), {}, 'AR511'],
    ['no tasks', 'tasks: []\n', {}, 'AR511'],
  ])('%s', async (_, text, stage, code) => {
    const study = withFile({ files: { 'design/tasks.yaml': text }, stage });
    const end = await study.exec();
    expect([end.code, end.stderr]).toEqual([2, expect.stringContaining(` ${code} `)]);
  });

  it('a file that nobody makes', async () => {
    const end = await new Study().exec();
    expect([end.code, end.stderr]).toEqual([2, expect.stringContaining(' AR507 ')]);
  });
});

describe('an agent that does not keep to its task', slow, () => {
  const only = {
    'design/tasks.yaml': 'tasks:\n  - { id: T1, title: a, files: [src/T1.txt], verify: test -s src/T1.txt }\n',
  };
  const done = `echo '{"outcome":"done","summary":"ok"}'`;

  it('writes a file of another task: undone, exit code 4, nothing merged', async () => {
    const study = new Study({ files: only, agent: `echo a > src/T1.txt; echo b > src/T2.txt; ${done}` });
    const { code, stdout } = await study.exec();
    expect([code, stdout]).toEqual([
      4,
      expect.stringContaining('agent coder changed src/T2.txt, which it may not; it was put back'),
    ]);
    expect(study.git('log', '--format=%s').trim()).toBe('first');
  });

  it('does not do it: tried again with the error, then given up', async () => {
    const study = new Study({ files: only, agent: `echo T1 x >> "$NOTES"; ${done}` });
    const { code } = await study.exec();
    expect([code, study.asked]).toEqual([1, ['T1', 'T1']]);
    expect(study.read('logs/errors.log')).toContain('build:T1');
  });

  it('says done without what the task must have', async () => {
    const text =
      'tasks:\n  - id: T1\n    title: a\n    files: [src/T1.txt]\n    must_haves:\n      artifacts:\n        - { path: src/T1.txt, contains: "def main" }\n';
    const study = new Study({
      files: { 'design/tasks.yaml': text },
      agent: `echo a > src/T1.txt; ${done}`,
      stage: { retry: { attempts: 1 } },
    });
    const { code, stdout } = await study.exec();
    expect([code, stdout]).toEqual([
      1,
      expect.stringContaining('must have, and has not: src/T1.txt: does not contain "def main"'),
    ]);
  });

  it('writes the summary itself, with lies: the runner writes its own over it', async () => {
    const study = new Study({
      files: only,
      agent: `echo a > src/T1.txt; mkdir -p design; printf -- '---\\nstatus: complete\\n---\\nall 900 tests pass\\n' > design/T1-SUMMARY.md; ${done}`,
    });
    expect((await study.exec()).code).toBe(0);
    expect(study.read('design/T1-SUMMARY.md')).not.toContain('900');
  });
});

describe('the second look at all tasks together', slow, () => {
  it('finds a summary that somebody removed, and its task is done again', async () => {
    const study = withFile({ with: { verify: 'true' } });
    await study.exec();
    study.git('rm', '-q', 'design/T2-SUMMARY.md');
    study.git('commit', '-qm', 'away');
    const { code, stdout } = await study.exec();
    // What came of it is the same as before, so nothing that depends on it is.
    expect([code, study.asked.slice(3)], stdout).toEqual([0, ['T2']]);
  });

  it('a task that is done again and comes to something else: what depends on it is done again, too', async () => {
    const study = withFile({ with: { verify: 'true' } });
    await study.exec();
    study.git('rm', '-q', 'design/T2-SUMMARY.md');
    study.write('agent.sh', study.read('agent.sh').replace('"made by', '"made anew by'));
    study.commit('away');
    const { code, stdout } = await study.exec();
    expect([code, study.asked.slice(3)], stdout).toEqual([0, ['T2', 'T3']]);
    expect(stdout).toContain('✓ build ');
  });

  it('runs the checks of the stage on all of it', async () => {
    const study = withFile({
      with: { verify: '[ ! -e src/T1.txt ] || [ ! -e src/T2.txt ] || [ -e src/.both ]' },
      stage: { retry: { attempts: 1 } },
    });
    const { code, stdout } = await study.exec();
    expect([code, stdout]).toEqual([1, expect.stringMatching(/✗ build:T[12] {2}exited with code 1/)]);
    // What broke when it met the other is not in the person's branch.
    const merged = study
      .git('log', '--format=%s')
      .split('\n')
      .filter((line) => line.startsWith('Merge'));
    expect(merged.length).toBe(1);
  });

  it('runs its checks in a worktree: agents wrote them, and what they write there is no work', async () => {
    const evil = 'case $PWD in */worktrees/*-build) echo EVIL > src/T2.txt;; esac; true';
    const study = withFile({ files: { 'src/check.sh': evil }, with: { verify: 'sh src/check.sh' } });
    const { code } = await study.exec();
    expect(study.read('src/T2.txt')).toBe('made by T2\n');
    expect([code, study.git('status', '--porcelain')]).toEqual([0, '']);
  });

  it('finds checks that reach for the checkout', async () => {
    const study = withFile({ with: { verify: 'sh src/check.sh' } });
    const evil = `case $PWD in */worktrees/*-build) cd ${study.dir}; echo EVIL > rogue; git add rogue; git -c user.name=x -c user.email=x@y commit -qm sneaky;; esac; true`;
    study.write('src/check.sh', evil);
    study.commit('evil');
    const { code, stdout } = await study.exec();
    expect([code, stdout]).toEqual([
      4,
      expect.stringContaining('wrote in your checkout instead of in its worktree: rogue'),
    ]);
  });
});

describe('work that git is told to ignore', slow, () => {
  it.each([
    ['true', 'would not be merged, because git is told to ignore it'],
    ['test -s src/lib/one.txt', 'exited with code 1 (it was checked without src/lib/, which no commit would keep)'],
  ])('does not pass: it would never reach the branch (%s)', async (verify, words) => {
    const study = new Study({
      files: {
        'design/tasks.yaml': `tasks:\n  - { id: T1, title: a, files: ["src/lib/**"], verify: "${verify}" }\n`,
      },
      agent: `mkdir -p src/lib; echo '*' > src/lib/.gitignore; echo x > src/lib/one.txt; echo '{"outcome":"done","summary":"ok"}'`,
      stage: { retry: { attempts: 1 } },
    });
    const { code, stdout } = await study.exec();
    expect([code, stdout]).toEqual([1, expect.stringContaining(words)]);
  });
});
