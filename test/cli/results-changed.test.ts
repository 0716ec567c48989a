import { createHash } from 'node:crypto';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Project } from '../support/project.js';

const command = (run: string, more: object = {}): object => ({ uses: 'command', with: { run }, ...more });

const studyOf = (
  stages: object,
  more: { readonly top?: object; readonly files?: Record<string, string> } = {},
): Project =>
  new Project({ 'autoresearch.config.json': JSON.stringify({ name: 'study', ...more.top, stages }), ...more.files });

const exec = (project: Project, ...args: string[]) => project.run('exec', '--reporter', 'plain', ...args);
const events = (project: Project, type: string) => project.journal().filter((entry) => entry.type === type);
const short = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 12);
const plain = (text: string): string => text.replace(/\d+\.\d s/g, 'T');
const lines = (project: Project, path: string): number => project.read(path).trimEnd().split('\n').length;

/** Never asked for more than one judgement, and never of the family of whoever does the work. */
const judge = { backend: 'command', run: 'cat > /dev/null; cat verdict', family: 'judges' };
const judged = { kind: 'auto-judge', agent: 'judge', criteria: ['it is fine'], evidence: ['src/**'] };
const verdict = '{"verdict":"pass","reasons":["fine"],"usd":0}';
const mending = (run: string): object => ({
  backend: 'command',
  run: `cat > /dev/null; ${run}; echo '{"outcome":"done","summary":"mended","usd":0}'`,
  family: 'coders',
});

describe('what a task made is compared before the next one builds on it', () => {
  const stages = {
    make: command('echo made >> making; echo one > out.txt', { outputs: ['out.txt'] }),
    beside: command('[ ! -e swap ] || echo two > out.txt', { needs: ['make'] }),
    use: command('cat out.txt > used', { needs: ['make', 'beside'], outputs: ['used'] }),
    later: command('echo later > later', { needs: ['use'] }),
  };

  it('a change by somebody who has not declared it ends there, with file, maker and both digests', async () => {
    const project = studyOf(stages, { files: { swap: '' } });
    const { code, stdout } = await exec(project);
    expect(code).toBe(1);
    const what = `what it made is not what is there now, and nobody known to the run has changed it: out.txt (was ${short('one\n')}, is ${short('two\n')})`;
    expect(plain(stdout).split('\n').slice(1)).toEqual([
      '✓ make  T',
      '✓ beside  T',
      `✗ make  ${what}`,
      '○ use  skipped: make did not pass',
      '○ later  skipped: make did not pass',
      '✗ study failed in T: 1 passed, 1 failed, 2 skipped',
      '  ⚠ beside  out.txt is what it builds on, and was another one, or gone, when it had run: what it has read of it may be neither',
      '',
      `✗ make  ${what}`,
      '  → Find out who wrote there: a task declares what it makes under outputs. Put the files back, or go on with autoresearch exec, which makes them anew',
      '',
      '○ 2 skipped because make did not pass: use and later',
      '',
      'Next:',
      '  autoresearch exec  try again; what passed is kept',
      '',
    ]);
    expect(project.exists('used')).toBe(false);
    expect(project.read('logs/errors.log')).toContain(`make  attempt 1  result-changed  ${what}`);
  });

  it('the next exec makes it anew, and one that finds it put back goes on without', async () => {
    const project = studyOf(stages, { files: { swap: '' } });
    await exec(project);
    rmSync(join(project.dir, 'swap'));
    expect((await exec(project)).code).toBe(0);
    expect(lines(project, 'making')).toBe(2);

    const other = studyOf(stages, { files: { swap: '' } });
    await exec(other);
    other.write('out.txt', 'one\n');
    expect((await exec(other)).code).toBe(0);
    expect(lines(other, 'making')).toBe(1);
    expect((await other.run('verify')).code).toBe(0);
  });

  it('what nobody reads any more is compared before the run is called passed', async () => {
    const project = studyOf({
      make: command('echo one > out.txt', { outputs: ['out.txt'] }),
      last: command('rm out.txt', { needs: ['make'] }),
    });
    const { code, stdout } = await exec(project);
    expect(code).toBe(1);
    expect(stdout).toContain(`out.txt (was ${short('one\n')}, is gone)`);
    expect(events(project, 'run-finished')).toMatchObject([{ outcome: 'failed' }]);
  });

  it('a file that is only touched, or written with the same words, is what it was', async () => {
    const project = studyOf({
      make: command('echo one > out.txt', { outputs: ['out.txt'] }),
      touch: command('touch out.txt; rm out.txt; echo one > out.txt', { needs: ['make'] }),
      use: command('cat out.txt', { needs: ['make', 'touch'] }),
    });
    expect((await exec(project)).code).toBe(0);
    expect((await project.run('verify')).code).toBe(0);
  });

  it('between two tries as well', async () => {
    const project = studyOf({
      make: command('echo one > out.txt', { outputs: ['out.txt'] }),
      use: command('echo tried >> tried; echo two > out.txt; exit 3', { needs: ['make'], retry: { attempts: 3 } }),
    });
    const { code, stdout } = await exec(project);
    expect(code).toBe(1);
    expect(stdout).toContain('✗ make  what it made is not what is there now');
    expect(lines(project, 'tried')).toBe(1);
  });
});

describe('what a gate was passed with is compared before anybody goes on from it', () => {
  const stages = (swap: string, gate: object) => ({
    make: command('mkdir -p src; echo one > src/a.txt', { outputs: ['src/a.txt'], gate }),
    between: command(swap, { needs: ['make'] }),
    use: command('echo used > used', { needs: ['between'] }),
  });
  const auto = { kind: 'auto', checks: [{ file: 'src/a.txt' }], evidence: ['src/**', 'notes.md'] };

  it.each([
    ['a file of the work', 'echo two > src/a.txt', `src/a.txt (was ${short('one\n')}, is ${short('two\n')})`],
    ['a file beside the work', 'echo more >> notes.md', `notes.md (was ${short('plan')}, is ${short('planmore\n')})`],
    ['a new file that it would have been shown', 'echo evil > src/b.txt', 'src/b.txt (is new)'],
    ['a file that goes', 'rm notes.md', `notes.md (was ${short('plan')}, is gone)`],
  ])('%s, two steps further on: the run does not go on with that verdict', async (_, swap, changed) => {
    const project = studyOf(stages(swap, auto), { files: { 'notes.md': 'plan' } });
    const { code, stdout } = await exec(project);
    expect(code).toBe(1);
    expect(stdout).toContain(`✗ make  what its checks passed at its gate is not what is there now: ${changed}\n`);
    expect(stdout).toContain('○ use  skipped: make did not pass\n');
    expect(project.exists('used')).toBe(false);
  });

  it('the gate is asked anew when the run goes on, and what follows is done again', async () => {
    const project = studyOf(stages('[ -e swapped ] || echo more >> notes.md; touch swapped', auto), {
      files: { 'notes.md': 'plan' },
    });
    expect((await exec(project)).code).toBe(1);
    expect((await exec(project)).code).toBe(0);
    const decided = events(project, 'gate-decided');
    expect(decided).toHaveLength(2);
    expect(decided[1]!.shown).not.toBe(decided[0]!.shown);
    expect(events(project, 'task-finished').map(({ task }) => task)).toEqual(['make', 'between', 'between', 'use']);
    expect((await project.run('verify')).code).toBe(0);
  });

  it('a person has approved: what is swapped afterwards does not go on under their name', async () => {
    const project = studyOf(stages('echo two > src/a.txt', { kind: 'human' }));
    expect((await exec(project)).code).toBe(3);
    expect((await project.run('approve', 'make')).code).toBe(0);
    const { code, stdout } = await exec(project);
    expect(code).toBe(1);
    expect(stdout).toContain('passed at its gate is not what is there now: src/a.txt');
    expect(project.exists('used')).toBe(false);
    expect((await project.run('approve', 'make')).code).not.toBe(0);
  });
});

describe('who is known to the run may change what others made', () => {
  const mended = (fix: unknown, more: object = {}) => ({
    make: command('mkdir -p src; echo bad > src/a.txt', { outputs: ['src/a.txt'], ...more }),
    read: command('cat src/a.txt > copy; echo read >> reads', { inputs: ['src/a.txt'], outputs: ['copy'] }),
    test: command('echo tried >> tries; grep good src/a.txt', {
      needs: ['make', 'read'],
      inputs: ['src/a.txt', 'hand.txt'],
      scope: typeof fix === 'string' ? ['src/**', 'hand.txt'] : undefined,
      retry: { attempts: 3, fix },
    }),
  });
  const mend = 'echo good > src/a.txt; echo more >> hand.txt';

  it.each([
    ['a command', { run: mend }, {}],
    ['an agent in its scope', 'coder', { agents: { coder: mending(mend) } }],
  ])('%s that mends: what had read the file reads it again, and the run stands', async (_, fix, top) => {
    const project = studyOf(mended(fix), { top, files: { 'hand.txt': 'by hand' } });
    const { code, stdout } = await exec(project);
    expect(code).toBe(0);
    expect(stdout).toContain(' changed src/a.txt of make; looked at or done again: read\n');
    expect(project.read('copy')).toBe('good\n');
    expect(lines(project, 'reads')).toBe(2);
    expect((await project.run('verify')).code).toBe(0);
    expect((await exec(project)).stdout).toContain('nothing to do, all 3 tasks still hold');
  });

  it('a gate that was passed with the old file is asked anew before the next try', async () => {
    const top = { agents: { judge, coder: mending(mend) } };
    const project = studyOf(mended('coder', { gate: judged }), { top, files: { verdict, 'hand.txt': 'by hand' } });
    expect((await exec(project)).code).toBe(0);
    const order = project
      .journal()
      .flatMap(({ type, task }) => (type === 'gate-decided' || type === 'task-finished' ? [`${type} ${task}`] : []));
    expect(order).toEqual([
      'task-finished make',
      'gate-decided make',
      'task-finished read',
      'gate-decided make',
      'task-finished read',
      'task-finished test',
    ]);
    expect((await project.run('verify')).code).toBe(0);
  });

  it('a gate that says no to what was mended keeps the next try from starting', async () => {
    const no = `${mend}; echo '{"verdict":"reject","reasons":["it cheats"],"usd":0}' > src/verdict`;
    const asks = { ...judge, run: 'cat > /dev/null; cat src/verdict 2> /dev/null || cat verdict' };
    const top = { agents: { judge: asks, coder: mending(no) } };
    const project = studyOf(mended('coder', { gate: judged }), { top, files: { verdict, 'hand.txt': 'by hand' } });
    const { code, stdout } = await exec(project);
    expect(code).toBe(1);
    expect(stdout).toContain('rejected at its gate by judge judge: it cheats');
    expect(lines(project, 'tries')).toBe(1);
  });

  it('mending for ever comes to an end, whatever it changes', async () => {
    const top = { agents: { judge, coder: mending('date +%N >> src/a.txt; echo x >> src/a.txt') } };
    const project = studyOf(mended('coder', { gate: judged }), { top, files: { verdict, 'hand.txt': 'by hand' } });
    const { code } = await exec(project);
    expect(code).toBe(1);
    expect(lines(project, 'tries')).toBe(3);
    expect(events(project, 'gate-decided')).toHaveLength(3);
  });

  const refine = (more: object = {}) => ({
    make: command('mkdir -p src; echo one > src/a.txt', { outputs: ['src/a.txt'], ...more }),
    refine: {
      uses: 'agent',
      agent: 'coder',
      needs: ['make'],
      with: { instructions: 'make it better' },
      scope: ['src/**'],
      outputs: ['notes.txt'],
    },
    use: command('cat src/a.txt > used', { needs: ['make', 'refine'] }),
  });
  const better = { judge, coder: mending('echo two > src/a.txt; echo done > notes.txt') };

  it('an agent in its scope, at its own work: the file is theirs from then on', async () => {
    const project = studyOf(refine(), { top: { agents: { coder: better.coder } } });
    expect((await exec(project)).code).toBe(0);
    expect(project.read('used')).toBe('two\n');
    const { code, stdout } = await project.run('verify', '--verbose');
    expect(code).toBe(0);
    expect(stdout).toContain('as coder changed it after make had made it');
  });

  it('but not past a gate: a verdict is about what was shown', async () => {
    const project = studyOf(refine({ gate: judged }), { top: { agents: better }, files: { verdict } });
    const { code, stdout } = await exec(project);
    expect(code).toBe(1);
    expect(stdout).toContain('✗ make  what judge judge passed at its gate is not what is there now: src/a.txt');
    expect(project.exists('used')).toBe(false);
  });

  it('nor a task file: that is for a planner, who may not ask less', async () => {
    const item = (verify: string): string =>
      JSON.stringify({ tasks: [{ id: 'T1', name: 'one', description: 'do it', files: ['w.txt'], verify: [verify] }] });
    const top = {
      agents: {
        coder: mending('[ "$AUTORESEARCH_TASK" = check ] && cp less.yaml plan/tasks.yaml || echo work > w.txt'),
      },
    };
    const project = studyOf(
      {
        design: command('mkdir -p plan; cp tasks.yaml plan/tasks.yaml', { outputs: ['plan/tasks.yaml'] }),
        build: {
          uses: 'tasks',
          agent: 'coder',
          needs: ['design'],
          isolation: 'none',
          with: { from: 'plan/tasks.yaml' },
        },
        check: command('[ -e again ] || { touch again; exit 3; }', {
          needs: ['build'],
          retry: { attempts: 3, fix: 'coder' },
        }),
      },
      { top, files: { 'tasks.yaml': item('test -s w.txt'), 'less.yaml': item('true') } },
    );
    const { code, stdout } = await exec(project);
    expect(code).toBe(1);
    expect(stdout).toContain(
      '✗ design  what it made is not what is there now, and nobody known to the run has changed it: plan/tasks.yaml',
    );
    expect(events(project, 'outputs-amended')).toEqual([]);
    expect(events(project, 'task-finished').filter(({ task }) => task === 'build:T1')).toHaveLength(1);
  });
});

describe('a result that is exchanged while a task reads it, and put back', () => {
  /** `use` reads when `swap` has exchanged it, and ends when `swap` has put it back. */
  const wait = (file: string): string => `while ! [ -e ${file} ]; do sleep 0.05; done`;
  const stages = (exchange: string, back: string, use: object = {}) => ({
    make: command('echo one > out.txt; echo two > two.txt', { outputs: ['out.txt', 'two.txt'] }),
    swap: command(`${wait('begun')}; ${exchange}; touch swapped; ${wait('read')}; ${back}; touch back`),
    use: command(`touch begun; ${wait('swapped')}; cat out.txt > used; touch read; ${wait('back')}`, {
      needs: ['make'],
      outputs: ['used'],
      ...use,
    }),
  });
  const said =
    'is what it builds on, and was written or touched while it ran: the content is the same as before, but may have been another one meanwhile';

  it.each([
    ['written over', 'cp -p out.txt kept; echo forged > out.txt', 'cat kept > out.txt; touch -r kept out.txt'],
    ['another file for a while', 'mv out.txt kept; echo forged > out.txt', 'mv kept out.txt'],
    ['a link for a while', 'mv out.txt kept; echo forged > f; ln -s f out.txt', 'rm out.txt; mv kept out.txt'],
  ])('%s: passes, and is told', async (_, exchange, back) => {
    const project = studyOf(stages(exchange, back));
    const { code, stdout } = await exec(project, '--jobs', '2');
    expect(`${code} ${stdout}`).toMatch(/^0 /);
    expect(project.read('used')).toBe('forged\n');
    expect(project.read('out.txt')).toBe('one\n');
    expect(stdout).toContain(`out.txt ${said}`);
    expect(project.read('logs/errors.log')).toContain(`out.txt ${said}`);
    const [finished] = events(project, 'task-finished').filter(({ task }) => task === 'use');
    expect(finished!.warnings).toEqual([`out.txt ${said}`]);
  });

  it('put back only after it has ended: told as well', async () => {
    const project = studyOf({
      ...stages('cp out.txt kept; echo forged > out.txt', 'cat kept > out.txt'),
      use: command(`touch begun; ${wait('swapped')}; cat out.txt > used`, { needs: ['make'], outputs: ['used'] }),
      last: command(`touch read; ${wait('back')}`, { needs: ['use'] }),
    });
    await exec(project, '--jobs', '3');
    const [finished] = events(project, 'task-finished').filter(({ task }) => task === 'use');
    expect(finished!.warnings).toEqual([
      'out.txt is what it builds on, and was another one, or gone, when it had run: what it has read of it may be neither',
    ]);
  });

  it('in place by the task itself, which has declared it: that is its work, and not told', async () => {
    const use = { needs: ['make'], outputs: ['used', 'two.txt'] };
    const project = studyOf({
      make: command('echo one > out.txt; echo two > two.txt', { outputs: ['out.txt', 'two.txt'] }),
      use: { ...command('cat out.txt > used; cp two.txt x; cat x > two.txt'), ...use },
    });
    const { stdout } = await exec(project);
    expect(stdout).not.toContain('builds on');
  });

  it('of several, those that were touched are named', async () => {
    const project = studyOf(stages('touch out.txt two.txt', 'true'));
    const { code, stdout } = await exec(project, '--jobs', '2');
    expect(`${code} ${stdout}`).toMatch(/^0 /);
    expect(stdout).toContain(
      'out.txt, two.txt are what it builds on, and were written or touched while it ran: the content is the same as before, but may have been another one meanwhile',
    );
  });
});
