import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { Project } from '../support/project.js';

/** An agent is a script; it counts its calls in a file of its own, outside of the project's tree. */
const agent = (name: string, script: string, more = ''): string =>
  `  ${name}: { backend: command, run: ${JSON.stringify(script)}, ${more} }`;

const reply = (value: object): string => `echo '${JSON.stringify(value)}'`;
const done = reply({ outcome: 'done', summary: 'All gaps are closed.' });

const config = (agents: readonly string[], stages: string): string =>
  `name: study\nagents:\n${agents.join('\n')}\nstages:\n${stages.replace(/^/gm, '  ')}\n`;

const events = (project: Project, type: string): Record<string, unknown>[] =>
  project.journal().filter((event) => event.type === type);

const plan = `---
phase: 03-train
plan: 01
wave: 1
depends_on: []
files_modified: [src/model.py, src/train.py]
autonomous: true
must_haves:
  truths:
    - The loss is logged each step
  artifacts:
    - { path: src/model.py, provides: the model, contains: "def step" }
  key_links:
    - { from: src/train.py, to: src/model.py, pattern: "from model import" }
---

<objective>Train.</objective>

<tasks>
<task type="auto">
  <name>Model</name>
  <files>src/model.py, src/train.py</files>
  <action>Write it.</action>
  <verify><automated>true</automated></verify>
  <done>It is there.</done>
</task>
</tasks>
`;

describe('uses: verify', () => {
  const stage = (more: string): string => `
make: { uses: command, with: { run: 'echo "Everything was done and verified." > SUMMARY.md' }, outputs: [SUMMARY.md] }
check:
  uses: verify
  needs: [make]
  outputs: [VERIFICATION.md]
${more.replace(/^/gm, '  ')}`;

  it('a summary that lies: gaps are found, exit 1, nothing is asked twice', async () => {
    const lying = reply({
      results: [{ number: 1, holds: true, reason: 'the summary says so', files: ['SUMMARY.md', '.', '/etc/passwd'] }],
    });
    const project = new Project({
      'autoresearch.config.yaml': config(
        [agent('critic', lying, 'family: b')],
        stage('agent: critic\nretry: { attempts: 3 }\nwith: { from: [03-01-PLAN.md] }'),
      ),
      '03-01-PLAN.md': plan,
    });
    const { code, stdout } = await project.run('exec');
    expect({ code, stdout }).toMatchObject({ code: 1 });
    expect(project.read('VERIFICATION.md')).toBe(`---
status: gaps_found
score: 0/3
stage: "check"
closure_rounds: 0
gaps:
  - "src/model.py (the model): is not there"
  - "src/train.py → src/model.py: src/train.py is not there"
  - "The loss is logged each step: critic names no file in which it can be seen (SUMMARY.md, ., /etc/passwd)"
---

# Verification: 0/3 gaps found

| | kind | must have | seen |
|---|---|---|---|
| ✗ | artifact | src/model.py (the model) | is not there |
| ✗ | link | src/train.py → src/model.py | src/train.py is not there |
| ✗ | truth | The loss is logged each step | critic names no file in which it can be seen (SUMMARY.md, ., /etc/passwd) |
`);
    expect(events(project, 'agent-invoked')).toHaveLength(1);
    expect(events(project, 'task-failed')).toMatchObject([
      { failure: { code: 'gaps-found', score: '0/3' }, errorClass: 'gaps-found', retrying: false },
    ]);
  });

  it('an agent closes the gaps, and it is looked at again; must_haves cannot be made fewer', async () => {
    // It says that it is done whatever it did. The first time it only makes the plan ask for less.
    const coder = `n=$(cat "$HOME/n" 2>/dev/null); echo x$n > "$HOME/n"
if [ -z "$n" ]; then sed -i '/artifacts:/,/pattern/d' 03-01-PLAN.md; else mkdir -p src; echo 'def step(x): return x + 1' > src/model.py; echo 'from model import step; print(step(1))' > src/train.py; fi
${done}`;
    const critic = reply({
      results: [{ number: 1, holds: true, reason: 'seen', files: ['./autoresearch.config.yaml:3'] }],
    });
    const project = new Project({
      'autoresearch.config.yaml': config(
        [agent('coder', coder, 'family: a'), agent('critic', critic, 'family: b')],
        stage('agent: critic\nretry: { attempts: 2, fix: coder }\nwith: { from: [03-01-PLAN.md] }'),
      ),
      '03-01-PLAN.md': plan,
    });
    const { code, stdout, stderr } = await project.run('exec', '--reporter', 'plain');
    expect(code, stdout + stderr).toBe(0);
    expect(project.read('VERIFICATION.md')).toContain(
      'status: passed\nscore: 3/3\nstage: "check"\nclosure_rounds: 2\n',
    );
    expect(events(project, 'fix-finished')).toMatchObject([
      { by: 'coder', ok: true, summary: 'All gaps are closed.' },
      { by: 'coder', ok: true },
    ]);
    expect(events(project, 'agent-invoked').map(({ role }) => role)).toEqual([
      'reviewer',
      'fixer',
      'reviewer',
      'fixer',
      'reviewer',
    ]);
    expect(stdout).toContain('passed, 3/3 after 2 rounds of closing gaps');
  });

  it('gaps for ever: twice, then exit 1; carried forward where the config says so', async () => {
    const idle = `echo x >> "$HOME/calls"; ${done}`;
    const of = (more: string): Project =>
      new Project({
        'autoresearch.config.yaml': config(
          [agent('coder', idle, 'family: a')],
          stage(`retry: { attempts: 3, fix: coder }\nwith: { must_haves: { artifacts: [a.py] }${more} }`),
        ),
      });
    const failing = of('');
    expect((await failing.run('exec')).code).toBe(1);
    expect(failing.read('calls')).toBe('x\nx\n');
    const carrying = of(', exhausted: carry');
    const { code, stdout } = await carrying.run('exec', '--reporter', 'plain');
    expect(code).toBe(0);
    expect(stdout).toContain('gaps found, 0/1 after 2 rounds of closing gaps; carried forward: a.py: is not there');
    expect(stdout).toContain('\n  ⚠ check  gap carried forward: a.py: is not there\n');
    expect(carrying.read('calls')).toBe('x\nx\n');
    expect(carrying.read('logs/errors.log')).toContain('gap carried forward: a.py: is not there');
    expect(events(carrying, 'task-finished').at(-1)).toMatchObject({
      task: 'check',
      warnings: ['gap carried forward: a.py: is not there'],
    });
  });

  it('zero must-haves are refused before anything runs, or fail', async () => {
    const none = new Project({
      'autoresearch.config.yaml': `name: study\nstages:\n${stage('with: {}').replace(/^/gm, '  ')}\n`,
    });
    const refused = await none.run('exec');
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain('there is nothing to verify: must_haves, or from');
    expect(none.exists('SUMMARY.md')).toBe(false);
    const empty = new Project({
      'autoresearch.config.yaml': `name: study\nstages:\n${stage('with: { from: [03-01-PLAN.md] }').replace(/^/gm, '  ')}\n`,
      '03-01-PLAN.md': plan.replace(/must_haves:[\s\S]*?---/, '---'),
    });
    const { code, stdout } = await empty.run('exec');
    expect(code).toBe(1);
    expect(stdout).toContain('03-01-PLAN.md names no must_haves');
    expect(empty.exists('VERIFICATION.md')).toBe(false);
  });

  it('commands and commits are looked at, not believed; it runs each time, after whoever makes what it looks at', async () => {
    const project = new Project({
      'autoresearch.config.yaml': `name: study
stages:
  check:
    uses: verify
    outputs: [VERIFICATION.md]
    with:
      must_haves:
        truths: [{ truth: It prints a number, run: sh made.sh, prints: '^\\d+$' }]
        artifacts: [made.sh]
        commands: [{ run: 'sh made.sh; exit 3', exit: 3 }, { run: 'kill -9 $$' }]
        commits: [{ subject: 'feat(auto)' }, { subject: 'feat(auto)', at_least: 2 }]
  make: { uses: command, with: { run: 'echo echo 42 > made.sh' }, outputs: [made.sh] }
`,
    });
    const git = (...args: string[]): void =>
      void execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], {
        cwd: project.dir,
        stdio: 'ignore',
      });
    git('init');
    git('add', 'autoresearch.config.yaml');
    git('commit', '-m', 'feat(auto): one');
    git('commit', '--allow-empty', '-m', 'two\n\nfeat(auto): not in the subject');
    expect((await project.run('exec')).code).toBe(1);
    expect(project.read('VERIFICATION.md')).toMatch(
      new RegExp(
        [
          '\\| ✓ \\| artifact \\| made.sh \\| 8 bytes \\|',
          '\\| ✓ \\| truth \\| It prints a number \\| `sh made.sh` printed .*',
          '\\| ✓ \\| command \\| sh made.sh; exit 3 \\| .* exited with 3 \\|',
          '\\| ✗ \\| command \\| kill -9 \\$\\$ \\| .* did not end by itself \\|',
          '\\| ✓ \\| commit \\| a commit with "feat\\(auto\\)" \\| [0-9a-f]{10} \\|',
          '\\| ✗ \\| commit \\| 2 commits with "feat\\(auto\\)" \\| 1 found \\|',
        ].join('\n'),
      ),
    );
    project.write(
      'autoresearch.config.yaml',
      project
        .read('autoresearch.config.yaml')
        .replace(", { run: 'kill -9 $$' }", '')
        .replace(/, \{ subject: 'feat\(auto\)', at_least: 2 \}/, ''),
    );
    expect((await project.run('exec')).code).toBe(0);
    const why = await project.run('why', 'check');
    expect(why.stdout).toContain('verify looks anew each time');
    expect((await project.run('verify')).code).toBe(0);
  });

  it('whoever closes gaps keeps to the scope', async () => {
    const project = new Project({
      'autoresearch.config.yaml': config(
        [agent('coder', `echo 'x = 1' > a.py; echo y > other.txt; ${done}`, 'family: a')],
        stage('retry: { attempts: 2, fix: coder }\nscope: [a.py]\nwith: { must_haves: { artifacts: [a.py] } }'),
      ),
    });
    expect((await project.run('exec')).code).toBe(4);
    expect(project.exists('other.txt')).toBe(false);
  });
});

describe('uses: review', () => {
  const health = (verdict: string, issues: string[]): string =>
    reply({ verdict, fidelity: 'FULL', issues, risks: [], confidence: 0.8 });
  const files = { 'goal.md': 'Be better.\n', 'PLAN.md': 'Train.\n' };
  const stage = (more: string): string => `
make: { uses: command, with: { run: 'echo "Trained." > SUMMARY.md' }, outputs: [SUMMARY.md] }
review:
  uses: review
  agent: critic
  needs: [make]
  outputs: [REVIEW.md]
${more.replace(/^/gm, '  ')}`;
  const basic = 'goal: goal.md, plan: [PLAN.md], summary: [SUMMARY.md]';

  it('WARNING goes into the record', async () => {
    const project = new Project({
      ...files,
      'autoresearch.config.yaml': config(
        [agent('critic', health('WARNING', ['the image is old']), 'family: b')],
        stage(`with: { ${basic} }`),
      ),
    });
    const { code, stdout } = await project.run('exec', '--reporter', 'plain');
    expect(code).toBe(0);
    expect(stdout).toContain('WARNING, plan fidelity FULL, confidence 0.8: the image is old');
    expect(project.read('REVIEW.md')).toContain('verdict: WARNING\n');
    expect(project.read('logs/errors.log')).toContain('review: WARNING: the image is old');
    expect(
      project.read(`.autoresearch/default/runs/${String(project.journal()[0]!.run)}/tasks/review/1/prompt.md`),
    ).toContain('> Trained.');
    expect(events(project, 'task-finished').at(-1)).toMatchObject({ warnings: ['review: WARNING: the image is old'] });
    expect((await project.run('verify')).code).toBe(0);
    // What is not asked again is still not forgotten.
    const again = await project.run('exec', '--new');
    expect(again.stdout).toContain('⚠ review  review: WARNING: the image is old');
    expect(events(project, 'agent-invoked')).toEqual([]);
  });

  it('CRITICAL for ever: two rounds that rerun the validations, then exit 1 and a line in logs/errors.log', async () => {
    const project = new Project({
      ...files,
      'autoresearch.config.yaml': config(
        [
          agent('critic', health('CRITICAL', ['the arms differ']), 'family: b'),
          agent('coder', `echo f >> "$HOME/calls"; ${done}`, 'family: a'),
        ],
        stage(`retry: { attempts: 3, fix: coder }\nwith: { ${basic}, validate: ['echo v >> calls'] }`),
      ),
    });
    const { code, stdout } = await project.run('exec');
    expect(code).toBe(1);
    expect(project.read('calls').replaceAll('\n', '')).toBe('vfvfv');
    const roles = events(project, 'agent-invoked').map(({ role }) => role);
    expect(roles).toEqual(['reviewer', 'fixer', 'reviewer', 'fixer', 'reviewer']);
    expect(stdout).toContain('reviewer critic says CRITICAL, after 2 rounds of mending: the arms differ');
    expect(project.read('logs/errors.log')).toContain('CRITICAL, after 2 rounds of mending: the arms differ');
    expect(project.read('REVIEW.md')).toContain('verdict: CRITICAL\n');
  });

  it('CRITICAL that is mended ends HEALTHY', async () => {
    const critic = `if [ -e mended ]; then ${health('HEALTHY', [])}; else ${health('CRITICAL', ['not mended'])}; fi`;
    const project = new Project({
      ...files,
      'autoresearch.config.yaml': config(
        [agent('critic', critic, 'family: b'), agent('coder', `touch mended; ${done}`, 'family: a')],
        stage(`retry: { attempts: 2, fix: coder }\nwith: { ${basic}, validate: ['true'] }`),
      ),
    });
    expect((await project.run('exec')).code).toBe(0);
    expect(project.read('REVIEW.md')).toContain('fix_rounds: 1\n');
  });

  it.each([
    ['prose', 'echo Looks HEALTHY to me'],
    ['nothing', 'true'],
    ['an unknown verdict', health('FINE', [])],
    ['two verdicts in one', reply({ verdict: 'HEALTHY', verdicts: ['CRITICAL'] })],
    ['HEALTHY with issues', health('HEALTHY', ['but it is broken'])],
    ['a crash', `${health('HEALTHY', [])}; exit 3`],
    ['a judge of work', reply({ verdict: 'pass', reasons: ['fine'] })],
  ])('a reviewer that says %s is never HEALTHY', async (_name, script) => {
    const project = new Project({
      ...files,
      'autoresearch.config.yaml': config([agent('critic', script, 'family: b')], stage(`with: { ${basic} }`)),
    });
    expect((await project.run('exec')).code).toBe(1);
    expect(project.exists('REVIEW.md')).toBe(false);
    expect(events(project, 'agent-invoked').length).toBeLessThanOrEqual(3);
  });

  it('an optional reviewer without a key is SKIPPED, and the record says so', async () => {
    const project = new Project({
      ...files,
      'autoresearch.config.yaml': config(
        [
          '  critic: { backend: api, baseUrl: "http://127.0.0.1:9/v1", model: openai/x, apiKeyEnv: NO_SUCH_KEY, optional: true, limits: { usd: 1 } }',
        ],
        stage(`with: { ${basic} }`),
      ),
    });
    expect((await project.run('exec')).code).toBe(0);
    expect(events(project, 'task-skipped')).toMatchObject([{ task: 'review', cause: 'agent-unreachable' }]);
    const { code, stdout } = await project.run('verify', '--verbose');
    expect(code).toBe(0);
    expect(stdout).toMatch(/task +review: SKIPPED: critic: .*NO_SUCH_KEY/);
  });

  it('whoever mends must be of another family than whoever reviews', async () => {
    const project = new Project({
      ...files,
      'autoresearch.config.yaml': config(
        [agent('critic', 'true', 'family: a'), agent('coder', 'true', 'family: a')],
        stage(`retry: { attempts: 2, fix: coder }\nwith: { ${basic} }`),
      ),
    });
    const { code, stderr } = await project.run('exec');
    expect(code).toBe(2);
    expect(stderr).toContain('AR320');
  });
});
