import { chmodSync, lstatSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ended, Project } from '../support/project.js';
import { until } from '../support/until.js';

const done = (more = ''): string => `echo '{"outcome":"done","summary":"wrote it","usd":0.25${more}}'`;

interface Sketch {
  /** What the agent does, as a shell script. */
  readonly coder?: string;
  readonly agent?: object;
  readonly stage?: object;
  readonly more?: object;
  readonly stages?: object;
}

/** A project with one stage whose agent is a script. */
function studyOf({
  coder = `mkdir -p src; date +%N > src/a.py; ${done()}`,
  agent,
  stage,
  more,
  stages,
}: Sketch): Project {
  const config = {
    name: 'study',
    agents: { coder: { backend: 'command', run: './coder.sh', family: 'meta', limits: { usd: 1 }, ...agent } },
    stages: {
      implement: {
        uses: 'agent',
        agent: 'coder',
        with: { instructions: 'Write src/a.py.' },
        outputs: ['src/a.py'],
        ...stage,
      },
      ...stages,
    },
    ...more,
  };
  const project = new Project({ 'autoresearch.config.json': JSON.stringify(config) });
  script(project, 'coder.sh', coder);
  return project;
}

function script(project: Project, name: string, text: string): void {
  project.write(name, `#!/bin/sh\n${text}\n`);
  chmodSync(join(project.dir, name), 0o755);
}

const exec = (project: Project, ...args: string[]) => project.run('exec', '--reporter', 'plain', ...args);
const events = (project: Project, type: string) => project.journal().filter((entry) => entry.type === type);
const attempt = (project: Project, path: string): string => {
  const runs = join(project.dir, '.autoresearch/default/runs');
  return readFileSync(join(runs, readdirSync(runs).sort().at(-1)!, 'tasks', path), 'utf8');
};

describe('a stage that an agent carries out', () => {
  it('with bytes in its words that no file can hold is told with a sign in their place, and can be verified', async () => {
    const words = String.raw`{"outcome":"done","summary":"zero \u0000 half \ud800 end"}`;
    const project = studyOf({ coder: `mkdir -p src; echo 1 > src/a.py; printf '%s\\n' '${words}'` });
    expect((await exec(project)).code).toBe(0);
    expect(events(project, 'task-finished')).toMatchObject([{ summary: 'zero \ufffd half \ufffd end' }]);
    expect(await project.run('verify')).toMatchObject({ code: 0 });
  });

  it('is booked at least what its program told while it ran, so that no reply talks a ceiling away', async () => {
    const spent = `echo '{"spent":{"usd":0.9}}'; echo '{"outcome":"failed","summary":"no","usd":0}'`;
    const more = { budget: { usdPerRun: 2 } };
    const project = studyOf({ coder: spent, stage: { retry: { attempts: 5 } }, more });
    expect((await exec(project)).code).toBe(5);
    expect(events(project, 'spend-recorded').map(({ usd }) => usd)).toEqual([0.9, 0.9]);
  });

  it('is done once, and holds from then on', async () => {
    const project = studyOf({});
    expect(await exec(project)).toMatchObject({ code: 0 });
    expect(attempt(project, 'implement/1/prompt.md')).toMatch(
      /^Task "implement" \(implement\)\.\n\nWrite src\/a\.py\./,
    );
    expect(JSON.parse(attempt(project, 'implement/1/reply.json'))).toMatchObject({ summary: 'wrote it' });
    expect(events(project, 'agent-completed')).toMatchObject([
      { agent: 'coder', files: ['src/a.py'], changedFiles: 1 },
    ]);
    const again = await exec(project);
    expect(again.stdout).toContain('nothing to do');
    expect(events(project, 'agent-invoked')).toHaveLength(1);
  });

  it('is stale when its agent is another one, not when only its name is', async () => {
    const project = studyOf({});
    await exec(project);
    const config = project.read('autoresearch.config.json');
    project.write('autoresearch.config.json', config.replaceAll('coder"', 'writer"'));
    expect((await project.run('plan')).stdout).toContain('1 cached');
    project.write('autoresearch.config.json', config.replace('"family"', '"model":"big","family"'));
    expect((await project.run('why', 'implement')).stdout).toContain('agent.model added: "big"');
  });

  it('is stale when another command line does the work, and says which', async () => {
    const project = studyOf({ agent: { limits: { usd: 1, timeout: '1m' } } });
    await exec(project);
    const config = project.read('autoresearch.config.json');
    const why = async (text: string): Promise<string> => {
      project.write('autoresearch.config.json', text);
      return (await project.run('why', 'implement')).stdout;
    };
    expect(await why(config.replace('./coder.sh', './coder.sh --careful'))).toContain(
      'agent.run changed "./coder.sh" → "./coder.sh --careful"',
    );
    // What it may use, and what it is given to log in with, is not who it is.
    expect(await why(config.replace('"timeout":"1m"', '"timeout":"9m"'))).toContain('nothing changed');
    expect(await why(config.replace('"limits"', '"passEnv":["HOME"],"limits"'))).toContain('nothing changed');
    expect(await why(config)).toContain('nothing changed');
  });

  it('an agent that exits 0 having done nothing has failed', async () => {
    const project = studyOf({ coder: done() });
    const { code, stdout } = await exec(project);
    expect(code).toBe(1);
    expect(stdout).toContain('did not write its output src/a.py');
  });

  it('nor does an old result count as its work', async () => {
    const project = studyOf({ coder: done() });
    project.write('src/a.py', 'from before');
    const { code, stdout } = await exec(project);
    expect(code).toBe(1);
    expect(stdout).toContain('did not write its output src/a.py anew; what is there is from before');
  });

  it('"done" with a failing test is not done; the next try is told so and does not cost more than its tries', async () => {
    const coder = `n=$(cat count 2>/dev/null || echo 0); n=$((n+1)); echo $n > count; cat > prompt-$n; mkdir -p src; echo $n > src/a.py; ${done()}`;
    const stage = {
      with: { instructions: 'x', verify: 'echo "assert failed: want 2" >&2; grep -q 2 src/a.py' },
      retry: { attempts: 3 },
    };
    const project = studyOf({ coder, stage });
    expect(await exec(project)).toMatchObject({ code: 0 });
    expect(project.read('count')).toBe('2\n');
    expect(project.read('prompt-1')).not.toContain('Attempt 1 failed');
    expect(project.read('prompt-2')).toMatch(
      /^Attempt 1 failed: exited with code 1\nWhat it wrote:\n(?: {2}.*\n)*? {2}assert failed: want 2\n/m,
    );
  });

  it('render prints the very prompt that is sent, and sends nothing', async () => {
    const project = studyOf({ coder: `cat > sent; mkdir -p src; echo 1 > src/a.py; ${done()}` });
    project.write('AGENTS.md', 'Use tabs.\n');
    const { code, stdout } = await project.run('render', 'implement');
    expect(code).toBe(0);
    expect(project.exists('sent')).toBe(false);
    expect(project.exists('.autoresearch')).toBe(false);
    await exec(project);
    expect(project.read('sent')).toBe(stdout);
    expect(stdout).toContain('Use tabs.');
  });

  it('render says which stages ask nobody', async () => {
    const project = studyOf({ stages: { plain: { uses: 'command', with: { run: 'true' } } } });
    const { code, stderr } = await project.run('render', 'plain');
    expect(code).toBe(2);
    expect(stderr).toContain('AR604 stage "plain" asks no agent');
    expect((await project.run('render', 'implemnt')).stderr).toContain('implement');
  });

  it('plan shows who does the work', async () => {
    const project = studyOf({ stage: { scope: ['src/**'] } });
    expect((await project.run('plan')).stdout).toContain('agent   coder: command, family meta; may change src/**\n');
    const plan = JSON.parse((await project.run('plan', '--json')).stdout);
    expect(plan.tasks[0].agent).toEqual({ name: 'coder', backend: 'command', family: 'meta', run: './coder.sh' });
  });
});

describe('what an agent may not', () => {
  it('write outside of its scope: exit code 4, and the task does not pass', async () => {
    const coder = `mkdir -p src eval; echo 1 > src/a.py; echo 'score = 1.0' > eval/score.py; ${done()}`;
    const project = studyOf({ coder, stage: { scope: ['src/**'], retry: { attempts: 3 } } });
    const { code, stdout } = await exec(project);
    expect(code).toBe(4);
    expect(stdout).toContain('agent coder changed eval/score.py, which it may not; it was put back');
    expect(project.exists('eval/score.py')).toBe(false);
    const [{ failure }] = events(project, 'task-failed') as [{ failure: { evidence: string } }];
    expect(readFileSync(join(failure.evidence, 'changes.diff'), 'utf8')).toContain('score = 1.0');
    expect(events(project, 'agent-invoked')).toHaveLength(1);
    expect(events(project, 'task-finished')).toEqual([]);
    expect(events(project, 'run-finished')).toMatchObject([{ outcome: 'violated' }]);
  });

  it.each([
    ['by a rename', 'mv eval/score.py eval/old.py'],
    ['by removing it', 'rm eval/score.py'],
    ['by its mode', 'chmod 600 eval/score.py'],
    [
      'with its old time',
      'cp -p eval/score.py /tmp/ref-$$; echo x > eval/score.py; touch -r /tmp/ref-$$ eval/score.py; rm /tmp/ref-$$',
    ],
    ['by a link in its place', 'rm eval/score.py; ln -s ../src/a.py eval/score.py'],
    ['by a file beside it', 'echo x > eval/__init__.py'],
    ['although it says that it failed', `echo x > eval/score.py; echo '{"outcome":"failed","summary":"no"}'; exit 0`],
    ['although it crashed', 'echo x > eval/score.py; exit 7'],
  ])('change a file elsewhere %s', async (_, change) => {
    const project = studyOf({
      coder: `mkdir -p src; echo 1 > src/a.py; ${change}; ${done()}`,
      stage: { scope: ['src/**'] },
    });
    project.write('eval/score.py', 'score = 0.5\n');
    const mode = statSync(join(project.dir, 'eval/score.py')).mode;
    expect(await exec(project)).toMatchObject({ code: 4 });
    // Undone, to the byte.
    expect(project.read('eval/score.py')).toBe('score = 0.5\n');
    expect(lstatSync(join(project.dir, 'eval/score.py')).mode).toBe(mode);
    expect(readdirSync(join(project.dir, 'eval'))).toEqual(['score.py']);
  });

  it('change anything when it was asked to look', async () => {
    const stage = { with: { kind: 'analyze', instructions: 'why?', to: 'why.md' }, outputs: ['why.md'] };
    const project = studyOf({ coder: `echo x > a.txt; ${done(',"notes":"so"')}`, stage });
    expect(await exec(project)).toMatchObject({ code: 4 });
    expect(project.exists('a.txt')).toBe(false);
    // Not even the file that its answer goes to: the runner writes that.
    script(project, 'coder.sh', `echo mine > why.md; ${done(',"notes":"so"')}`);
    expect(await exec(project, '--new')).toMatchObject({ code: 4 });
    expect(project.exists('why.md')).toBe(false);
    script(project, 'coder.sh', done(',"notes":"so"'));
    expect(await exec(project, '--new')).toMatchObject({ code: 0 });
    expect(project.read('why.md')).toBe('so\n');
  });

  it('be judged by its own family: nothing runs', async () => {
    const review = {
      uses: 'agent',
      agent: 'critic',
      needs: ['implement'],
      with: { kind: 'review', criteria: ['x'], to: 'r.json' },
    };
    const project = studyOf({
      stages: { review },
      more: {
        agents: {
          coder: { backend: 'command', run: './coder.sh', family: 'meta' },
          critic: { backend: 'command', run: './x', family: 'Meta' },
        },
      },
    });
    const { code, stderr } = await exec(project);
    expect(code).toBe(2);
    expect(stderr).toContain('AR320 reviewer "critic" and author "coder" are both of the family meta');
    expect(project.exists('.autoresearch')).toBe(false);
  });

  it('answer with prose: asked again twice, then it has failed', async () => {
    const project = studyOf({ coder: 'echo x >> count; echo "I have done everything, all tests pass."' });
    const { code, stdout } = await exec(project);
    expect(code).toBe(1);
    expect(project.read('count')).toBe('x\nx\nx\n');
    expect(stdout).toContain(
      'agent coder answered three times, and its reply could not be used: there was no JSON object in the answer',
    );
    expect(readdirSync(join(project.dir, '.autoresearch/default/runs')).length).toBe(1);
  });

  it('pass with a review that says revise', async () => {
    const review = {
      uses: 'agent',
      agent: 'critic',
      needs: ['implement'],
      with: { kind: 'review', criteria: ['x'], to: 'r.json' },
      outputs: ['r.json'],
    };
    const critic = { backend: 'command', run: './critic.sh', family: 'mistral' };
    const coder = { backend: 'command', run: './coder.sh', family: 'meta' };
    const project = studyOf({ stages: { review }, more: { agents: { coder, critic } } });
    script(project, 'critic.sh', `echo '{"verdict":"revise","reasons":["src/a.py:1 is wrong"]}'`);
    const { code, stdout } = await exec(project);
    expect(code).toBe(1);
    expect(stdout).toContain('reviewer critic says revise: src/a.py:1 is wrong');
    expect(JSON.parse(project.read('r.json'))).toMatchObject({ verdict: 'revise' });
  });

  it('go on without money', async () => {
    const project = studyOf({
      more: { budget: { usdPerRun: 1 } },
      stage: { matrix: { n: [1, 2, 3] }, outputs: ['src/{{matrix.n}}.py'] },
      coder: `mkdir -p src; for i in 1 2 3; do date +%N > src/$i.py; done; ${done().replace('0.25', '0.9')}`,
    });
    const { code, stdout } = await exec(project, '--jobs', '1');
    expect(code).toBe(5);
    expect(events(project, 'agent-invoked')).toHaveLength(1);
    expect(stdout).toContain('budget.usdPerRun');
  });
});

describe('escalation by an agent', () => {
  it('for the design ends the tries at once and asks the person', async () => {
    const coder = `echo x >> count; echo '{"outcome":"escalate","reason":"design","summary":"the loss cannot fall"}'`;
    const project = studyOf({ coder, stage: { retry: { attempts: 3 } }, more: { escalate: ['human'] } });
    const { code, stdout } = await exec(project);
    expect(code).toBe(3);
    expect(project.read('count')).toBe('x\n');
    expect(stdout).toContain('the loss cannot fall');
  });

  it('for the scope shows which files', async () => {
    const coder = `echo '{"outcome":"escalate","reason":"scope","summary":"the reader is elsewhere","files":["lib/read.py"]}'`;
    const project = studyOf({ coder, stage: { scope: ['src/**'], retry: { attempts: 3 } } });
    const { code, stdout } = await exec(project);
    expect(code).toBe(1);
    expect(stdout).toContain(
      'agent coder will not go on (scope): the reader is elsewhere; it would have to change lib/read.py',
    );
    expect(stdout).toContain('Add these files to scope of the stage if it is right');
  });
});

describe('record and replay', () => {
  const recorded = async (): Promise<Project> => {
    const project = studyOf({ coder: `mkdir -p src; echo "made on $(date +%N)" > src/a.py; ${done()}` });
    expect(await exec(project, '--record')).toMatchObject({ code: 0 });
    return project;
  };

  it('repeats a study without the agent, the key and the cost', async () => {
    const here = await recorded();
    const there = new Project({ 'autoresearch.config.json': here.read('autoresearch.config.json') });
    const cassette = readdirSync(join(here.dir, 'cassettes'));
    expect(cassette).toHaveLength(1);
    mkdirSync(join(there.dir, 'cassettes'));
    for (const name of cassette) writeFileSync(join(there.dir, 'cassettes', name), here.read(`cassettes/${name}`));
    expect(await exec(there, '--replay')).toMatchObject({ code: 0 });
    expect(there.read('src/a.py')).toBe(here.read('src/a.py'));
    expect(events(there, 'spend-recorded')).toMatchObject([{ usd: 0, source: 'reported' }]);
  });

  it('what recordings answered does not stand for the work of the agent, nor the other way round', async () => {
    const project = await recorded();
    expect((await exec(project)).stdout).toContain('nothing to do');
    const replayed = await exec(project, '--replay');
    expect(replayed.stdout).toContain('✓ implement');
    expect((await exec(project, '--replay')).stdout).toContain('nothing to do');
    expect((await project.run('plan')).stdout).toContain('1 to run');
    expect((await exec(project)).stdout).toContain('✓ implement');
  });

  it('to record and to replay at once is refused', async () => {
    const { code, stderr } = await exec(studyOf({}), '--record', '--replay');
    expect(code).toBe(2);
    expect(stderr).toContain('--record');
  });

  it('what was not recorded is an error that shows the difference', async () => {
    const project = await recorded();
    const config = project.read('autoresearch.config.json');
    project.write('autoresearch.config.json', config.replace('Write src/a.py.', 'Write src/a.py, and well.'));
    const { code, stdout } = await exec(project, '--replay', '--new');
    expect(code).toBe(1);
    expect(stdout).toContain('agent coder has no recording of this');
    expect(attempt(project, 'implement/1/author-1/missing-recording.diff')).toMatch(
      /^-.*Write src\/a\.py\.$[\s\S]*^\+.*Write src\/a\.py, and well\.$/m,
    );
  });
});

describe('agents on this machine', () => {
  it('a CLI that is not installed: plan says so, exec refuses', async () => {
    const project = studyOf({
      agent: { backend: 'claude', run: undefined, family: undefined, path: './no-such-claude' },
    });
    const plan = await project.run('plan');
    expect(plan.code).toBe(0);
    expect(plan.stdout + plan.stderr).toContain('AR326');
    const { code, stderr } = await exec(project);
    expect(code).toBe(2);
    expect(stderr).toMatch(/AR326 \.\/no-such-claude, the program of agent "coder", is not there/);
    expect(stderr).toContain('npm install -g @anthropic-ai/claude-code');
  });

  it('a program of the user that is not there, or may not be executed: the same', async () => {
    const project = studyOf({ agent: { run: './no-such-agent --fast' } });
    const plan = await project.run('plan');
    expect(plan.code).toBe(0);
    expect((plan.stdout + plan.stderr).replace(/\s+/g, ' ')).toContain(
      'AR326 ./no-such-agent, the program of agent "coder", is not there',
    );
    expect(plan.stdout).toContain('exec would refuse this plan until the notice above is dealt with.');
    const { code, stderr } = await exec(project);
    expect(code).toBe(2);
    expect(stderr).toContain('AR326 ./no-such-agent, the program of agent "coder", is not there');
    expect(stderr).toContain(
      'Put it there, or correct "run": paths are relative to the project, names are looked for in PATH; or let recordings answer: exec --replay',
    );
    project.write('no-such-agent', '#!/bin/sh\n');
    const dead = await exec(project);
    expect(dead.code).toBe(2);
    expect(dead.stderr).toContain('AR326 ./no-such-agent, the program of agent "coder", may not be executed');
    expect(dead.stderr).toContain('Make it executable with chmod +x');
    expect(project.exists('.autoresearch')).toBe(false);
  });

  it('auto is the first that is there, and plan says which', async () => {
    const project = studyOf({ agent: { backend: 'auto', run: undefined, family: undefined } });
    const bin = join(project.dir, 'bin');
    mkdirSync(bin);
    const run = (...args: string[]) => ended(project.start(args, { PATH: `${bin}:/usr/bin:/bin` }));
    const none = await run('plan');
    expect(none.code).toBe(2);
    expect(none.stderr).toContain(
      'AR325 agent "coder" is of the backend "auto", and neither claude, codex, gemini, opencode nor an endpoint is there',
    );
    for (const name of ['gemini', 'codex']) script(project, `bin/${name}`, 'true');
    expect((await run('plan')).stdout).toContain('agent   coder: codex (the first that is installed), family openai');
  });

  it('auto that means another program now has to do the work again, also in a config of plain data', async () => {
    const project = studyOf({ agent: { backend: 'auto', run: undefined, family: undefined } });
    const claude = `mkdir -p src; date +%N > src/a.py; echo '{"type":"result","subtype":"success","is_error":false,"num_turns":1,"session_id":"s","result":"{\\"outcome\\":\\"done\\",\\"summary\\":\\"ok\\"}","total_cost_usd":0.1,"usage":{"input_tokens":1,"output_tokens":1}}'`;
    mkdirSync(join(project.dir, 'bin'));
    script(project, 'bin/claude', claude);
    const run = (...args: string[]) =>
      ended(project.start(args, { PATH: `${join(project.dir, 'bin')}:${process.env.PATH}` }));
    expect(await run('exec', '--reporter', 'plain')).toMatchObject({ code: 0 });
    expect((await run('exec', '--reporter', 'plain')).stdout).toContain('nothing to do');
    rmSync(join(project.dir, 'bin/claude'));
    script(project, 'bin/codex', 'exit 1');
    expect((await run('plan')).stdout).toContain('1 to run');
    expect(await run('exec', '--reporter', 'plain')).toMatchObject({ code: 1 });
  });

  it('a key that is not set is found before anything runs', async () => {
    const agent = {
      backend: 'api',
      run: undefined,
      baseUrl: 'http://127.0.0.1:9/v1',
      model: 'llama-4',
      apiKeyEnv: 'NO_SUCH_KEY',
    };
    const { code, stderr } = await exec(studyOf({ agent }));
    expect(code).toBe(2);
    expect(stderr).toContain('AR316 the variable NO_SUCH_KEY is to be passed on, but is not set');
  });

  it('auto is the endpoint when no CLI is there', async () => {
    const project = studyOf({
      agent: { backend: 'auto', run: undefined, baseUrl: 'http://127.0.0.1:9/v1', model: 'llama-4' },
    });
    const { stdout } = await ended(project.start(['plan'], { PATH: '/usr/bin:/bin' }));
    expect(stdout).toContain('agent   coder: api (no CLI is installed), llama-4, family meta');
  });

  it('one that is optional and missing leaves its stage out', async () => {
    const project = studyOf({
      agent: { backend: 'claude', run: undefined, family: undefined, path: './no-such-claude', optional: true },
      stages: { after: { uses: 'command', needs: ['implement'], with: { run: 'echo x > after.txt' } } },
    });
    const { code, stdout } = await exec(project);
    expect(code).toBe(0);
    expect(stdout).toMatch(/no agent: coder: there is no .*\/no-such-claude/);
    expect(project.exists('after.txt')).toBe(true);
    expect(events(project, 'task-skipped')).toMatchObject([{ cause: 'agent-unreachable' }]);
  });
});

describe('a terminal program that stays open', () => {
  /** Reads a line from its terminal, and does what an agent is asked for in such lines. */
  const program = `mkdir -p src; n=0
while read -r line; do
  reply=$(printf '%s' "$line" | grep -o '/[^ ]*reply[^ ]*json' | tail -1)
  n=$((n+1)); echo "$$ $n" >> asked; echo "$n" > "src/$n.py"
  echo '{"outcome":"done","summary":"wrote it"}' > "$reply.tmp"; mv "$reply.tmp" "$reply"
  [ -e stay ] || exit 3
done`;
  const stage = (needs: string[]) => ({
    uses: 'agent',
    agent: 'coder',
    needs,
    with: { instructions: 'x', verify: 'true' },
  });
  const stages = { a: stage([]), b: { ...stage(['a']), with: { instructions: 'x', verify: 'test -e pass' } } };
  const open = (): Project => {
    const project = studyOf({
      coder: program,
      agent: { interactive: true, limits: { timeout: '120s' } },
      more: { stages },
    });
    project.write('stay', '');
    return project;
  };

  it('serves one task after another, is listed and can be attached to, and is ended on demand', async () => {
    const project = open();
    expect(await exec(project)).toMatchObject({ code: 1 });
    const asked = project.read('asked').trim().split('\n');
    expect(asked.map((line) => line.split(' ')[1])).toEqual(['1', '2']);
    expect(new Set(asked.map((line) => line.split(' ')[0])).size).toBe(1);
    const status = JSON.parse((await project.run('status', '--json')).stdout);
    expect(status.sessions).toMatchObject([{ name: 'study-coder', ended: false }]);
    const { stdout } = await project.run('status');
    expect(stdout).toMatch(/^Open sessions\n {2}study-coder {2}tmux -S \S+ attach -t study-coder$/m);
    expect((await project.run('clean', '--sessions', '--dry-run')).stdout).toBe('Would end 1 session: study-coder\n');
    expect((await project.run('clean', '--sessions')).stdout).toBe('Ended 1 session: study-coder\n');
    expect((await project.run('clean', '--sessions')).stdout).toBe('No session is open\n');
    expect((await project.run('status')).stdout).not.toContain('Open sessions');
  });

  it('is ended when the run has passed', async () => {
    const project = open();
    project.write('pass', '');
    expect(await exec(project)).toMatchObject({ code: 0 });
    expect(JSON.parse((await project.run('status', '--json')).stdout).sessions).toEqual([]);
  });
});

describe('sessions of agents', () => {
  it('a persistent agent keeps its session when the runner is killed', async () => {
    const coder = `echo "$AUTORESEARCH_SESSION" >> sessions; mkdir -p src; echo 1 > "src/$AUTORESEARCH_TASK.py"
if [ "$AUTORESEARCH_TASK" = b ] && [ ! -e go ]; then sleep 1000; fi
${done()}`;
    const stage = (needs: string[]) => ({
      uses: 'agent',
      agent: 'coder',
      needs,
      with: { instructions: 'x', verify: 'true' },
    });
    const project = studyOf({
      coder,
      agent: { lifecycle: 'persistent' },
      more: { stages: { a: stage([]), b: stage(['a']) } },
    });
    const child = project.start(['exec', '--reporter', 'silent']);
    const end = ended(child);
    await until(() => project.exists('sessions') && project.read('sessions').split('\n').length === 3);
    child.kill('SIGKILL');
    await end;
    project.write('go', '');
    expect(await exec(project)).toMatchObject({ code: 0 });
    const ids = project.read('sessions').trim().split('\n');
    expect(ids).toHaveLength(3);
    expect(new Set(ids).size).toBe(1);
  });
});

describe('prompts of the user', () => {
  it('a name that nothing gives is found before anything runs', async () => {
    const project = studyOf({ stage: { with: { template: 'mine.hbs' } } });
    project.write('mine.hbs', 'Task {{task}}\nDo {{nope}}.\n');
    const { code, stderr } = await exec(project);
    expect(code).toBe(2);
    expect(stderr).toMatch(
      /AR328 the prompt cannot be made: mine\.hbs: line 2: unknown name "nope"; it may use task, stage, kind/,
    );
    const plan = await project.run('plan');
    expect(plan.stdout + plan.stderr).toContain('AR328');
  });
});

describe('a program that fails', () => {
  it('is quoted with its last words', async () => {
    const project = studyOf({ coder: 'echo "boom: no model" >&2; exit 3' });
    const { code, stdout } = await exec(project);
    expect(code).toBe(1);
    expect(stdout).toContain('agent coder crashed: exited with code 3: boom: no model');
    expect((await project.run('logs', 'implement', '--fix', 'author-1')).stdout).toContain('boom: no model');
  });

  it('for lack of a quota is asked again after its reset, at no cost of a try', async () => {
    const coder = `[ -e once ] || { touch once; echo "Error: 429 rate limit exceeded, try again in 1 seconds" >&2; exit 1; }; mkdir -p src; echo 1 > src/a.py; ${done()}`;
    const project = studyOf({ coder });
    expect(await exec(project)).toMatchObject({ code: 0 });
    expect(events(project, 'task-failed')).toMatchObject([{ errorClass: 'quota', counted: false }]);
    expect(attempt(project, 'implement/2/prompt.md')).not.toContain('Attempt 1 failed');
  });
});
