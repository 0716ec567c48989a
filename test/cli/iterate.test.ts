import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { LoopProject } from '../support/loop-project.js';
import { ended } from '../support/project.js';
import { until } from '../support/until.js';

const plain = ['exec', '--reporter', 'plain'] as const;

describe('iterate with keep: best', () => {
  it('measures the baseline, keeps what is better, puts back what is not, and remembers all of it', async () => {
    const project = new LoopProject(['0.9', 'bad', '0.5', '0.49', '0.6'], {
      iterate: { repeats: 2, minEffect: 0.05, patience: 2, max: 9 },
    });
    const { code, stdout } = await project.run(...plain);
    expect(
      stdout.slice(stdout.indexOf('loop: 5 iterations')),
    ).toBe(`loop: 5 iterations, ended because 2 iterations in a row made no progress
  #  loss
  0  1     kept       the baseline, measured 2 times, noise floor 0
  1  0.9   kept       loss is 0.9 after 1: won 0.1
  2  -     failed     train: exited with code 1
  3  0.5   kept       loss is 0.5 after 0.9: won 0.4
  4  0.49  discarded  loss is 0.49 after 0.5: won 0.01, less than the 0.05 of minEffect
  5  0.6   discarded  loss is 0.6 after 0.5: no better than the best
  best: loss 0.5, iteration 3 (${project.git('rev-parse', 'HEAD').slice(0, 12)})
  table: iterations/1/results.tsv
  next: raise the rule that ended it and autoresearch exec goes on, or autoresearch exec --new begins another series
`);
    expect(stdout).toContain('loop: iteration 3 of 9, run 5-');
    expect(code).toBe(0);
    expect(project.read('value.txt')).toBe('0.5\n');
    expect(project.git('status', '--porcelain')).toBe('');
    expect(project.log()).toEqual(['Iteration 3', 'Iteration 1', 'first']);
    // The baseline ran before anything was changed, and nothing was measured twice.
    expect(project.read('ran').trimEnd().split('\n')).toEqual(
      ['1.0', '1.0', '0.9', 'bad', '0.5', '0.49', '0.6'].map((value) => `train ${value}`),
    );
    // Every discarded change has a branch and a file that git takes back.
    expect(project.git('show', 'auto/default-iter-4-1:value.txt')).toBe('0.49');
    project.git('apply', '.autoresearch/default/iterations/1/5/changes.patch');
    expect(project.read('value.txt')).toBe('0.6\n');
    project.git('checkout', '-q', 'value.txt');
    expect(project.table().map((row) => row.slice(0, 5).join(' '))).toEqual([
      'iteration verdict progress loss best',
      '0 kept yes 1 1',
      '1 kept yes 0.9 0.9',
      '2 failed no  0.9',
      '3 kept yes 0.5 0.5',
      '4 discarded no 0.49 0.5',
      '5 discarded no 0.6 0.5',
    ]);
    expect(project.read('insights.md').match(/^## .*$/gm)).toEqual([
      '## Baseline: kept',
      '## Iteration 1: kept',
      '## Iteration 2: failed',
      '## Iteration 3: kept',
      '## Iteration 4: discarded',
      '## Iteration 5: discarded',
    ]);

    // Whoever types it again is told the same, and nothing runs.
    const again = await project.run(...plain);
    expect(again).toMatchObject({ code: 0, stdout: stdout.slice(stdout.indexOf('loop: 5 iterations')) });
    expect(project.rows()).toHaveLength(6);
  });

  it('a wider rule goes on, and --new begins another series', async () => {
    const project = new LoopProject(['0.9', '0.8', '0.7'], { iterate: { max: 1 } });
    expect((await project.run(...plain)).code).toBe(0);
    const config = JSON.parse(project.read('autoresearch.config.json'));
    config.iterate.max = 2;
    project.write('autoresearch.config.json', JSON.stringify(config));
    expect((await project.run(...plain)).code).toBe(0);
    expect(project.verdicts()).toEqual(['0 kept', '1 kept', '2 kept']);
    project.commit('config');
    expect((await project.run(...plain, '--new')).code).toBe(0);
    expect(project.exists('iterations/2/results.tsv')).toBe(true);
    expect(project.rows().map(({ number, value }) => `${number} ${value}`)).toEqual(['0 0.8', '1 0.9', '2 0.8']);
    expect(
      project
        .git('branch', '--list', 'auto/*')
        .split('\n')
        .map((name) => name.trim()),
    ).toEqual(['auto/default-iter-1-1', 'auto/default-iter-1-2', 'auto/default-iter-2-1', 'auto/default-iter-2-2']);
  });

  it('refuses to begin where something is not committed, and changes nothing', async () => {
    const project = new LoopProject(['0.9']);
    project.write('value.txt', '7\n');
    const { code, stderr } = await project.run(...plain);
    expect(code).toBe(2);
    expect(stderr).toContain(
      'AR344 files of the loop have changes that are in no commit, and would be lost when an iteration is put back: value.txt',
    );
    project.git('checkout', '-q', 'value.txt');
    project.write('train.sh', 'true\n');
    expect((await project.run(...plain)).stderr).toContain(
      'AR344 your checkout has changes that are in no commit, so what is kept would not be what was measured: train.sh',
    );
    expect(project.read('train.sh')).toBe('true\n');
    expect(project.exists('ran')).toBe(false);
  });

  it('puts back what was added and removed', async () => {
    const project = new LoopProject(['2', '3'], {
      iterate: { files: ['value.txt', 'src'], max: 1 },
      files: { 'src/a.txt': 'a\n' },
      stages: {
        edit: {
          uses: 'command',
          with: {
            run: 'sh edit.sh {{iteration.number}}; rm src/a.txt; mkdir -p src/deep; echo b > src/deep/b.txt',
          },
          outputs: ['value.txt', 'src/**'],
        },
      },
    });
    expect((await project.run(...plain)).code).toBe(0);
    expect(project.verdicts()).toEqual(['0 kept', '1 discarded']);
    expect(project.read('src/a.txt')).toBe('a\n');
    expect(project.exists('src/deep')).toBe(false);
    expect(project.git('status', '--porcelain')).toBe('');
    const patch = project.read('.autoresearch/default/iterations/1/1/changes.patch');
    expect(patch.match(/^diff --git .*$/gm)).toEqual([
      'diff --git a/src/a.txt b/src/a.txt',
      'diff --git a/src/deep/b.txt b/src/deep/b.txt',
      'diff --git a/value.txt b/value.txt',
    ]);
  });

  it('what worktrees merged meanwhile is taken back by a commit, never by rewriting', async () => {
    const project = new LoopProject(['2'], {
      iterate: { max: 1 },
      stages: {
        edit: {
          uses: 'command',
          with: { run: 'echo 2 > value.txt' },
          outputs: ['value.txt'],
          commit: 'edit in {{iteration.number}}',
          cache: false,
        },
      },
    });
    expect((await project.run(...plain)).code).toBe(0);
    expect(project.verdicts()).toEqual(['0 kept', '1 discarded']);
    expect(project.log()).toEqual(['Put back: Iteration 1', 'edit in 1', 'first']);
    expect(project.read('value.txt')).toBe('1.0\n');
    expect(project.git('status', '--porcelain')).toBe('');
  });

  it('a better number is luck when only a seed was changed', async () => {
    const project = new LoopProject([], {
      iterate: { files: ['params.txt'], max: 1 },
      files: { 'params.txt': 'seed = 1\n' },
      stages: {
        edit: {
          uses: 'command',
          with: { run: 'echo "seed = {{iteration.number}}0" > params.txt' },
          outputs: ['params.txt'],
        },
        train: {
          uses: 'command',
          needs: ['edit'],
          with: { run: 'echo "loss=0.$(cut -c8- params.txt)" > log.txt' },
          inputs: ['params.txt'],
          outputs: ['log.txt'],
        },
      },
    });
    expect((await project.run(...plain)).code).toBe(0);
    expect(project.rows()[1]).toMatchObject({
      verdict: 'discarded',
      why: 'nothing but a seed was changed, so a better number would be luck',
    });
    expect(project.read('params.txt')).toBe('seed = 1\n');
  });
});

describe('how a loop ends', () => {
  it('a baseline that fails ends it, and is measured again when it was mended', async () => {
    const project = new LoopProject(['0.5'], { files: { 'value.txt': 'bad\n' }, iterate: { max: 1 } });
    const first = await project.run(...plain);
    expect(first.stdout).toContain('the baseline could not be measured: train: exited with code 1');
    expect(first.code).toBe(1);
    project.write('value.txt', '1\n');
    project.commit('mended');
    expect((await project.run(...plain)).code).toBe(0);
    expect(project.verdicts()).toEqual(['0 kept', '1 kept']);
  });

  it('what is not a number is a failed iteration, and never wins', async () => {
    const project = new LoopProject(['nan', '-inf', '1e999', ''], { iterate: { failures: 4 } });
    const { code, stdout } = await project.run(...plain);
    expect(code).toBe(1);
    expect(stdout).toContain('loop: 4 iterations, ended because 4 iterations failed one after another');
    expect(project.verdicts()).toEqual(['0 kept', '1 failed', '2 failed', '3 failed', '4 failed']);
    expect(project.read('value.txt')).toBe('1.0\n');
  });

  it('a goal that is not reached is a failure, one that is reached is not', async () => {
    const project = new LoopProject(['0.9', '0.4'], {
      iterate: { max: 1, until: 'best < 0.5 && iteration.number > 0' },
    });
    const short = await project.run(...plain);
    expect(short.code).toBe(1);
    expect(short.stdout).toContain('ended without reaching its goal: 1 iteration was made, and best < 0.5');
    const config = JSON.parse(project.read('autoresearch.config.json'));
    project.write('autoresearch.config.json', JSON.stringify({ ...config, iterate: { ...config.iterate, max: 9 } }));
    const end = await project.run(...plain);
    expect(end.code).toBe(0);
    expect(end.stdout).toContain('ended because best < 0.5 && iteration.number > 0 holds');
  });

  it('an expression that cannot be worked out ends it with its reason', async () => {
    const project = new LoopProject(['0.9'], { iterate: { until: 'metrics.accuracy > 0.5' } });
    const { code, stderr } = await project.run(...plain);
    expect(code).toBe(1);
    expect(stderr).toContain('iterate.until (metrics.accuracy > 0.5) cannot be worked out');
  });

  it('waits for a person, goes on when told, and stops when one says no', async () => {
    const gated = {
      train: {
        uses: 'command',
        needs: ['edit'],
        with: { run: 'sh train.sh' },
        inputs: ['value.txt'],
        outputs: ['log.txt'],
        gate: 'human',
      },
    };
    const project = new LoopProject(['0.9', '0.8', '0.7'], { stages: gated, iterate: { max: 2 } });
    expect((await project.run(...plain)).code).toBe(3);
    expect((await project.run('approve', 'train')).code).toBe(0);
    expect((await project.run(...plain)).code).toBe(3);
    expect(project.verdicts()).toEqual(['0 kept']);
    expect((await project.run('reject', 'train', '--reason', 'not this way')).code).toBe(0);
    const rejected = await project.run(...plain);
    expect(rejected.code).toBe(1);
    expect(project.rows()[1]).toMatchObject({ verdict: 'failed', rejected: true });
    expect(project.rows()[1]!.why).toContain('not this way');
    expect(project.read('value.txt')).toBe('1.0\n');
    // Whoever goes on after that goes on with the next one.
    expect((await project.run(...plain)).code).toBe(3);
    expect((await project.run('approve', 'train')).code).toBe(0);
    expect((await project.run(...plain)).code).toBe(0);
    expect(project.verdicts()).toEqual(['0 kept', '1 failed', '2 kept']);
  });
});

describe('who stops it', () => {
  /** The baseline passes; an iteration waits until somebody says go. */
  const slow = {
    train: {
      uses: 'command',
      needs: ['edit'],
      with: { run: 'sh train.sh; test "$(cat value.txt)" = 1.0 || test -e go || { touch begun; sleep 600; }' },
      inputs: ['value.txt'],
      outputs: ['log.txt'],
    },
  };

  it.each([
    ['SIGINT', 130],
    ['cancel', 143],
  ] as const)('%s ends it, and exec goes on with the same iteration', async (how, code) => {
    const project = new LoopProject(['0.9'], { stages: slow, iterate: { max: 1 } });
    const child = project.start([...plain]);
    const end = ended(child);
    await until(() => project.exists('begun') || child.exitCode !== null);
    if (how === 'cancel') await project.run('cancel');
    else child.kill(how);
    expect((await end).stdout).not.toContain('iteration 1 of 1 kept');
    expect(child.exitCode).toBe(code);
    expect(project.verdicts()).toEqual(['0 kept']);
    project.write('go', '');
    expect((await project.run(...plain)).code).toBe(0);
    expect(project.verdicts()).toEqual(['0 kept', '1 kept']);
    expect(project.records().filter(({ type }) => type === 'iteration-started')).toHaveLength(2);
  });

  it('money of all iterations together ends it with exit 5, and more of it goes on', async () => {
    const coder = { backend: 'command', run: 'sh coder.sh', limits: { usd: 0.1 } };
    const edit = {
      uses: 'agent',
      agent: 'coder',
      with: { instructions: 'Number {{iteration.number}}, best {{iteration.best}}.', verify: 'true' },
      scope: ['value.txt'],
    };
    const project = new LoopProject([], {
      head: { agents: { coder } },
      iterate: { max: 3, budget: { usd: 0.25 } },
      stages: { edit },
      files: {
        'coder.sh': `cat > /dev/null; echo "0.$(awk '{ print int($1 * 10) - 1 }' value.txt)" > value.txt\necho '{"outcome":"done","summary":"one less","usd":0.1}'\n`,
      },
    });
    const { code, stdout } = await project.run(...plain);
    // The third call could cost more than the 0.05 that are left, so it is not made.
    expect([code, project.verdicts()], stdout).toEqual([5, ['0 kept', '1 kept', '2 kept']]);
    expect(project.rows()[2]).toMatchObject({ value: 0.8, tried: 'one less', usd: 0.1 });
    // By the name that was written, and with what all iterations have spent.
    const why = 'iterate.budget.usd is 0.25 USD, of which 0.2 USD is spent, and what comes next may cost 0.1 USD';
    expect(stdout).toContain(`✗ edit  could not go on: ${why}`);
    expect(stdout).toContain(`\n  ${why}\n`);
    expect(stdout).toContain('Raise iterate.budget.usd in the config, then go on with autoresearch exec');
    expect(stdout).not.toContain('usdPerRun');
    const cost = JSON.parse((await project.run('cost', '--json')).stdout);
    expect(cost.ceilings).toEqual([
      { ceiling: 'iterate.budget.usd', stage: null, run: null, limit: 0.25, spent: 0.2, left: 0.05 },
    ]);
    expect((await project.run('cost')).stdout).toMatch(
      /\niterate\.budget\.usd +0\.2500 USD +0\.2000 USD +0\.0500 USD\n/,
    );
    const config = JSON.parse(project.read('autoresearch.config.json'));
    config.iterate.budget.usd = 1;
    project.write('autoresearch.config.json', JSON.stringify(config));
    expect((await project.run(...plain)).code).toBe(0);
    expect(project.verdicts()).toEqual(['0 kept', '1 kept', '2 kept', '3 kept']);
  });
});

describe('what goes with it', () => {
  it('a goal that is not there is missed before anything runs', async () => {
    const project = new LoopProject(['0.9'], { iterate: { goal: 'goal.md' } });
    const { code, stderr } = await project.run(...plain);
    expect([code, project.exists('ran')]).toEqual([2, false]);
    expect(stderr).toContain('AR507 goal.md is not there, or is empty, and says what the loop is for');
  });

  it('nobody who works towards a goal may change it', async () => {
    const edit = {
      uses: 'command',
      with: { run: 'echo easier > goal.md; sh edit.sh {{iteration.number}}' },
      outputs: ['value.txt'],
    };
    const project = new LoopProject(['0.9'], {
      iterate: { goal: 'goal.md' },
      files: { 'goal.md': 'hard\n' },
      stages: { edit },
    });
    const { code } = await project.run(...plain);
    expect([code, project.read('goal.md'), project.verdicts()]).toEqual([4, 'hard\n', ['0 kept']]);
  });

  it('worktrees bear the number of their iteration, and what they merged is taken back by a commit', async () => {
    const coder = { backend: 'command', run: 'sh coder.sh' };
    const edit = {
      uses: 'agent',
      agent: 'coder',
      isolation: 'worktree',
      with: { instructions: 'Number {{iteration.number}}.', verify: 'true' },
      scope: ['value.txt'],
      commit: 'feat(auto-{{agentId}}-iter-{{iteration.number}}): {{summary}}',
    };
    const project = new LoopProject([], {
      head: { agents: { coder } },
      iterate: { max: 2 },
      stages: { edit },
      files: {
        'coder.sh': `number=$(sed -n 's/.*Number \\([0-9]*\\)\\..*/\\1/p' | head -n 1); case $number in 1) echo 0.5;; *) echo 0.7;; esac > value.txt\necho '{"outcome":"done","summary":"tried it"}'\n`,
      },
    });
    const { code, stdout } = await project.run(...plain);
    expect([code, project.verdicts()], stdout).toEqual([0, ['0 kept', '1 kept', '2 discarded']]);
    expect(project.read('value.txt')).toBe('0.5\n');
    expect(project.git('status', '--porcelain')).toBe('');
    const subjects = project.log();
    expect(subjects[0]).toBe('Put back: Iteration 2: tried it');
    expect(subjects).toContain('feat(auto-default-iter-2): tried it');
    expect(subjects).toContain('feat(auto-default-iter-1): tried it');
    const trees = readdirSync(join(project.dir, '.autoresearch/default/runs')).flatMap(
      (run) =>
        readFileSync(join(project.dir, '.autoresearch/default/runs', run, 'journal.jsonl'), 'utf8').match(
          /"branch":"auto\/[^"]*-edit"/g,
        ) ?? [],
    );
    expect([...new Set(trees)].sort()).toEqual([
      '"branch":"auto/default-iter-1-edit"',
      '"branch":"auto/default-iter-2-edit"',
    ]);
  });

  it('options about one run are refused', async () => {
    const project = new LoopProject(['0.9']);
    const { code, stderr } = await project.run('exec', '--only', 'train', '--force', 'edit');
    expect(code).toBe(2);
    expect(stderr).toContain('AR604 --only does not go with iterate: every iteration does what its rules say');
    expect(stderr).toContain('AR604 --force does not go with iterate');
  });

  it('programs get the records of the loop among the events of its runs', async () => {
    const project = new LoopProject(['0.9'], { iterate: { max: 1 } });
    const { code, stdout } = await project.run('exec', '--json');
    expect(code).toBe(0);
    const events = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(events.filter(({ type }) => /^(series|iteration)/.test(type)).map(({ type }) => type)).toEqual([
      'series-started',
      ...['iteration-started', 'iteration-measured', 'iteration-decided', 'iteration-closed'],
      ...['iteration-started', 'iteration-measured', 'iteration-decided', 'iteration-closed'],
      'iterations-finished',
    ]);
    const lines = project.records();
    expect(events.filter(({ type }) => type === 'run-started').map(({ iteration }) => iteration)).toEqual([
      { series: 1, number: 0, repeat: 1, of: 1, record: lines[1]!.hash },
      { series: 1, number: 1, repeat: 1, of: 1, record: lines[5]!.hash },
    ]);
  });

  it('a loop without git or metric keeps everything, and a goal reaches its stages', async () => {
    const project = new LoopProject([], {
      files: { 'goal.md': 'Be quick.\n' },
      iterate: { max: 2, keep: 'all', files: undefined, metric: undefined, goal: 'goal.md' },
      stages: {
        train: null,
        measure: null,
        edit: {
          uses: 'command',
          with: {
            run: 'echo {{iteration.goal}} {{iteration.number}} >> notes; mkdir -p {{iteration.dir}}; echo {{iteration.insights}} > {{iteration.dir}}/seen',
          },
          outputs: ['{{iteration.dir}}/seen'],
        },
      },
    });
    const config = JSON.parse(project.read('autoresearch.config.json'));
    for (const name of ['train', 'measure']) delete config.stages[name];
    project.write('autoresearch.config.json', JSON.stringify(config));
    expect((await project.run(...plain)).code).toBe(0);
    expect(project.read('notes')).toBe('Be quick. 1\nBe quick. 2\n');
    expect(project.read('iterations/1/002/seen')).toBe(
      '- Iteration 1 (kept, no progress): there is no metric to judge it by.\n',
    );
  });
});
