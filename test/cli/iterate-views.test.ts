import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { LoopProject } from '../support/loop-project.js';

const exec = ['exec', '--reporter', 'plain'] as const;

describe('what is shown of a loop', () => {
  it('plan: which iteration is next, what it does again, what ends the loop and what it costs; nothing changes', async () => {
    const project = new LoopProject(['0.9', '0.95'], {
      iterate: { max: 2, repeats: 2, patience: 3, until: 'best < 0.1', budget: { time: '2h' } },
    });
    const before = project.snapshot();
    const { stdout } = await project.run('plan');
    expect(stdout.slice(stdout.indexOf('In all:'))).toBe(`In all:     2 to run for the baseline.
Worst case: for one iteration, 3 attempts, no agent calls, no money, time not
            bounded (no timeout in edit, train and measure).
Iterations: the baseline, 2 times, is next; each iteration does edit, train and
            measure again. Kept or put back: value.txt.
Ends:       when best < 0.1, after 2 iterations, 3 in a row without progress, 3
            failed in a row, 2 h in all.
At worst:   2 iterations with 6 attempts, 0 agent calls, at most $0.
Next:       autoresearch exec
`);
    expect(project.snapshot()).toEqual(before);
    expect((await project.run(...exec)).code).toBe(1);
    const over = await project.run('plan');
    expect(over.stdout).toContain('Iterations: the loop is over: 2 iterations were made, and best < 0.1 never held.\n');
    expect(over.stdout.slice(over.stdout.indexOf('The loop goes on'))).toBe(
      'The loop goes on when the rule that ended it is widened. Another series:\nautoresearch exec --new\n',
    );
    const json = JSON.parse((await project.run('plan', '--json')).stdout);
    expect(json.iterate).toMatchObject({
      number: 3,
      max: 2,
      over: '2 iterations were made, and best < 0.1 never held',
      files: ['value.txt'],
    });
  });

  it('plan before the first run: what the baseline does, and apart from it what each iteration does', async () => {
    const coder = { backend: 'command', run: 'sh coder.sh', limits: { usd: 0.5 } };
    const project = new LoopProject([], {
      head: { agents: { coder } },
      iterate: { max: 4 },
      stages: {
        data: { uses: 'command', with: { run: 'echo d > data.txt' }, outputs: ['data.txt'] },
        edit: {
          ...{ uses: 'agent', agent: 'coder', with: { instructions: 'Less.', verify: 'true' }, scope: ['value.txt'] },
        },
        train: {
          ...{ uses: 'command', needs: ['edit'], with: { run: 'sh train.sh' } },
          ...{ inputs: ['value.txt', 'data.txt'], outputs: ['log.txt', 'ran'] },
        },
      },
      files: {
        'coder.sh': `cat > /dev/null; echo 0.5 > value.txt; echo '{"outcome":"done","summary":"less","usd":0.1}'\n`,
        '.gitignore': '.autoresearch/\nlog.txt\nresult.json\nran\nlogs/\niterations/\ninsights.md\ndata.txt\n',
      },
    });
    const before = project.snapshot();
    const { stdout } = await project.run('plan');
    const [baseline, each] = stdout.split('\nThen each iteration: 4 tasks in 3 waves\n');
    expect(baseline).toContain('\nFirst, to compare with: the baseline\n\nWave 1\n  ▶ run    ');
    expect(baseline).not.toContain('edit');
    expect(each).toContain(`
Wave 1
  ▶ run    edit (agent)
      does    implement: Less.
              true
      agent   coder: command; may change value.txt
      why     forced: every iteration does it again
  ≡ cached data (command)  nothing changed
`);
    expect(each).toContain(`
In all:     3 to run for the baseline.
Worst case: for one iteration, 4 attempts, 3 agent calls, at most $1.50, time
            not bounded (no timeout in edit, train and 2 more).
Iterations: the baseline, 1 time, is next; each iteration does edit, train and
            measure again. Kept or put back: value.txt.
Ends:       after 4 iterations, 3 failed in a row.
At worst:   4 iterations with 16 attempts, 12 agent calls, at most $6.
`);
    const json = JSON.parse((await project.run('plan', '--json')).stdout);
    const ids = (tasks: { id: string; action: string }[]): string[] => tasks.map(({ id, action }) => `${id} ${action}`);
    expect(ids(json.tasks)).toEqual(['train run', 'measure run', 'data run']);
    expect(ids(json.iterate.each.tasks)).toEqual(['edit run', 'train run', 'measure run', 'data cached']);
    expect(json.iterate.each.worstCase).toMatchObject({ agentCalls: 3, usd: 1.5 });
    expect((await project.run('plan', '--graph', 'mermaid')).stdout).toContain('["edit"]');
    expect(project.snapshot()).toEqual(before);
    // From the first iteration on, the plan is that of the next one.
    expect((await project.run(...exec)).code).toBe(0);
    expect((await project.run('plan')).stdout).not.toContain('Then each iteration');
  });

  it('status and runs: which iteration a run is', async () => {
    const project = new LoopProject(['0.9'], { iterate: { max: 1 } });
    await project.run(...exec);
    expect((await project.run('status')).stdout).toMatch(/^✓ loop passed · iteration 1 of 1, run 2-/);
    const runs = (await project.run('runs')).stdout.trimEnd().split('\n');
    expect((await project.run('status')).stdout).not.toMatch(/no longer|changed since|stale/);
    expect(JSON.parse((await project.run('status', '--json')).stdout)).toMatchObject({ stale: null });
    expect(project.read('insights.md')).toContain(
      '- Changes: auto/default-iter-1-1, .autoresearch/default/iterations/1/1/changes.patch\n',
    );
    expect(runs[0]).toMatch(/^run +outcome +started +took +iteration +tasks$/);
    expect(runs.slice(1).map((line) => line.split(/ {2,}/).at(-2))).toEqual(['1', '0']);
    expect(JSON.parse((await project.run('status', '--json')).stdout).iteration).toMatchObject({ number: 1, of: 1 });
    expect(
      project.read(
        `.autoresearch/default/runs/${JSON.parse((await project.run('status', '--json')).stdout).run}/execution.md`,
      ),
    ).toMatch(/^# loop, run 2-\w+, iteration 1 of 1: SUCCESS\n/);
    await project.run('report');
    const page = `.autoresearch/default/runs/${JSON.parse((await project.run('status', '--json')).stdout).run}/report.html`;
    expect(project.read(page)).toMatch(/<span class="name">2-\w+<\/span> · <a [^>]*>iteration 1 of 1<\/a><\/p>/);
  });
});

describe('verify of a loop', () => {
  const finished = async (values: readonly string[], max = values.length): Promise<LoopProject> => {
    const project = new LoopProject(values, { iterate: { max } });
    expect((await project.run(...exec)).code).toBe(0);
    return project;
  };
  const loopLines = (stdout: string): string[] => stdout.split('\n').filter((line) => / loop /.test(line));

  it('stands, also when the newest iteration was put back', async () => {
    const project = await finished(['0.5', '0.7']);
    const { code, stdout } = await project.run('verify', '--verbose');
    expect(stdout).toContain('✓ output     value.txt: as edit made it');
    expect(loopLines(stdout)).toEqual([
      `  ✓ loop       14 lines, each bears the hash of the one before`,
      `  ✓ loop       changes: what 2 iterations changed is there, branch and difference`,
      `  ✓ loop       runs: 3 say what the record says of them`,
      `  ✓ loop       told: iterations/1/results.tsv, insights.md say what the record says`,
      `  ✓ loop       end: the loop ended because 2 iterations were made; the best is 0.5, iteration 1`,
      `  ✓ loop       kept: iteration 1 (${project.git('rev-parse', '--short=12', 'HEAD')}) is in your branch, and its files are as it left them`,
    ]);
    expect(code).toBe(0);
  });

  it('finds a record that was changed, cut or taken away, also when exec comes first', async () => {
    const project = await finished(['0.5']);
    const text = readFileSync(project.recordFile, 'utf8');
    writeFileSync(project.recordFile, text.replace('"value":0.5', '"value":0.1'));
    const changed = await project.run('verify');
    expect(changed.code).toBe(4);
    expect(changed.stdout).toMatch(/✗ loop +line \d+: the line does not match its hash/);
    expect((await project.run(...exec)).code).toBe(4);

    writeFileSync(project.recordFile, `${text.split('\n').slice(0, 6).join('\n')}\n`);
    expect((await project.run('verify')).stdout).toContain('✗ loop       it ended at line 10, and has only 6');
    const cut = await project.run(...exec);
    expect([cut.code, cut.stderr.includes('it ended at line 10, and has only 6')]).toEqual([4, true]);

    rmSync(project.recordFile);
    expect((await project.run('verify')).stdout).toContain('its record (iterations.jsonl) is gone');
    const gone = await project.run(...exec);
    expect([gone.code, gone.stderr]).toEqual([4, expect.stringContaining('it is gone, and there are runs that were')]);
    expect(project.exists('.autoresearch/default/iterations.jsonl')).toBe(false);
    // Whoever begins anew does not take the names of what was before.
    await project.run(...exec, '--new');
    expect(JSON.parse(readFileSync(project.recordFile, 'utf8').split('\n')[0]!)).toMatchObject({ series: 2 });
  });

  it('stands for every run of the loop: what later ones made anew, kept or put back is told apart', async () => {
    const project = await finished(['0.5', '0.4', '0.7']);
    for (const run of ['1', '2', '3', '4']) {
      const { code, stdout } = await project.run('verify', '--run', run, '--verbose');
      expect([code, stdout.match(/✗.*/g)], stdout).toEqual([0, null]);
    }
    const older = (await project.run('verify', '--run', '2', '--verbose')).stdout;
    expect(older).toMatch(/✓ output +log.txt: train had made it; made anew since by iteration 3 of 3, run 4-/);
    expect(older).toContain('✓ output     value.txt: as edit made it');
    project.write('log.txt', 'loss=0\n');
    const changed = await project.run('verify', '--run', '2');
    expect([changed.code, changed.stdout]).toEqual([
      1,
      expect.stringContaining('log.txt: was changed after train made it'),
    ]);
  });

  it('finds a table, insights or a run of an older iteration that say something else', async () => {
    const project = await finished(['0.5', '0.4']);
    const restored = async (path: string, change: (text: string) => string, words: string, code: number) => {
      const text = project.read(path);
      expect(change(text)).not.toBe(text);
      project.write(path, change(text));
      const found = await project.run('verify');
      expect([found.code, loopLines(found.stdout).join('\n')]).toEqual([code, expect.stringContaining(words)]);
      project.write(path, text);
    };
    const inTable = (text: string): string => text.replace('\t0.5\t', '\t0.1\t');
    await restored(
      'iterations/1/results.tsv',
      inTable,
      'told: iterations/1/results.tsv is not what the record says',
      1,
    );
    const inWords = (text: string): string => text.replace('loss: 0.5', 'loss: 0.1');
    await restored('insights.md', inWords, 'told: insights.md does not say of iteration 1 what the record says', 1);
    const ids = (await project.run('runs')).stdout.match(/^\S*2-\w+/m)!;
    const journal = `.autoresearch/default/runs/${ids[0]}/journal.jsonl`;
    const inRun = (text: string): string => text.replace('"loss":0.5', '"loss":0.1');
    await restored(journal, inRun, `runs: iteration 1, run ${ids[0]}: line `, 4);
    const cut = (text: string): string => `${text.trimEnd().split('\n').slice(0, -1).join('\n')}\n`;
    await restored(journal, cut, `runs: iteration 1, run ${ids[0]}: its journal is not the one that was noted`, 4);
    // Notes of people between the sections are theirs.
    project.write('insights.md', `${project.read('insights.md')}\nMine.\n`);
    expect((await project.run('verify')).code).toBe(0);
  });

  it('finds a difference that is gone, a branch that was taken back and a file that was changed', async () => {
    const project = await finished(['0.5']);
    project.write('value.txt', '0.4\n');
    expect(loopLines((await project.run('verify')).stdout).join()).toContain('kept: value.txt is not as iteration 1 (');
    project.git('checkout', '-q', 'value.txt');
    project.git('reset', '-q', '--hard', 'HEAD~1');
    expect(loopLines((await project.run('verify')).stdout).join()).toContain('was kept, and is not in your branch');
    rmSync(join(project.dir, '.autoresearch/default/iterations/1/1/changes.patch'));
    const gone = await project.run('verify');
    expect(loopLines(gone.stdout).join()).toContain('changes: iteration 1: iterations/1/1/changes.patch is gone');
    expect(gone.code).toBe(4);
  });
});
