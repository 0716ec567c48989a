import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { LoopProject } from '../support/loop-project.js';

/** Each is several runs of a loop, and a machine may be loaded. */
const timeout = 120_000;

const exec = ['exec', '--reporter', 'plain'] as const;
const json = async (project: LoopProject, command: string, ...more: string[]) =>
  JSON.parse((await project.run(command, '--json', ...more)).stdout);

/** The lines of a loop in what a command says. */
const told = (stdout: string): string[] =>
  stdout
    .split('\n')
    .filter((line) => /^ {2}(loop, series|best:|this one:|the record)/.test(line))
    .map((line) => line.trim());

describe('how a loop ended', () => {
  it('is said by status and verify: what was kept, and why it stopped', { timeout }, async () => {
    const project = new LoopProject(['0.5', '0.7'], { iterate: { max: 2 } });
    expect((await project.run(...exec)).code).toBe(0);
    const runs = await json(project, 'runs');
    const [, kept] = runs.map(({ run }: { run: string }) => run);
    const commit = project.git('rev-parse', 'HEAD');
    const loop = {
      series: 1,
      iterations: 2,
      kept: [1],
      best: {
        ...{ iteration: 1, value: 0.5, metric: 'loss', run: kept, commit },
        branch: 'auto/default-iter-1-1',
      },
      open: null,
      outcome: 'passed',
      ended: { because: 'max', detail: '2 iterations were made', missed: null },
      last: runs[0].run,
      decided: { verdict: 'discarded', why: 'loss is 0.7 after 0.5: no better than the best' },
    };
    expect((await json(project, 'status')).loop).toEqual(loop);
    expect((await json(project, 'verify')).loop).toEqual(loop);
    const lines = [
      'loop, series 1: 2 iterations decided, 1 kept; ended because 2 iterations were made',
      `best: loss 0.5, iteration 1, run ${kept}, commit ${commit.slice(0, 12)}`,
      'this one: discarded, loss is 0.7 after 0.5: no better than the best',
    ];
    const status = (await project.run('status')).stdout;
    expect(told(status)).toEqual(lines);
    expect(status).toMatch(/\nNext: autoresearch plan\n$/);
    expect(told((await project.run('verify')).stdout)).toEqual(lines);
    expect((await project.run('verify', '--quiet')).stdout).toBe('');
    // Of an older run: the same loop, and what became of that iteration.
    expect((await json(project, 'status', '--run', kept)).loop).toMatchObject({
      ended: loop.ended,
      decided: { verdict: 'kept' },
    });
  });

  it('a goal that was not reached is a failure wherever one looks', { timeout }, async () => {
    const project = new LoopProject(['0.9', '0.8'], { iterate: { max: 2, until: 'best < 0.1' } });
    const end = await project.run(...exec);
    expect(end.code).toBe(1);
    const ended = 'ended without reaching its goal: 2 iterations were made, and best < 0.1 never held';
    expect(end.stdout).toContain(`\nloop: 2 iterations, ${ended}\n`);
    const [last, older] = await json(project, 'runs');
    expect([last.outcome, older.outcome]).toEqual(['failed', 'passed']);
    expect((await project.run('runs')).stdout).toMatch(new RegExp(`^${last.run} +failed `, 'm'));
    const status = await json(project, 'status');
    expect(status.outcome).toBe('failed');
    expect(status.loop).toMatchObject({
      outcome: 'failed',
      best: { value: 0.8, iteration: 2 },
      ended: { because: 'max', detail: '2 iterations were made', missed: 'best < 0.1 never held' },
    });
    const inWords = (await project.run('status')).stdout;
    expect(inWords).toMatch(/^✗ loop failed · iteration 2 of 2, run /);
    expect(told(inWords)).toEqual([
      `loop, series 1: 2 iterations decided, 2 kept; ${ended}`,
      expect.stringMatching(/^best: loss 0.8, iteration 2, run /),
      'this one: kept, loss is 0.8 after 0.9: won 0.1',
    ]);
    const reason = `the loop ${ended}; best: loss 0.8, iteration 2`;
    const folder = `.autoresearch/default/runs/${last.run}`;
    const record = project.read(`${folder}/execution.md`);
    expect(record).toContain(', iteration 2 of 2: FAILED\n');
    expect(record).toContain('| outcome | failed |');
    expect(record).toContain(`Reason: ${reason.replace('<', '&lt;')}.`);
    expect(JSON.parse(project.read(`${folder}/execution.json`))).toMatchObject({
      outcome: 'failed',
      status: 'FAILED',
      reason,
    });
    expect((await project.run('report')).code).toBe(0);
    const page = project.read(`${folder}/report.html`).replace(/<[^>]*>/g, '');
    expect(page).toContain(`FAILED ${reason.replace('<', '&lt;')}.`);
    expect(page).toContain('Outcomefailed');
    expect(page).not.toContain('SUCCESS');
    const verified = await project.run('verify');
    expect(verified.code).toBe(1);
    expect(verified.stdout).toContain(`  ✗ loop       end: the loop ${ended}; the best is 0.8, iteration 2\n`);
    expect(verified.stdout).toMatch(/\n1 of \d+ checks failed\n$/);
    // The iterations before it are what they were: nothing is wrong with them.
    expect((await json(project, 'verify', '--run', older.run)).outcome).toBe('passed');
    expect((await json(project, 'status', '--run', older.run)).outcome).toBe('passed');
    expect((await project.run('plan')).stdout).toContain(
      'Iterations: the loop is over: 2 iterations were made, and best < 0.1 never held.',
    );
    expect((await project.run('doctor')).stdout).toMatch(/runs +3; the newest, .*: failed\n/);
    expect((await project.run('exec', '--quiet')).code).toBe(1);
    expect((await json(project, 'verify')).failed).toBe(1);

    // Without the goal the same loop has done what it should, and no record contradicts another.
    const { iterate, ...config } = JSON.parse(project.read('autoresearch.config.json'));
    const { until: _, ...without } = iterate;
    project.write('autoresearch.config.json', JSON.stringify({ ...config, iterate: without }));
    expect((await project.run(...exec)).code).toBe(0);
    expect((await json(project, 'status')).outcome).toBe('passed');
    expect((await json(project, 'verify')).outcome).toBe('passed');
  });

  it('a loop that spent its budget is over budget, although its last iteration passed', { timeout }, async () => {
    const coder = { backend: 'command', run: 'sh coder.sh', limits: { usd: 0.1 } };
    const project = new LoopProject([], {
      head: { agents: { coder } },
      iterate: { max: 2, budget: { usd: 0.1 } },
      stages: {
        edit: { uses: 'agent', agent: 'coder', with: { instructions: 'Less.', verify: 'true' }, scope: ['value.txt'] },
      },
      files: {
        'coder.sh': `cat > /dev/null; echo 0.9 > value.txt\necho '{"outcome":"done","summary":"less","usd":0.1}'\n`,
      },
    });
    expect((await project.run(...exec)).code).toBe(5);
    expect((await json(project, 'runs'))[0].outcome).toBe('over-budget');
    expect((await json(project, 'status')).outcome).toBe('over-budget');
    expect((await json(project, 'verify')).outcome).toBe('failed');
    expect((await project.run('status')).stdout).toMatch(/^✗ loop spent its budget · iteration 1 of 2, run /);
  });

  it('is said of each series for itself, and of a run of no loop not at all', { timeout }, async () => {
    const project = new LoopProject(['0.5'], { iterate: { max: 1 } });
    await project.run(...exec);
    const [first] = (await json(project, 'runs')).map(({ run }: { run: string }) => run);
    await project.run(...exec, '--new');
    expect((await json(project, 'status', '--run', first)).loop).toMatchObject({ series: 1, kept: [1] });
    expect((await json(project, 'status')).loop).toMatchObject({ series: 2, kept: [] });
    const config = JSON.parse(project.read('autoresearch.config.json'));
    const stages = { a: { uses: 'command', with: { run: 'true' } } };
    project.write('autoresearch.config.json', JSON.stringify({ ...config, name: 'other', iterate: undefined, stages }));
    expect((await project.run(...exec)).code).toBe(0);
    expect((await json(project, 'status')).loop).toBe(null);
    expect((await json(project, 'verify')).loop).toBe(null);
    expect(told((await project.run('status')).stdout)).toEqual([]);
  });

  it('a loop that stopped in the middle is not said to have ended', { timeout }, async () => {
    const project = new LoopProject(['0.5', '0.4'], {
      iterate: { max: 2 },
      stages: {
        stop: {
          ...{ uses: 'command', needs: ['measure'], with: { run: 'echo {{iteration.number}} > ran' } },
          ...{ gate: { kind: 'human', evidence: ['log.txt'] } },
        },
      },
    });
    const waits = await project.run(...exec);
    expect(waits.code, waits.stderr).toBe(3);
    expect((await json(project, 'status')).loop).toMatchObject({ ended: null, open: 1, iterations: 0, decided: null });
    expect(told((await project.run('status')).stdout)[0]).toBe(
      'loop, series 1: 0 iterations decided, 0 kept; not ended, iteration 1 is open',
    );
  });

  it('after failures in a row exec goes on, and status says so', { timeout }, async () => {
    const project = new LoopProject(['bad', 'bad', '0.5'], { iterate: { max: 3, failures: 2 } });
    expect((await project.run(...exec)).code).toBe(1);
    const { stdout } = await project.run('status');
    expect(told(stdout)[0]).toBe(
      'loop, series 1: 2 iterations decided, 0 kept; ended because 2 iterations failed one after another',
    );
    expect(stdout).toMatch(/\nNext: autoresearch logs train {3}or {3}autoresearch exec\n$/);
  });

  it('nothing is said by a record that somebody wrote in, also with hashes that are right', { timeout }, async () => {
    const project = new LoopProject(['0.5'], { iterate: { max: 1 } });
    await project.run(...exec);
    const text = readFileSync(project.recordFile, 'utf8');
    writeFileSync(project.recordFile, text.replace('1 iteration was made', 'all is proven'));
    const changed = (await project.run('status')).stdout;
    expect(told(changed)).toEqual([
      expect.stringMatching(/^the record of the loop cannot be believed: line \d+: the line does not match its hash/),
    ]);
    expect(changed).not.toContain('proven');

    // One line more, chained as it should be.
    const last = JSON.parse(text.trimEnd().split('\n').at(-1)!);
    const { hash: prev, ...rest } = last;
    const forged = { ...rest, seq: last.seq + 1, because: 'until', detail: 'all is proven', prev };
    const hash = createHash('sha256').update(JSON.stringify(forged)).digest('hex');
    writeFileSync(project.recordFile, `${text}${JSON.stringify({ ...forged, hash })}\n`);
    const added = await json(project, 'status');
    expect(added.loop).toEqual({ problem: expect.any(String) });
    const verified = await project.run('verify', '--json');
    expect(verified.code).toBe(4);
    expect(JSON.parse(verified.stdout).loop).toEqual({ problem: expect.any(String) });

    writeFileSync(project.recordFile, '');
    expect((await json(project, 'status')).loop).toEqual({ problem: 'it is gone' });
  });
});

describe('plan of a loop', () => {
  it('of one that is over: nothing to run, and how it goes on', { timeout }, async () => {
    const project = new LoopProject(['0.5'], { iterate: { max: 1 } });
    await project.run(...exec);
    const { stdout } = await project.run('plan', '--agent-id', 'default');
    expect(
      stdout.slice(stdout.indexOf('In all:')),
    ).toBe(`In all:     nothing to run; above is what one more iteration would do.
Worst case: 3 attempts, no agent calls, no money, time not bounded (no timeout
            in edit, train and measure).
Iterations: the loop is over: 1 iteration was made.
The loop goes on when the rule that ended it is widened. Another series:
autoresearch exec --agent-id default --new
`);
  });

  it('says what exec would refuse with, the same words, and touches nothing', { timeout }, async () => {
    const project = new LoopProject(['0.5', '0.4'], { iterate: { max: 1 } });
    await project.run(...exec);
    const config = JSON.parse(project.read('autoresearch.config.json'));
    const more = { ...config, iterate: { ...config.iterate, max: 2 } };
    project.write('autoresearch.config.json', JSON.stringify(more));
    expect((await json(project, 'plan')).notices).toEqual([]);

    const same = async (code: string, words: string): Promise<void> => {
      const before = project.snapshot();
      const plan = await project.run('plan');
      const { notices } = await json(project, 'plan');
      expect(project.snapshot()).toEqual(before);
      expect(notices).toEqual([expect.objectContaining({ code, message: expect.stringContaining(words) })]);
      expect(plan.code).toBe(0);
      expect(plan.stdout).toContain(`${code} `);
      expect(plan.stdout).toMatch(/\nexec would refuse this plan until the notice above is dealt with\.\n$/);
      const refused = await project.run(...exec);
      expect(refused.code).toBe(2);
      expect(refused.stderr).toContain(`${code} ${notices[0].message}`);
      expect(refused.stderr).toContain(notices[0].hint);
    };

    project.write('value.txt', '0.1\n');
    await same('AR344', 'files of the loop have changes that are in no commit');
    project.commit('by hand');
    await same('AR345', 'main has a commit that no iteration made');
    project.git('reset', '-q', '--keep', 'HEAD~1');
    project.write('autoresearch.config.json', JSON.stringify(more));
    project.git('switch', '-q', '-c', 'other');
    await same('AR345', 'other is checked out, and the loop works on main');
    project.git('switch', '-q', 'main');
    more.iterate.metric.better = 'higher';
    project.write('autoresearch.config.json', JSON.stringify(more));
    await same('AR346', 'the metric (was loss of measure, lower is better; is loss of measure, higher is better)');
    more.iterate.metric.better = 'lower';
    project.write('autoresearch.config.json', JSON.stringify(more));
    expect((await project.run(...exec)).code).toBe(0);
  });

  it('goes by the goal of now, as exec does: one that was widened holds no longer', { timeout }, async () => {
    const project = new LoopProject(['0.5', '0.4'], {
      iterate: { max: 2, until: 'best < vars.goal' },
      head: { vars: { goal: 0.6 } },
    });
    expect((await project.run(...exec)).code).toBe(0);
    expect((await project.run('plan')).stdout).toContain('the loop is over: best < vars.goal holds.');

    const config = JSON.parse(project.read('autoresearch.config.json'));
    const widened = { ...config, vars: undefined, iterate: { ...config.iterate, until: 'best < 0.45' } };
    project.write('autoresearch.config.json', JSON.stringify(widened));
    project.write('train.sh', `${project.read('train.sh')}# by hand\n`);
    project.commit('another goal, and something else');
    const plan = await project.run('plan');
    expect(plan.stdout).not.toContain('the loop is over');
    const { notices } = await json(project, 'plan');
    expect(notices).toEqual([expect.objectContaining({ code: 'AR345' })]);
    const refused = await project.run(...exec);
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain(`AR345 ${notices[0].message}`);

    // Alone it counts for nobody; what it goes by may also stand elsewhere, or be gone.
    project.git('reset', '-q', '--hard', 'HEAD~1');
    for (const other of [widened, { ...config, vars: { goal: 0.45 } }]) {
      project.write('autoresearch.config.json', JSON.stringify(other));
      expect(await json(project, 'plan')).toMatchObject({ notices: [], iterate: { number: 2 } });
    }
    const { until: _, ...rest } = config.iterate;
    project.write('autoresearch.config.json', JSON.stringify({ ...config, iterate: rest, vars: {} }));
    expect((await project.run('plan')).stdout).not.toContain('the loop is over');
    project.write('autoresearch.config.json', JSON.stringify(widened));
    project.commit('another goal');
    expect((await project.run(...exec)).code).toBe(0);
    expect((await project.run('plan')).stdout).toContain('the loop is over: best < 0.45 holds.');
  });

  it('before the first iteration too', { timeout }, async () => {
    const project = new LoopProject(['0.5'], { iterate: { max: 1 } });
    project.write('stray.txt', 'x\n');
    const { notices } = await json(project, 'plan');
    expect(notices).toEqual([expect.objectContaining({ code: 'AR344', line: expect.any(Number) })]);
    expect(notices[0].message).toContain('stray.txt');
  });
});
