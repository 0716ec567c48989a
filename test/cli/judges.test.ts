import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Project } from '../support/project.js';

const done = `echo '{"outcome":"done","summary":"ALL TESTS PASS, TRUST ME","usd":0.25}'`;
const says = (verdict: string, more = ''): string =>
  `echo '{"verdict":"${verdict}","reasons":["said ${verdict}"],"usd":0.1${more}}'`;

interface Sketch {
  readonly judge?: string;
  readonly judgeAgent?: object;
  readonly gate?: object;
  readonly top?: object;
  readonly stage?: object;
}

/** An author and a judge of another family, both scripts; `build` has the gate, `train` comes after it. */
function studyOf({ judge = says('pass'), judgeAgent, gate, top, stage }: Sketch): Project {
  const config = {
    name: 'study',
    agents: {
      coder: { backend: 'command', run: './coder.sh', family: 'meta', limits: { usd: 1 } },
      judge: { backend: 'command', run: './judge.sh', family: 'google', limits: { usd: 1 }, ...judgeAgent },
    },
    ...top,
    stages: {
      build: {
        uses: 'agent',
        agent: 'coder',
        with: { instructions: 'Write out.txt.' },
        outputs: ['out.txt'],
        gate: { kind: 'auto-judge', agent: 'judge', criteria: ['out.txt says why'], ...gate },
        ...stage,
      },
      train: { uses: 'command', needs: ['build'], with: { run: 'echo trained >> trained' } },
    },
  };
  const project = new Project({ 'autoresearch.config.json': JSON.stringify(config) });
  const script = (name: string, text: string): void => {
    project.write(name, `#!/bin/sh\n${text}\n`);
    chmodSync(join(project.dir, name), 0o755);
  };
  script('coder.sh', `cat > prompt-coder; echo x >> count; wc -l < count > out.txt; ${done}`);
  script('judge.sh', `cat > "$AUTORESEARCH_DIR/seen" 2>/dev/null || cat > /dev/null\n${judge}`);
  return project;
}

const exec = (project: Project, ...args: string[]) => project.run('exec', '--reporter', 'plain', ...args);
const events = (project: Project, type: string) => project.journal().filter((entry) => entry.type === type);

describe('a judge that is a program', () => {
  it('passes what it passes; its money is booked as that of a judge', async () => {
    const project = studyOf({});
    expect(await exec(project)).toMatchObject({ code: 0 });
    expect(events(project, 'gate-decided')).toMatchObject([
      { verdict: 'pass', by: { kind: 'agent', name: 'judge', family: 'google' } },
    ]);
    const cost = JSON.parse((await project.run('cost', '--json')).stdout);
    expect(JSON.stringify(cost)).toContain('"judge"');
    expect((await exec(project)).stdout).toContain('nothing to do');
  });

  it('another command line is another judge: its verdict is void, and it is asked anew; the author is not', async () => {
    const project = studyOf({});
    expect(await exec(project)).toMatchObject({ code: 0 });
    const config = project.read('autoresearch.config.json');
    // What it is given to log in with is not who it is.
    project.write(
      'autoresearch.config.json',
      config.replace('"family":"google"', '"family":"google","passEnv":["HOME"]'),
    );
    expect((await exec(project)).stdout).toContain('nothing to do');
    project.write('autoresearch.config.json', config.replace('./judge.sh', './judge.sh --strict'));
    expect((await project.run('why', 'build')).stdout).toContain('the gate changed since judge decided');
    expect(await exec(project)).toMatchObject({ code: 0 });
    const roles = events(project, 'agent-invoked').map(({ role }) => role);
    expect(roles).toEqual(['judge']);
  });

  it.each<[string, string]>([
    ['prose', 'echo "The work is fine. Verdict: pass."'],
    ['nothing', 'true'],
    ['a verdict and more', `echo '{"verdict":"pass","reasons":["x"],"verdict2":"reject"}'`],
    ['two verdicts, one after the other', `${says('reject')}; ${says('pass')}`],
    ['two verdicts in one object', `echo '{"verdict":"reject","reasons":["x"],"verdict":"pass"}'`],
    ['an unknown verdict', says('lgtm')],
    ['a crash after a pass', `${says('pass')}; exit 3`],
  ])('%s is no pass', async (_, judge) => {
    const project = studyOf({ judge });
    const { code, stdout } = await exec(project);
    expect(code).toBe(1);
    expect(stdout).toContain('✗ build  no verdict at its gate: judge judge gave no verdict');
    expect(project.exists('trained')).toBe(false);
    expect(events(project, 'agent-invoked').filter(({ role }) => role === 'judge').length).toBeLessThanOrEqual(3);
  });

  it('too late is no pass', async () => {
    const project = studyOf({
      judge: `sleep 30; ${says('pass')}`,
      judgeAgent: { limits: { usd: 1, timeout: '1s' } },
    });
    const { code, stdout } = await exec(project);
    expect([code, stdout]).toEqual([1, expect.stringContaining('(timed-out)')]);
  });

  it('revise brings its words to the author, and ends', async () => {
    const project = studyOf({
      judge: `if grep -q 3 out.txt; then ${says('pass')}; else ${says('revise')}; fi`,
      gate: { revise: { max: 3 } },
    });
    expect(await exec(project)).toMatchObject({ code: 0 });
    expect(project.read('prompt-coder')).toContain('Your work was sent back with these words:\nsaid revise\n');
    expect(events(project, 'revision-requested')).toHaveLength(2);
    const forEver = studyOf({ judge: says('revise'), gate: { revise: { max: 2 } } });
    expect((await exec(forEver)).code).toBe(1);
    expect(forEver.read('out.txt').trim()).toBe('3');
    expect((await exec(forEver)).code).toBe(1);
    expect(forEver.read('out.txt').trim()).toBe('3');
  });

  it('is never shown what the author says of its own work', async () => {
    const project = studyOf({ judge: `cp "$AUTORESEARCH_PROMPT" seen-by-judge 2>/dev/null; ${says('pass')}` });
    await exec(project);
    const runs = join(project.dir, '.autoresearch/default/runs');
    const { readdirSync, readFileSync } = await import('node:fs');
    const prompt = readFileSync(join(runs, readdirSync(runs)[0]!, 'tasks/build/1/judge-1/prompt.md'), 'utf8');
    expect(prompt).toContain('- out.txt says why');
    expect(prompt).not.toContain('TRUST ME');
  });

  it('of the family of the author it is a mistake, found before anything runs', async () => {
    const project = studyOf({ judgeAgent: { family: 'Meta AI' } });
    const { code, stderr } = await exec(project);
    expect(code).toBe(2);
    expect(stderr).toContain('AR320 judge "judge" and author "coder" are both of the family meta');
    expect(project.exists('.autoresearch')).toBe(false);
  });

  it('behind a stage of tests it still judges the author of what was tested', async () => {
    const project = studyOf({ judgeAgent: { family: 'meta' }, stage: { gate: undefined } });
    const config = JSON.parse(project.read('autoresearch.config.json'));
    config.stages.train.outputs = ['trained'];
    config.stages.train.gate = { kind: 'auto-judge', agent: 'judge', criteria: ['x'] };
    project.write('autoresearch.config.json', JSON.stringify(config));
    expect((await exec(project)).stderr).toContain('AR320');
  });

  it('that sorts its samples wrongly stops the run, and says so', async () => {
    const project = studyOf({ gate: { calibrate: { good: ['good.md'], bad: ['bad.md'] } } });
    project.write('good.md', 'fine');
    project.write('bad.md', 'poor');
    const { code, stdout } = await exec(project);
    expect(code).toBe(1);
    expect(stdout).toContain('✗ build  judge judge may not judge: it got bad.md (passed) wrong');
    expect(project.exists('trained')).toBe(false);
  });
});

describe('--autonomous', () => {
  const human = { gate: { kind: 'human', agent: undefined, criteria: undefined } };
  const standIn = (more: object) => ({ top: { autonomous: more } });

  it('refuses what asks a person, unless the config says what stands in', async () => {
    const { agents: _, ...rest } = { agents: 1, ...human };
    const project = studyOf({ ...rest, top: { escalate: ['human'] } });
    const config = JSON.parse(project.read('autoresearch.config.json'));
    delete config.agents.judge;
    project.write('autoresearch.config.json', JSON.stringify(config));
    const { code, stderr } = await exec(project, '--autonomous');
    expect(code).toBe(2);
    expect(stderr).toContain('AR333 the gate of "build" asks a person, and in autonomous mode nobody is asked');
    expect(stderr).toContain('AR333 spent tries are brought before a person, and in autonomous mode nobody is asked');
    expect(project.exists('.autoresearch')).toBe(false);
  });

  it('a judge stands in', async () => {
    const project = studyOf({ ...human, ...standIn({ human: 'auto-judge', judge: 'judge', criteria: ['good'] }) });
    expect((await project.run('plan', '--autonomous')).stdout).toContain('gate    judge judges by 1 criterion');
    expect(await exec(project, '--autonomous')).toMatchObject({ code: 0 });
    expect(events(project, 'gate-decided')).toMatchObject([{ verdict: 'pass', by: { kind: 'agent' } }]);
    // A person is another gate: without the option they are asked.
    expect((await exec(project)).code).toBe(3);
  });

  it('or it fails there, and a person can still be asked later', async () => {
    const project = studyOf({ ...human, ...standIn({ human: 'fail' }) });
    const config = JSON.parse(project.read('autoresearch.config.json'));
    delete config.agents.judge;
    project.write('autoresearch.config.json', JSON.stringify(config));
    expect((await exec(project, '--autonomous')).code).toBe(1);
    expect(project.exists('trained')).toBe(false);
    expect((await exec(project)).code).toBe(3);
    expect(events(project, 'task-finished')).toHaveLength(1);
  });

  it.each<[object, string]>([
    [{ human: 'auto-judge' }, 'AR334 autonomous.human is "auto-judge", and nobody is named who judges'],
    [{ human: 'fail', judge: 'judge' }, 'AR334 judge has no effect where a human gate fails'],
    [{ human: 'auto-judge', judge: 'coder', criteria: ['x'] }, 'AR320 judge "coder" and author "coder"'],
    [{ human: 'auto-judge', judge: 'jduge', criteria: ['x'] }, 'AR303 there is no agent "jduge"'],
  ])('%j is a mistake, also without the option', async (autonomous, said) => {
    const project = studyOf({ ...human, top: { autonomous } });
    const { code, stderr } = await exec(project);
    expect([code, stderr]).toEqual([2, expect.stringContaining(said)]);
  });
});
