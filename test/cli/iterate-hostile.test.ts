import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { LoopProject } from '../support/loop-project.js';
import { ended } from '../support/project.js';
import { until } from '../support/until.js';

const plain = ['exec', '--reporter', 'plain'] as const;

const configOf = (project: LoopProject) => JSON.parse(project.read('autoresearch.config.json'));
const setConfig = (project: LoopProject, change: (config: ReturnType<typeof configOf>) => void): void => {
  const config = configOf(project);
  config.iterate.max = 2;
  change(config);
  project.write('autoresearch.config.json', JSON.stringify(config));
};

describe('between two exec of one series', () => {
  const made = async (options = {}): Promise<LoopProject> => {
    const project = new LoopProject(['0.9', '0.8'], { iterate: { max: 1 }, ...options });
    expect((await project.run(...plain)).code).toBe(0);
    return project;
  };
  const expectRefused = async (project: LoopProject, words: string): Promise<void> => {
    const record = readFileSync(project.recordFile, 'utf8');
    const trained = project.read('ran');
    const { code, stderr } = await project.run(...plain);
    expect([code, stderr]).toEqual([2, expect.stringContaining(words)]);
    expect(stderr).toContain('autoresearch exec --new');
    expect([readFileSync(project.recordFile, 'utf8'), project.read('ran')]).toEqual([record, trained]);
  };

  it.each([
    [
      'the direction',
      (config: ReturnType<typeof configOf>) => {
        config.iterate.metric.better = 'higher';
      },
      'AR346 what decides about the number is not what it was when the iterations so far were measured, so they cannot be compared with others: the metric (was loss of measure, lower is better; is loss of measure, higher is better)',
    ],
    [
      'the command',
      (config: ReturnType<typeof configOf>) => {
        config.stages.train.with.run = 'sh train.sh; echo loss=0.001 > log.txt';
      },
      'cannot be compared with others: what train does',
    ],
    [
      'the time',
      (config: ReturnType<typeof configOf>) => {
        config.stages.train.timeout = '1h';
      },
      'cannot be compared with others: what train does',
    ],
    [
      'where the number is read',
      (config: ReturnType<typeof configOf>) => {
        config.stages.measure.with.metrics.loss.pattern = 'loss=(?<loss>\\d)';
      },
      'cannot be compared with others: what measure does',
    ],
  ])('%s is not changed quietly', async (_what, change, words) => {
    const project = await made();
    setConfig(project, change);
    await expectRefused(project, words);
  });

  it('the evaluation is not changed quietly, protected or read', async () => {
    const stages = {
      train: {
        uses: 'command',
        needs: ['edit'],
        with: { run: 'sh train.sh' },
        inputs: ['value.txt', 'data/*.txt'],
        outputs: ['log.txt', 'ran'],
      },
    };
    const project = await made({
      stages,
      head: { protect: ['train.sh'] },
      files: { 'data/a.txt': 'a\n' },
    });
    const before = project.read('train.sh');
    setConfig(project, () => {});
    project.write('train.sh', `${before}echo loss=0 > log.txt\n`);
    await expectRefused(project, 'cannot be compared with others: train.sh');
    project.write('train.sh', before);
    project.write('data/b.txt', 'b\n');
    await expectRefused(project, 'cannot be compared with others: data/*.txt');
    // What is asked for explicitly has a baseline of its own.
    project.commit('more data');
    setConfig(project, (config) => {
      config.iterate.max = 1;
    });
    project.commit('fewer');
    expect((await project.run(...plain, '--new')).code).toBe(0);
    expect(project.records().filter(({ type }) => type === 'series-started')).toHaveLength(2);
    const measures = project.records().flatMap(({ type, measure }) => (type === 'iteration-measured' ? [measure] : []));
    expect(measures.filter(Boolean)).toHaveLength(2);
    expect(measures[0]).not.toEqual(measures[2]);
  });

  it('a hand-made commit does not count for the next iteration, and the named commands go back', async () => {
    const project = await made();
    setConfig(project, () => {});
    const left = project.git('rev-parse', 'HEAD');
    project.write('value.txt', '0.1\n');
    project.git('commit', '-q', '-m', 'better by hand', 'value.txt');
    const by = project.git('rev-parse', '--short=12', 'HEAD');
    const words = `AR345 main has a commit that no iteration made (${by} better by hand), which would count for the next one`;
    await expectRefused(project, words);
    const commands = `git branch by-hand-${by} && git reset --keep ${left.slice(0, 12)}`;
    expect((await project.run(...plain)).stderr.replace(/\s+/g, ' ')).toContain(commands);
    for (const command of commands.split(' && ')) project.git(...command.split(' ').slice(1));
    expect((await project.run(...plain)).code).toBe(0);
    expect(project.rows().find(({ number }) => number === 2)).toMatchObject({ value: 0.8, verdict: 'kept' });
  });

  it('a commit of nothing but the rules and the results counts for nobody, and the loop goes on', async () => {
    const project = await made({ files: { '.gitignore': '.autoresearch/\nlog.txt\nresult.json\nran\nlogs/\n' } });
    setConfig(project, () => {});
    project.commit('more of it, and what came of it');
    expect((await project.run(...plain)).code).toBe(0);
    expect(project.verdicts()).toEqual(['0 kept', '1 kept', '2 kept']);
  });

  it('a reset or another branch does not go unnoticed', async () => {
    const project = await made();
    setConfig(project, () => {});
    const left = project.git('rev-parse', '--short=12', 'HEAD');
    project.git('reset', '-q', '--keep', 'HEAD~1');
    await expectRefused(project, `AR345 main was at ${left} when the loop left it, and is at`);
    project.git('reset', '-q', '--keep', left);
    project.git('checkout', '-q', '-b', 'aside');
    await expectRefused(project, 'AR345 aside is checked out, and the loop works on main');
  });

  it('a file beside the loop that was changed and not committed is refused', async () => {
    const project = await made();
    setConfig(project, () => {});
    project.write('train.sh', 'echo loss=0 > log.txt; echo x > ran\n');
    const record = readFileSync(project.recordFile, 'utf8');
    const { code, stderr } = await project.run(...plain);
    expect(readFileSync(project.recordFile, 'utf8')).toBe(record);
    expect([code, stderr]).toEqual([
      2,
      expect.stringContaining('AR344 your checkout has changes that are in no commit'),
    ]);
  });
});

describe('a refusal changes nothing', () => {
  const goal = { goal: 'goal.md' };
  const refused = async (project: LoopProject, words: string, ...options: string[]): Promise<void> => {
    const stateOf = () => [
      project.exists('.autoresearch/default') ? readdirSync(join(project.dir, '.autoresearch/default')).sort() : [],
      project.exists('.autoresearch/default/iterations.jsonl') ? readFileSync(project.recordFile, 'utf8') : undefined,
      project.git('for-each-ref'),
    ];
    const before = stateOf();
    const { code, stderr } = await project.run(...plain, ...options);
    expect([code, stderr]).toEqual([2, expect.stringContaining(words)]);
    expect(stateOf()).toEqual(before);
  };

  it('of exec --new: the series that there is goes on', async () => {
    const project = new LoopProject(['0.9', '0.8'], {
      iterate: { max: 1, ...goal },
      files: { 'goal.md': 'Less.\n' },
    });
    expect((await project.run(...plain)).code).toBe(0);
    project.write('train.sh', `${project.read('train.sh')}# mine\n`);
    await refused(project, 'AR344 your checkout has changes that are in no commit', '--new');
    project.git('checkout', '-q', 'train.sh');
    project.write('goal.md', '');
    project.git('commit', '-q', '-m', 'no goal', 'goal.md');
    await refused(project, 'AR507 goal.md is not there, or is empty', '--new');
    project.git('reset', '-q', '--hard', 'HEAD~1');
    setConfig(project, () => {});
    expect((await project.run(...plain)).code).toBe(0);
    expect(project.verdicts()).toEqual(['0 kept', '1 kept', '2 kept']);
    expect(project.records().filter(({ type }) => type === 'series-started')).toHaveLength(1);
  });

  it('of exec --new over a record that does not hold together: it stays where it is', async () => {
    const project = new LoopProject(['0.9'], { iterate: { max: 1 } });
    expect((await project.run(...plain)).code).toBe(0);
    writeFileSync(project.recordFile, readFileSync(project.recordFile, 'utf8').replace('"number":1', '"number":7'));
    project.write('train.sh', `${project.read('train.sh')}# mine\n`);
    await refused(project, 'AR344 your checkout has changes that are in no commit', '--new');
    project.git('checkout', '-q', 'train.sh');
    expect((await project.run(...plain)).code).toBe(4);
    expect((await project.run(...plain, '--new')).code).toBe(0);
  });

  it('of the first exec', async () => {
    const project = new LoopProject(['0.9'], { iterate: { max: 1 } });
    project.write('train.sh', `${project.read('train.sh')}# mine\n`);
    const { code } = await project.run(...plain);
    expect([code, project.exists('.autoresearch/default/iterations.jsonl')]).toEqual([2, false]);
    await refused(project, 'AR344 your checkout has changes that are in no commit');
  });
});

describe('what commands leave outside of the files', () => {
  const editing = (run: string) => ({
    edit: { uses: 'command', with: { run: `sh edit.sh {{iteration.number}}; ${run}` }, outputs: ['value.txt'] },
  });

  it.each([
    ['a file of the project', 'echo "echo loss=0.1 > log.txt" >> train.sh', 'train.sh'],
    ['a new file', 'echo x > helper.sh', 'helper.sh'],
    ['the config', `sed -i s/lower/higher/ autoresearch.config.json`, 'autoresearch.config.json'],
    ['a removed file', 'rm edit.sh', 'edit.sh'],
    [
      'its own table',
      'mkdir -p iterations/1; touch iterations/1/results.tsv; echo forged >> insights.md',
      'insights.md',
    ],
  ])('%s is put back, and the iteration counts for nothing: exit 4', async (_what, run, file) => {
    const project = new LoopProject(['0.5'], {
      stages: editing(run),
      iterate: { max: 1 },
      files: { '.gitignore': '.autoresearch/\nlog.txt\nresult.json\nran\nlogs/\niterations/\n' },
    });
    const before = existsSync(join(project.dir, file)) ? project.read(file) : undefined;
    const { code, stderr } = await project.run(...plain);
    expect([code, stderr]).toEqual([4, expect.stringContaining(`${file}: written in an iteration, and neither`)]);
    expect(project.verdicts()).toEqual(['0 kept', '1 failed']);
    expect(project.rows()[1]!.why).toContain(`it wrote where nothing of the loop is: ${file}; all of it was put back`);
    if (file !== 'insights.md') expect(project.exists(file) ? project.read(file) : undefined).toBe(before);
    else expect(project.read(file)).not.toContain('forged');
    expect(project.read('value.txt')).toBe('1.0\n');
  });

  it('the config is not changed by a loop that keeps all, either', async () => {
    const project = new LoopProject(['0.5'], {
      stages: editing('sed -i s/lower/higher/ autoresearch.config.json'),
      iterate: { max: 1, keep: 'all', files: undefined },
    });
    const before = project.read('autoresearch.config.json');
    const { code } = await project.run(...plain);
    expect([code, project.read('autoresearch.config.json'), project.read('value.txt')]).toEqual([4, before, '0.5\n']);
    expect(project.verdicts()).toEqual(['1 failed']);
  });

  it('what git ignores is taken away, so that it cannot help the next iteration', async () => {
    const train = {
      uses: 'command',
      needs: ['edit'],
      // Who finds what an earlier one left is better for it.
      with: {
        run: 'if test -e cache/warm; then echo loss=0.1 > log.txt; else sh train.sh; fi; mkdir -p cache; echo x > cache/warm',
      },
      inputs: ['value.txt'],
      outputs: ['log.txt'],
    };
    const project = new LoopProject(['0.9', '0.8'], {
      stages: { train },
      iterate: { max: 2 },
      files: { '.gitignore': '.autoresearch/\nlog.txt\nresult.json\nran\nlogs/\niterations/\ninsights.md\ncache/\n' },
    });
    expect((await project.run(...plain)).code).toBe(0);
    expect(project.rows().map(({ value }) => value)).toEqual([1, 0.9, 0.8]);
    expect(project.rows()[1]).toMatchObject({ cleared: ['cache/warm', 'ran'] });
    expect(project.exists('cache')).toBe(false);
    expect(project.read('insights.md')).toContain('- Taken away afterwards: cache/warm and ran');
  });

  it('also what was left by an iteration that was killed', async () => {
    const train = {
      uses: 'command',
      needs: ['edit'],
      with: {
        run: 'test "$(cat value.txt)" = 1.0 || test -e go || { mkdir -p cache; echo x > cache/warm; touch begun; sleep 600; }; sh train.sh',
      },
      inputs: ['value.txt'],
      outputs: ['log.txt'],
    };
    const project = new LoopProject(['0.9', '0.8'], {
      stages: { train },
      iterate: { max: 1 },
      files: {
        '.gitignore': '.autoresearch/\nlog.txt\nresult.json\nran\nlogs/\niterations/\ninsights.md\ncache/\nbegun\ngo\n',
      },
    });
    const child = project.start([...plain]);
    const end = ended(child);
    await until(() => project.exists('begun') || child.exitCode !== null);
    child.kill('SIGKILL');
    await end;
    project.write('go', '');
    expect((await project.run(...plain)).code).toBe(0);
    expect(project.exists('cache')).toBe(false);
    expect(project.rows()[1]!.cleared).toContain('cache/warm');
  });

  it('a file of the loop that became a link to the outside is not kept', async () => {
    const outside = join(new LoopProject([]).dir, 'value.txt');
    const project = new LoopProject(['0.9'], {
      // Made anew: a link to what is older than the attempt is refused before the loop looks.
      stages: editing(`rm ${outside}; echo 0.2 > ${outside}; ln -sf ${outside} value.txt`),
      iterate: { max: 1 },
    });
    const { code } = await project.run(...plain);
    expect(project.rows()[1]).toMatchObject({
      verdict: 'failed',
      why: `value.txt became a link to ${outside}, which is not a file of the loop: what is there could be exchanged at any time`,
    });
    expect(project.git('ls-files', '-s', 'value.txt')).toMatch(/^100644 /);
    expect([code, project.read('value.txt'), project.git('status', '--porcelain')]).toEqual([0, '1.0\n', '']);
  });

  it.each([
    ['switches the branch', 'git checkout -q -b mine', 'AR345 mine is checked out, and the loop works on main'],
    [
      'commits beside the loop',
      'echo "echo loss=0.1 > log.txt" >> train.sh; git -c user.name=x -c user.email=x@y commit -q -m x train.sh',
      'train.sh: written in an iteration',
    ],
    [
      'commits beside the loop and hides it',
      'echo "echo loss=0.1 > log.txt" >> train.sh; git -c user.name=x -c user.email=x@y commit -q -m x train.sh; git show HEAD~1:train.sh > train.sh',
      'AR345 commits since the iteration began changed what is not of the loop: train.sh',
    ],
  ])('whoever %s fails closed', async (_what, run, words) => {
    const project = new LoopProject(['0.5'], { stages: editing(run), iterate: { max: 1 } });
    const { code, stderr } = await project.run(...plain);
    expect([code, stderr]).toEqual([4, expect.stringContaining(words)]);
    expect(project.git('show', 'main:value.txt')).toBe('1.0');
  });
});
